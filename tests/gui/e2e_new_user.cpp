// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The first hour of a new user, by mouse and keys alone, in a home folder that is empty: first start, machines, key,
// a blocked port and its fix, settings, a run, a killed rank, the verdict, the line in the log, comparison, scaling
// run, export. At the desk of a virtual cluster (tests/cluster/vcluster.py run --nodes 2 --unknown-hosts --
// e2e_new_user). RANKSCOPE_SCREENSHOTS names a folder for a picture of every step.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_view.h>
#include <gui/models/fleet_model.h>
#include <gui/prompts/secret_dialog.h>
#include <gui/session/workspace.h>
#include <gui/settings/language.h>
#include <gui/widgets/focus_ring.h>
#include <gui/widgets/notice_bar.h>

#include <nlohmann/json.hpp>
#include <tests/gui/gui_test.h>
#include <tests/gui/user_hand.h>

#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStandardItemModel>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QToolButton>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

constexpr int kConnectMs = 60'000;
constexpr int kPreflightMs = 60'000;
constexpr int kTrainMs = 180'000;
constexpr int kVerdictMs = 60'000;
constexpr int kMasterPort = 29511;
constexpr int kSteps = 80;
const char* const kMnist = "/srv/datasets/mnist";

/// On a node, as root.
int on_node(const QString& node, const QString& command) {
    return QProcess::execute(u"python3"_s, {QStringLiteral(RANKSCOPE_VCLUSTER), u"exec"_s, u"--root"_s, node,
                                            u"--"_s, u"sh"_s, u"-c"_s, command});
}

/// Qt's warnings are faults of the window; what a screen without a window manager lacks is none.
void take_message(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    const bool of_platform = message.startsWith(u"This plugin does not support"_s) ||
                             message.startsWith(u"QStandardPaths: XDG_RUNTIME_DIR"_s);
    if (type != QtDebugMsg && type != QtInfoMsg && !of_platform) {
        ADD_FAILURE() << "Qt warns: " << qPrintable(message);
    }
    std::fprintf(stderr, "%s\n", qPrintable(message));
}

class NewUser : public ::testing::Test {
protected:
    void SetUp() override {
        std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
        const auto cluster = nlohmann::json::parse(file);
        password_ = qs(cluster.at("password").get<std::string>());
        qputenv("HOME", home_.path().toLocal8Bit());
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "SSH_AUTH_SOCK"}) {
            qunsetenv(name);
        }
        ASSERT_TRUE(QSettings().fileName().startsWith(home_.path())) << ss(QSettings().fileName());
        ASSERT_TRUE(QDir(home_.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        qInstallMessageHandler(take_message);
        install_language(qApp, u"en"_s);  // its plurals
        window_ = std::make_unique<MainWindow>(Options{});
        window_->restore_state();
        window_->show();
    }
    void TearDown() override {
        window_.reset();
        qInstallMessageHandler(nullptr);
    }

    /// Does what the user does in a step, takes a picture, and says how long it took. A failure names the step.
    void step(const char* name, const std::function<void()>& act) {
        QElapsedTimer clock;
        clock.start();
        ++step_;
        try {
            act();
        } catch (const StepFailed& failed) {
            picture("failed");
            throw StepFailed("step " + std::to_string(step_) + ", " + name + ": " + failed.what());
        }
        picture(name);
        std::printf("%5.1f s  %2d  %s\n", double(clock.elapsed()) / 1e3, step_, name);
        std::fflush(stdout);
    }
    static void expect(bool fact, const std::string& what) {
        if (!fact) {
            throw StepFailed("it is not so: " + what);
        }
    }
    void picture(const std::string& name);

    template <typename Widget>
    Widget* find(const char* name) {
        auto* found = window_->findChild<Widget*>(QString::fromLatin1(name));
        if (found == nullptr) {
            throw StepFailed(std::string("there is no ") + name);
        }
        return found;
    }
    QString text(const char* name) { return find<QLabel>(name)->text(); }
    template <typename Widget>
    Widget* visible(const char* name) {
        for (auto* widget : window_->findChildren<Widget*>(QString::fromLatin1(name))) {
            if (widget->isVisible() && !widget->visibleRegion().isEmpty()) {
                return widget;
            }
        }
        return nullptr;
    }
    QDialog* wait_dialog(const char* name) {
        expect_soon(
            [&] {
                auto* dialog = visible<QDialog>(name);
                return dialog && dialog->windowHandle() && dialog->windowHandle()->isExposed();
            },
            std::string(name) + " opens");
        return visible<QDialog>(name);
    }
    ProbeState state(const char* node) {
        const FleetNode* found = window_->workspace()->fleet()->model()->find(node);
        return found ? found->state : ProbeState::Failed;
    }
    const RunState& run() { return window_->workspace()->session()->model()->state(); }
    bool live() { return window_->workspace()->session()->live(); }
    std::shared_ptr<const PreflightReport> report() { return window_->workspace()->preflight()->report(); }

    void add_machine(const char* button, const QString& name);
    void install_key();
    void accept_host_keys();
    void answer_questions();
    void tick(const QString& node, bool on);
    void choose_nodes();
    void find_the_blocked_port();
    void apply_the_fix();
    void choose_training();
    void start_run();
    void watch();
    void run_again();
    void kill_a_rank();
    void jump_to_the_line();
    void compare();
    void scale();
    void export_run();

    QTemporaryDir home_;
    QString password_;
    FocusRing focus_ring_{qApp};
    std::unique_ptr<MainWindow> window_;
    int step_ = 0;
    bool mnist_ = std::filesystem::exists(kMnist);
};

