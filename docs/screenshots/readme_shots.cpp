// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Pictures for README and docs from the real window during a real run on this computer.
//   readme_shots DIR [WIDTHxHEIGHT] [JOB]
// Writes live.png, live-dark.png, launch.png, fleet.png and runs.png. Exit code 1: the run failed, or it took
// too long.

#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/launch/launch_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <cstdio>
#include <functional>

using namespace rankscope;
using namespace rankscope::gui;

namespace {

constexpr double kPictureAt = 0.65;  // of the run
constexpr int kStartMs = 120'000;
constexpr int kTrainMs = 900'000;

bool wait_until(const std::function<bool()>& condition, int limit_ms) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > limit_ms) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    }
    return true;
}

class Camera {
public:
    Camera(QApplication& app, MainWindow& window, QString folder)
        : app_(app), window_(window), folder_(std::move(folder)) {}

    void take(const char* name, ThemeChoice theme = ThemeChoice::Light) {
        apply_theme(app_, theme, false);
        QElapsedTimer timer;
        timer.start();
        wait_until([&] { return timer.elapsed() > 300; }, 1000);  // layouts and plots follow the theme
        const QString file = folder_ % u'/' % QString::fromLatin1(name) % u".png"_s;
        const bool saved = window_.grab().save(file);
        std::printf("%s%s\n", qPrintable(file), saved ? "" : ": cannot be written");
        all_saved_ = all_saved_ && saved;
    }
    bool all_saved() const { return all_saved_; }

private:
    QApplication& app_;
    MainWindow& window_;
    QString folder_;
    bool all_saved_ = true;
};

int fail(const char* what) {
    std::fprintf(stderr, "readme_shots: %s\n", what);
    return 1;
}

int make(QApplication& app, const QString& folder, QSize size, const QByteArray& job) {
    const QTemporaryDir data;
    Options options;
    options.data_dir = ss(data.path());
    options.inventory_file = ss(data.filePath(u"cluster.yaml"_s));
    options.theme = LookTheme::Light;
    MainWindow window(options);
    window.resize(size);
    window.show();
    Workspace* workspace = window.workspace();
    Fleet* fleet = workspace->fleet();
    const auto probed = [&] { return fleet->model()->find(kLocalNodeName)->state == ProbeState::Ready; };
    if (!wait_until([&] { return fleet->loaded() && workspace->store_settled() && probed(); }, kStartMs)) {
        return fail("this computer cannot be probed");
    }
    Camera camera(app, window, folder);
    camera.take("fleet");
    window.launch_page()->set_job_text(job.toStdString(), "mnist.yaml");
    window.show_page(MainWindow::Page::Launch);
    auto* start = window.findChild<QPushButton*>(u"startButton"_s);
    if (!wait_until([&] { return start->isEnabled(); }, kStartMs)) {
        return fail("the job cannot be started");
    }
    camera.take("launch");
    start->click();
    const RunState& run = workspace->session()->model()->state();
    if (!wait_until([&] { return run.progress() >= kPictureAt || run.end.has_value(); }, kTrainMs) ||
        (run.end && run.outcome != Outcome::Done)) {
        return fail(run.end ? run.end->detail.c_str() : "the run takes too long");
    }
    window.show_page(MainWindow::Page::Live);
    camera.take("live");
    camera.take("live-dark", ThemeChoice::Dark);
    if (!wait_until([&] { return run.end.has_value() && !workspace->session()->live(); }, kTrainMs)) {
        return fail("the run does not end");
    }
    window.show_page(MainWindow::Page::Runs);
    camera.take("runs");
    window.close();
    return camera.all_saved() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication app(argc, argv);
    QApplication::setOrganizationName(u"rankscope-shots"_s);
    QApplication::setApplicationName(u"rankscope"_s);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        std::printf("readme_shots DIR [WIDTHxHEIGHT] [JOB]\n");
        return 2;
    }
    const QStringList size = arguments.value(2, u"1280x800"_s).split(u'x');
    QFile job(arguments.value(3));
    if (!job.open(QIODevice::ReadOnly)) {
        return fail("the job file cannot be read");
    }
    QDir().mkpath(arguments[1]);
    return make(app, arguments[1], {size.value(0).toInt(), size.value(1).toInt()}, job.readAll());
}
