// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The pictures of README and docs: the real window over the four nodes of a virtual cluster (docs/screenshots/make).
//   readme_shots DIR JOB
// Writes DIR/*.png, and DIR/manifest.json with the pages and menus that they show. Exit code 1: something took too long,
// or a picture cannot be written. Only the log of the NCCL map is not of a run: the nodes have no GPU.

#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/doctor/doctor_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/logs/file_log.h>
#include <gui/logs/logs_page.h>
#include <gui/nccl/nccl_data.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <nlohmann/json.hpp>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/window_contents.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTemporaryDir>
#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>

using namespace rankscope;
using namespace rankscope::gui;

namespace {

constexpr QSize kSize(1360, 850);
constexpr double kPictureAt = 0.6;  // of the run
constexpr int kStartMs = 120'000;
constexpr int kTrainMs = 900'000;
constexpr const char* kDropMasterPort =
    "printf 'table inet shots { chain input { type filter hook input priority 0; iifname != lo tcp dport "
    "29500 "
    "drop; }; }' | nft -f -";
constexpr const char* kPassMasterPort = "nft delete table inet shots";

void wait_until(const char* what, int limit_ms, const std::function<bool()>& condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > limit_ms) {
            throw std::runtime_error(std::string("no picture: ") + what + " takes too long");
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    }
}

void on_node(const char* node, const char* command) {
    const int code = QProcess::execute(
        u"python3"_s, {QStringLiteral(RANKSCOPE_VCLUSTER), u"exec"_s, u"--root"_s, QString::fromLatin1(node),
                       u"--"_s, u"sh"_s, u"-c"_s, QString::fromLatin1(command)});
    if (code != 0) {
        throw std::runtime_error(std::string(node) + ": " + command + " failed");
    }
}

/// Starts with an empty home, next to the nodes of the virtual cluster.
class Shots {
public:
    Shots(QString folder, std::string job)
        : folder_(std::move(folder)), job_(std::move(job)), window_(options()) {
        Settings settings = window_.workspace()->settings()->now();
        settings.notifications.desktop = false;  // there is no service that shows them
        window_.workspace()->settings()->set(settings);
        window_.resize(kSize);
        window_.show();
    }

    void make() {
        fleet();
        blocked_port();
        run();
        stopped_rank();
        nccl_map();
        std::ofstream(ss(folder_ + u"/manifest.json"_s)) << testing::window_contents(window_).dump(2) << '\n';
        window_.close();
    }

private:
    Options options() const {
        std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
        Options options;
        options.data_dir = ss(data_.path());
        options.inventory_file = ss(data_.filePath(u"cluster.yaml"_s));
        options.theme = LookTheme::Light;
        options.probe_this_computer = false;
        // As root, the agents may read the firewall's rules.
        std::ifstream inventory(nlohmann::json::parse(file).at("inventory").get<std::string>());
        const std::string text{std::istreambuf_iterator<char>(inventory), {}};
        std::ofstream(options.inventory_file) << ss(qs(text).replace(u"trainer"_s, u"root"_s));
        return options;
    }

    void take(const char* name) {
        QElapsedTimer timer;
        timer.start();
        wait_until(name, 2000, [&] { return timer.elapsed() > 600; });  // layouts and plots are late
        const QString file = folder_ % u'/' % QString::fromLatin1(name) % u".png"_s;
        if (!window_.grab().save(file)) {
            throw std::runtime_error(ss(file) + ": cannot be written");
        }
        std::printf("%s\n", qPrintable(file));
        std::fflush(stdout);
    }

    template <typename Widget>
    Widget* find(const char* name) {
        return window_.findChild<Widget*>(QString::fromLatin1(name));
    }
    const RunState& state() { return window_.workspace()->session()->model()->state(); }
    bool over() { return state().end.has_value() && !window_.workspace()->session()->live(); }

    void start(int epochs) {
        const QString job = qs(job_).replace(u"epochs: 4"_s, u"epochs: %1"_s.arg(epochs));
        window_.launch_page()->set_job_text(ss(job), "mnist.yaml");
        window_.show_page(MainWindow::Page::Launch);
        auto* start = find<QPushButton>("startButton");
        wait_until("the job", kStartMs, [&] { return start->isEnabled(); });
        take("launch");
        start->click();
    }

    void fleet() {
        Fleet* fleet = window_.workspace()->fleet();
        wait_until("the fleet", kStartMs,
                   [&] { return fleet->loaded() && window_.workspace()->store_settled(); });
        fleet->probe_all();
        wait_until("a probe", kStartMs, [&] {
            const auto& nodes = fleet->model()->nodes();
            return std::all_of(nodes.begin(), nodes.end(), [](const auto& node) {
                return node.state == ProbeState::Ready || node.spec.name == kLocalNodeName;
            });
        });
        take("fleet");
    }

    void blocked_port() {
        on_node("node1", kDropMasterPort);
        start(2);
        wait_until("the refusal", kStartMs, [&] { return over(); });
        find<QPushButton>("failurePairs")->click();
        take("blocked-port");
        on_node("node1", kPassMasterPort);
    }

    void run() {
        start(4);
        wait_until("the run", kTrainMs, [&] { return state().progress() >= kPictureAt || over(); });
        window_.show_page(MainWindow::Page::Live);
        take("live");
        wait_until("the end of the run", kTrainMs, [&] { return over(); });
    }

    void stopped_rank() {
        start(1000);
        wait_until("a step", kTrainMs, [&] { return state().slowest_step() >= 60 || over(); });
        on_node("node3", "kill -STOP $(pgrep -f 'rankscope-worker.*--config' | head -n 1)");
        wait_until("the verdict", kStartMs, [&] { return window_.live_page()->banner()->isVisible(); });
        take("stopped-rank");
        on_node("node3", "kill -CONT $(pgrep -f 'rankscope-worker.*--config' | head -n 1)");
        find<QPushButton>("stopButton")->click();
        wait_until("the stop", kStartMs, [&] { return over(); });
    }

    void nccl_map() {
        const QString log = data_.filePath(u"nccl.log"_s);
        std::ofstream(ss(log)) << testing::nccl_log(
            {.nodes = 2, .gpus = 8, .channels = 4, .all_devices = true, .host = "node"});
        window_.show_page(MainWindow::Page::Logs);
        window_.logs_page()->open({ss(log)});
        wait_until("the map", kStartMs, [&] { return window_.logs_page()->data().snapshot()->complete; });
        const auto* lines = find<FileLog>("fileLog");
        wait_until("the log", kStartMs,
                   [&] { return !lines->lines().reading() && !lines->merged().merging(); });
        find<QTabWidget>("logsTabs")->setCurrentIndex(0);
        find<QSplitter>("logsColumns")->setSizes({2 * kSize.width() / 3, kSize.width() / 3});
        take("nccl-map");
    }

    QString folder_;
    std::string job_;
    QTemporaryDir data_;
    MainWindow window_;
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setOrganizationName(u"rankscope-shots"_s);
    QApplication::setApplicationName(u"rankscope"_s);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    const QStringList arguments = QApplication::arguments();
    std::ifstream job(arguments.value(2).toStdString());
    if (arguments.size() != 3 || !job || !qEnvironmentVariableIsSet("RANKSCOPE_TEST_CLUSTER")) {
        std::fprintf(stderr,
                     "readme_shots DIR JOB, within a virtual cluster: docs/screenshots/make starts it\n");
        return 2;
    }
    QDir().mkpath(arguments[1]);
    try {
        Shots(arguments[1], {std::istreambuf_iterator<char>(job), {}}).make();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "readme_shots: %s\n", error.what());
        return 1;
    }
    return 0;
}