void NewUser::picture(const std::string& name) {
    const QString folder = qEnvironmentVariable("RANKSCOPE_SCREENSHOTS");
    if (folder.isEmpty()) {
        return;
    }
    QDir().mkpath(folder);
    QTest::qWait(100);  // layouts that wait for the event loop
    QWidget* shown = QApplication::activeModalWidget();
    shown = shown == nullptr ? window_.get() : shown;
    const bool real = QGuiApplication::platformName() == u"xcb"_s;
    const QPixmap shot = real ? window_->screen()->grabWindow(0) : shown->grab();
    const QString file =
        u"new-user-%1-%2.png"_s.arg(step_, 2, 10, QChar(u'0')).arg(qs(name).replace(u' ', u'-'));
    EXPECT_TRUE(shot.save(folder % u'/' % file)) << ss(file);
}

void NewUser::add_machine(const char* button, const QString& name) {
    hand::click(find<QPushButton>(button));
    QDialog* dialog = wait_dialog("nodeDialog");
    hand::write(child<QLineEdit>(dialog, "nodeName"), name);
    hand::write(child<QLineEdit>(dialog, "nodeUser"), u"root"_s);
    auto* way = child<QLabel>(dialog, "nodeWay");
    expect_soon([&] { return way->text().startsWith(u"Connects as root@"_s); },
                "the dialog says how it will connect", kConnectMs);
    picture("the dialog");
    hand::click(child<QPushButton>(dialog, "nodeOk"));
    expect_soon([&] { return window_->workspace()->fleet()->model()->find(ss(name)) != nullptr; },
                ss(name) + " is in the list");
}

void NewUser::accept_host_keys() {
    wait_dialog("hostKeyDialog");
    expect_soon(
        [&] {
            return find<QTableWidget>("hostKeyTable")->rowCount() == 2 &&
                   find<QPushButton>("hostKeyAccept")->isEnabled();
        },
        "both unknown hosts are asked about in one dialog", kConnectMs);
    picture("host keys");
    hand::click(find<QPushButton>("hostKeyAccept"));
}

void NewUser::install_key() {
    hand::click(find<QPushButton>("sshKey"));
    QDialog* keys = wait_dialog("keyDialog");
    picture("the dialog");
    hand::click(child<QPushButton>(keys, "keyInstall"));
    accept_host_keys();
    auto* table = child<QTableWidget>(keys, "keyTable");
    bool asked = false;
    expect_soon(
        [&] {
            auto* secret = visible<SecretDialog>("secretDialog");
            if (secret && secret->ready() && secret->windowHandle()->isExposed()) {
                if (!asked) {
                    picture("password");
                }
                asked = true;
                hand::type(secret, password_);
                hand::press(secret, Qt::Key_Return);
            }
            return table->item(0, 2)->text() == u"works"_s && table->item(1, 2)->text() == u"works"_s;
        },
        "the new key opens both machines", kConnectMs);
    expect(asked, "the password was asked for");
    picture("installed");
    hand::click(child<QPushButton>(keys, "keyClose"));
}

// Host keys of all nodes at once, then one password for them.
void NewUser::answer_questions() {
    accept_host_keys();
    int asked = 0;
    expect_soon(
        [&] {
            auto* secret = visible<SecretDialog>("secretDialog");
            if (secret && secret->ready() && secret->windowHandle()->isExposed()) {
                ++asked;
                hand::type(secret, password_);
                hand::press(secret, Qt::Key_Return);
            }
            return window_->page() == MainWindow::Page::Launch;
        },
        "the key is installed and Launch opens", kConnectMs);
    expect(asked == 1, "the password was asked for once");
}

void NewUser::tick(const QString& node, bool on) {
    auto* list = find<QListWidget>("launchNodes");
    for (int row = 0; row < list->count(); ++row) {
        if (list->item(row)->data(Qt::UserRole).toString() == node) {
            hand::click_row(list, row);
            if ((list->item(row)->checkState() == Qt::Checked) != on) {
                hand::press(list, Qt::Key_Space);
            }
            expect((list->item(row)->checkState() == Qt::Checked) == on, ss(node) + " is ticked as wanted");
            return;
        }
    }
    throw StepFailed("Launch lists no " + ss(node));
}

void NewUser::choose_nodes() {
    hand::click(find<QToolButton>("navLaunch"));
    tick(u"local"_s, false);
    tick(u"node1"_s, true);
    tick(u"node2"_s, true);
    hand::write(find<QLineEdit>("launchPort"), QString::number(kMasterPort));
    hand::write(find<QLineEdit>("launchName"), u"first-run"_s);
    auto* table = find<QTableView>("planTable");
    expect_soon([&] { return table->model()->rowCount() == 2; }, "the plan has two ranks");
    expect_soon([&] { return find<QPushButton>("startButton")->isEnabled(); },
                "Start is enabled; the page says: " + ss(text("startReason")));
}

void NewUser::find_the_blocked_port() {
    hand::click(find<QPushButton>("preflightCheck"));
    expect_soon([&] { return report() != nullptr; }, "the nodes are checked", kPreflightMs);
    expect(any_failed(report()->checks), "the check finds the blocked port");
    picture("launch");
    hand::click(find<QPushButton>("preflightDoctor"));
    expect(window_->page() == MainWindow::Page::Doctor, "Doctor is open");
    expect(report()->checks.front().id == FailureId("master-port-dropped"),
           "the first fault is the port, but: " + report()->checks.front().detail);
}

void NewUser::apply_the_fix() {
    const auto before = report();
    expect_soon([&] { return visible<QPushButton>("fixApply") != nullptr; }, "a fix can be applied");
    hand::click(visible<QPushButton>("fixApply"));
    QDialog* dialog = wait_dialog("applyDialog");
    picture("the dialog");
    hand::click(child<QPushButton>(dialog, "applyConfirm"));
    expect_soon([&] { return report() != nullptr && report() != before; }, "Doctor checks again by itself",
                kPreflightMs);
    expect(!any_failed(report()->checks), "no check fails: " + report()->checks.front().detail);
}

void NewUser::choose_training() {
    hand::click(find<QToolButton>("navLaunch"));
    auto* device = find<QComboBox>("launch.train.device");
    const int gpu = device->findData(u"cuda"_s);
    const auto* model = qobject_cast<QStandardItemModel*>(device->model());
    expect(!model->item(gpu)->isEnabled() && device->itemText(gpu).contains(u"has no GPU"_s),
           "the GPU cannot be chosen, and the list says why: " + ss(device->itemText(gpu)));
    hand::choose(device, u"cpu"_s);
    hand::choose(find<QComboBox>("launch.train.precision"), u"fp32"_s);
    hand::choose(find<QComboBox>("launchDataset"), mnist_ ? u"mnist"_s : u"synthetic-digits"_s);
    if (mnist_) {
        hand::write(find<QLineEdit>("launchRoot"), QString::fromLatin1(kMnist));
    }
    hand::write(find<QLineEdit>("launchBatch"), u"20"_s);
    hand::choose(find<QComboBox>("launch.train.schedule.name"), u"cos"_s);
    picture("schedule");
    hand::click(find<QToolButton>("launchMore"));
    hand::write(find<QLineEdit>("launch.train.max_steps"), QString::number(kSteps));
    expect_soon([&] { return find<QPushButton>("startButton")->isEnabled(); }, "Start is enabled");
    const std::string yaml = to_yaml(window_->launch_page()->job());
    for (const char* part : {"device: cpu", "precision: fp32", "name: cos", "max_steps: 80"}) {
        expect(yaml.find(part) != std::string::npos, std::string("the job says ") + part + ":\n" + yaml);
    }
}

void NewUser::start_run() {
    QElapsedTimer clock;
    clock.start();
    hand::click(find<QPushButton>("startButton"));
    expect(clock.elapsed() < 2000, "the click does not block the window");
    expect_soon([&] { return window_->page() == MainWindow::Page::Live; }, "Live is open", kConnectMs);
    expect_soon([&] { return run().slowest_step() >= 20 || run().end.has_value(); }, "the ranks train",
                kTrainMs);
    expect(!run().end || run().end->outcome == Outcome::Done,
           "it runs: " + (run().end ? run().end->detail : ""));
}

void NewUser::watch() {
    auto* ranks = find<QTableView>("rankTable");
    hand::click_row(ranks, 1);
    expect_soon([&] { return run().slowest_step() >= kSteps / 2 || run().end.has_value(); },
                "half of it is done", kTrainMs);
    picture("half");
    expect_soon([&] { return !live(); }, "the run ends", kTrainMs);
    expect(run().outcome == Outcome::Done, "it is done: " + (run().end ? run().end->detail : ""));
    expect_soon([&] { return text("runOutcome") == u"done"_s && text("rankSummary") == u"2 done"_s; },
                "the header says so");
    expect(!find<QWidget>("failureBanner")->isVisible(), "nothing is reported");
}

void NewUser::run_again() {
    hand::click(find<QPushButton>("againButton"));
    expect(window_->page() == MainWindow::Page::Launch, "Launch is open");
    hand::write(find<QLineEdit>("launchName"), u"second-run"_s);
    hand::write(find<QLineEdit>("launchLr"), u"0.02"_s);
    hand::write(find<QLineEdit>("launchEpochs"), u"50"_s);
    hand::write(find<QLineEdit>("launch.train.max_steps"), {});
    expect_soon([&] { return find<QPushButton>("startButton")->isEnabled(); }, "Start is enabled");
    start_run();
}

void NewUser::kill_a_rank() {
    const int killed =
        on_node(u"node2"_s, u"kill -KILL $(pgrep -f 'rankscope-worker.*--config' | head -n 1)"_s);
    expect(killed == 0, "the test kills the rank on node2");
    expect_soon([&] { return !live(); }, "the run ends on both nodes", kVerdictMs);
    expect_soon([&] { return find<QWidget>("failureBanner")->isVisible(); }, "a verdict is shown");
    expect(text("failureTitle").contains(u"Rank 1 on node2 was killed by signal 9 (SIGKILL)"_s),
           "the verdict names rank 1: " + ss(text("failureTitle")));
    expect(text("runOutcome") == u"failed: rank 1"_s,
           "the header says failed, and who: " + ss(text("runOutcome")));
}

void NewUser::jump_to_the_line() {
    QString line;
    if (auto* why = find<QPushButton>("failureWhy"); !find<QTextBrowser>("failureLines")->isVisible()) {
        hand::click(why);
    }
    expect_soon([&] { return !(line = hand::click_link(find<QTextBrowser>("failureLines"))).isEmpty(); },
                "a line of the verdict is a link");
    const LogView* log = window_->live_page()->log()->view();
    const auto is_there = [&] {
        for (std::uint32_t row = log->first_visible_row(); row <= log->last_visible_row(); ++row) {
            if (log->row_rect(row).isValid() && log->current_line() == log->rows()->line(row)) {
                return log->row_text(row).contains(line.section(u": "_s, -1).trimmed().left(40));
            }
        }
        return false;
    };
    expect_soon(is_there, "the log shows the line and has its cursor there: " + ss(line));
}

void NewUser::compare() {
    hand::click(find<QToolButton>("navRuns"));
    auto* table = find<QTableView>("runsTable");
    expect_soon([&] { return table->model()->rowCount() == 2; }, "both runs are listed");
    hand::click_row(table, 0);
    hand::click_row(table, 1, Qt::ControlModifier);
    picture("two selected");
    hand::click(find<QPushButton>("compareRuns"));
    auto* values = find<QTableView>("compareValues");
    expect_soon([&] { return values->isVisible() && values->model()->rowCount() > 0; },
                "the differences are listed");
    QStringList keys;
    for (int row = 0; row < values->model()->rowCount(); ++row) {
        keys += values->model()->index(row, 1).data().toString();
    }
    expect(keys.filter(u"lr"_s).size() > 0 && keys.filter(u"epochs"_s).size() > 0,
           "the learning rate and the epochs differ: " + ss(keys.join(u' ')));
}

void NewUser::scale() {
    hand::click(find<QPushButton>("compareBack"));
    auto* table = find<QTableView>("runsTable");
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        if (table->model()->index(row, 0).data().toString() == u"first-run"_s) {
            hand::click_row(table, row);
        }
    }
    hand::click(find<QPushButton>("scalingRun"));
    QDialog* dialog = wait_dialog("scalingDialog");
    hand::write(child<QWidget>(dialog, "scalingSeconds"), u"4"_s);
    hand::click(child<QPushButton>(dialog, "scalingStart"));
    auto* said = child<QLabel>(dialog, "scalingState");
    expect_soon([&] { return said->text().contains(u"measured"_s); }, "the first size is measured", kTrainMs);
    picture("measuring");
    expect(!find<QWidget>("attachBar")->isVisible(), "its own runs are not offered to attach to");
    expect_soon([&] { return said->text().startsWith(u"Stored with the tag"_s); }, "both sizes are measured",
                kTrainMs);
    auto* sizes = child<QTableWidget>(dialog, "scalingTable");
    expect(sizes->rowCount() == 2, "one rank and two ranks were measured");
    for (int row = 0; row < 2; ++row) {
        expect(sizes->item(row, 4)->text().endsWith(u'%'),
               "there is an efficiency: " + ss(sizes->item(row, 4)->text()) + ", " +
                   ss(sizes->item(row, sizes->columnCount() - 1)->text()));
    }
    picture("result");
    hand::click(child<QPushButton>(dialog, "scalingClose"));
    expect_soon([&] { return table->model()->rowCount() == 4; }, "the sizes are runs of the list");
}

void NewUser::export_run() {
    const QString file = home_.filePath(u"report.html"_s);
    hand::choose_action(find<QPushButton>("exportRun"), u"export-html"_s);
    QDialog* dialog = wait_dialog("exportDialog");
    picture("the dialog");
    hand::write(child<QLineEdit>(dialog, "fileNameEdit"), file);
    hand::press(dialog, Qt::Key_Return);
    const auto* written = find<NoticeBar>("exportWritten");
    expect_soon([&] { return written->isVisible() && written->text().startsWith(u"Written: "_s); },
                "the window says that it is written");
    QFile report(file);
    expect(report.open(QIODevice::ReadOnly), "the file is there");
    const QByteArray page = report.readAll();
    expect(page.contains("first-run") && page.contains("</html>"), "it is the report of the first run");
}

// Paste, answer, start.
TEST_F(NewUser, TrainsOnTwoNodesInThreeActions) {
    QElapsedTimer clock;
    step("first start", [&] {
        expect_soon([&] { return find<QWidget>("firstSteps")->isVisible(); }, "the first steps are shown");
    });
    clock.start();
    step("paste and set up", [&] {
        hand::click(find<QPushButton>("firstImport"));
        QDialog* dialog = wait_dialog("importDialog");
        child<QPlainTextEdit>(dialog, "importText")->setPlainText(u"root@node1\nroot@node2\n"_s);
        auto* ready = child<QPushButton>(dialog, "importSetUp");
        expect_soon([&] { return ready->isEnabled(); }, "both lines are nodes");
        picture("the list");
        hand::click(ready);
    });
    step("answer", [&] { answer_questions(); });
    step("start", [&] {
        expect_soon([&] { return find<QPushButton>("startButton")->isEnabled(); }, "Start is enabled",
                    kPreflightMs);
        expect(window_->launch_page()->chosen_nodes() == std::vector<std::string>{"node1", "node2"},
               "the job runs on both nodes");
        hand::click(find<QPushButton>("startButton"));
        expect_soon([&] { return run().slowest_step() >= 1 || run().end.has_value(); }, "the ranks train",
                    kTrainMs);
        expect(!run().end || run().end->outcome == Outcome::Done,
               "it runs: " + (run().end ? run().end->detail : ""));
    });
    std::printf("%5.1f s from the list to the first step\n", double(clock.elapsed()) / 1e3);
    hand::click(find<QPushButton>("stopButton"));
    expect_soon([&] { return !live(); }, "the run ends", kTrainMs);
}

TEST_F(NewUser, TrainsOnTwoMachinesFromAnEmptyHome) {
    const QString rules =
        u"printf 'table inet fault { chain input { type filter hook input priority 0; iifname != lo tcp dport %1 drop; }; }' | nft -f -"_s
            .arg(kMasterPort);
    if (on_node(u"node1"_s, rules) != 0) {
        GTEST_SKIP() << "the kernel takes no nftables rules, so no port can be blocked";
    }
    QElapsedTimer clock;
    clock.start();
    step("first start", [&] {
        expect_soon([&] { return find<QWidget>("firstSteps")->isVisible(); }, "the first steps are shown");
        expect_soon([&] { return state("local") == ProbeState::Ready; }, "this computer is ready",
                    kConnectMs);
    });
    step("add machines", [&] {
        add_machine("firstAdd", u"node1"_s);
        expect_soon([&] { return text("firstStep2").startsWith(u"✓"_s); },
                    "the second of the first steps is done");
        add_machine("addNode", u"node2"_s);
    });
    step("install a key", [&] { install_key(); });
    step("probe", [&] {
        hand::click(find<QPushButton>("probeAll"));
        expect_soon(
            [&] { return state("node1") == ProbeState::Ready && state("node2") == ProbeState::Ready; },
            "both machines are ready, without a password", kConnectMs);
    });
    step("choose nodes", [&] { choose_nodes(); });
    step("preflight", [&] { find_the_blocked_port(); });
    step("apply the fix", [&] { apply_the_fix(); });
    step("choose the training", [&] { choose_training(); });
    step("run", [&] { start_run(); });
    step("watch", [&] { watch(); });
    step("run again", [&] { run_again(); });
    step("kill a rank", [&] { kill_a_rank(); });
    step("jump to the line", [&] { jump_to_the_line(); });
    step("compare", [&] { compare(); });
    step("scaling run", [&] { scale(); });
    step("export", [&] { export_run(); });
    std::printf("%5.1f s in all\n", double(clock.elapsed()) / 1e3);
}

}  // namespace
}  // namespace rankscope::gui::testing
