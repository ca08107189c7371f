// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// From two bare machines to a finished MNIST run, by simulated clicks on the real window. Runs at the desk of
// a virtual cluster whose host keys are unknown (tests/cluster/vcluster.py run --nodes 2 --unknown-hosts
// -- e2e_two_nodes). RANKSCOPE_SCREENSHOTS names a folder for a picture of every stage.

#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/models/fleet_model.h>
#include <gui/session/workspace.h>

#include <nlohmann/json.hpp>
#include <tests/gui/gui_test.h>
#include <tests/gui/stall.h>

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
#include <QRegularExpression>
#include <QScreen>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTextEdit>
#include <QToolButton>
#include <QWindow>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

constexpr int kConnectMs = 60'000;
constexpr int kTrainMs = 540'000;
const char* const kMnist = "/srv/datasets/mnist";

class TwoNodes : public ::testing::Test {
protected:
    void SetUp() override {
        std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
        cluster_ = nlohmann::json::parse(file);
        options_.inventory_file = cluster_.at("inventory").get<std::string>();
        options_.data_dir = ss(folder_.path());
        open_window();
    }
    void open_window() {
        window_ = std::make_unique<MainWindow>(options_);
        window_->resize(1280, 800);
        window_->move(0, 0);
        window_->show();
        ASSERT_TRUE(wait_until([&] { return fleet()->loaded() && window_->workspace()->store_settled(); }));
    }
    /// As wait_until, and trusts hosts that ask meanwhile (when a test runs by itself).
    bool wait_run(const std::function<bool()>& condition, int limit_ms = kTrainMs) {
        return wait_until(
            [&] {
                auto* accept = window_->findChild<QPushButton*>(u"hostKeyAccept"_s);
                if (accept && accept->isVisible() && accept->isEnabled()) {
                    click(accept);
                }
                return condition();
            },
            limit_ms);
    }
    QDialog* wait_dialog(const char* name) {
        QDialog* dialog = nullptr;
        EXPECT_TRUE(wait_until([&] {
            dialog = window_->findChild<QDialog*>(QString::fromLatin1(name));
            return dialog && dialog->isVisible() && dialog->windowHandle() &&
                   dialog->windowHandle()->isExposed();
        })) << name;
        return dialog;
    }
    /// Starts the planned run and waits until it trains.
    void start_until_training() {
        ASSERT_NO_FATAL_FAILURE(plan());
        click(find<QPushButton>("startButton"));
        ASSERT_TRUE(wait_run([&] { return run().progress() > 0.05 || run().end.has_value(); }));
        ASSERT_FALSE(run().end.has_value()) << run().end->detail;
    }

    Fleet* fleet() { return window_->workspace()->fleet(); }
    const RunState& run() { return window_->workspace()->session()->model()->state(); }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    QString text(const char* name) { return find<QLabel>(name)->text(); }

    void picture(const char* name) {
        const QString folder = qEnvironmentVariable("RANKSCOPE_SCREENSHOTS");
        if (folder.isEmpty()) {
            return;
        }
        QDir().mkpath(folder);
        QApplication::processEvents();
        for (QWidget* top : QApplication::topLevelWidgets()) {
            if (top->isVisible()) {
                top->repaint();
            }
        }
        QApplication::processEvents();
        const bool real = QGuiApplication::platformName() == u"xcb"_s;
        const QPixmap shot = real ? window_->screen()->grabWindow(0) : window_->grab();
        EXPECT_TRUE(shot.save(folder % u'/' % QString::fromLatin1(name) % u".png"_s));
    }

    void tick_node(const QString& name, bool on) {
        auto* list = find<QListWidget>("launchNodes");
        for (int row = 0; row < list->count(); ++row) {
            if (list->item(row)->data(Qt::UserRole).toString() == name) {
                list->setCurrentRow(row);
                if ((list->item(row)->checkState() == Qt::Checked) != on) {
                    QTest::keyClick(list, Qt::Key_Space);
                }
                EXPECT_EQ(list->item(row)->checkState() == Qt::Checked, on);
                return;
            }
        }
        FAIL() << "no node " << name.toStdString();
    }

    void paste(const QString& line);
    const MetricSeries& series(std::size_t rank) {
        return window_->live_page()->shown()->data().series.at(rank);
    }
    const MetricColumn& column(std::size_t rank, const char* name) {
        const auto id = window_->live_page()->shown()->state().metrics.find(name);
        EXPECT_TRUE(id) << name;
        return series(rank).column(id.value_or(MetricId{}));
    }
    void run_script(const QString& line);

    void probe_and_trust();
    void plan();
    void start_and_watch();
    void reopen();

    nlohmann::json cluster_;
    QTemporaryDir folder_;
    Options options_;
    std::unique_ptr<MainWindow> window_;
    bool mnist_ = std::filesystem::exists(kMnist);
};

void TwoNodes::probe_and_trust() {
    picture("01-fleet");
    click(find<QPushButton>("probeAll"));
    QTableWidget* keys = nullptr;
    ASSERT_TRUE(wait_until(
        [&] {
            keys = window_->findChild<QTableWidget*>(u"hostKeyTable"_s);
            return keys && keys->rowCount() == 2;
        },
        kConnectMs))
        << "both unknown hosts ask in one dialog";
    for (int row = 0; row < 2; ++row) {
        EXPECT_TRUE(keys->item(row, 3)->text().startsWith(u"SHA256:"_s));
    }
    picture("02-host-keys");
    auto* accept = window_->findChild<QPushButton*>(u"hostKeyAccept"_s);
    ASSERT_TRUE(wait_until([&] { return accept->isEnabled(); }));
    click(accept);
    const auto state = [&](const char* node) { return fleet()->model()->find(node)->state; };
    ASSERT_TRUE(wait_until(
        [&] {
            return state("node1") == ProbeState::Ready && state("node2") == ProbeState::Ready &&
                   state("local") == ProbeState::Ready;
        },
        kConnectMs))
        << probe_state_text(*fleet()->model()->find("node1")).toStdString() << " / "
        << probe_state_text(*fleet()->model()->find("node2")).toStdString() << " / "
        << probe_state_text(*fleet()->model()->find("local")).toStdString();
    find<QTableView>("fleetTable")->selectRow(1);
    EXPECT_TRUE(find<QTextEdit>("nodeFacts")->toPlainText().contains(u"node1"_s));
    picture("03-fleet-ready");
    const std::int64_t probed = fleet()->model()->find("node1")->sample_us();
    ASSERT_TRUE(wait_until([&] { return fleet()->model()->find("node1")->sample_us() > probed; }, 30000))
        << "the figures of a ready node are read again while the page is visible";
}

void TwoNodes::plan() {
    click(find<QToolButton>("navLaunch"));
    tick_node(u"local"_s, false);
    tick_node(u"node1"_s, true);
    tick_node(u"node2"_s, true);
    type_into(find<QLineEdit>("launchName"), u"two-nodes"_s);
    auto* dataset = find<QComboBox>("launchDataset");
    dataset->setCurrentText(mnist_ ? u"mnist"_s : u"synthetic-digits"_s);
    type_into(find<QLineEdit>("launchRoot"), mnist_ ? QString::fromLatin1(kMnist) : QString());
    type_into(find<QLineEdit>("launchEpochs"), u"2"_s);
    type_into(find<QLineEdit>("launchLr"), u"0.01"_s);
    type_into(find<QLineEdit>("launchMomentum"), u"0.9"_s);
    auto* table = find<QTableView>("planTable");
    const auto node_of_rank = [&](int rank) { return table->model()->index(rank, 1).data().toString(); };
    ASSERT_TRUE(wait_until([&] { return node_of_rank(0) == u"node1"_s && node_of_rank(1) == u"node2"_s; }))
        << text("startReason").toStdString();
    EXPECT_EQ(table->model()->rowCount(), 2);
    ASSERT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << text("startReason").toStdString();
    picture("04-launch");
}

void TwoNodes::start_and_watch() {
    QElapsedTimer clock;
    clock.start();
    Heartbeat heartbeat;
    click(find<QPushButton>("startButton"));
    const Stall stall = heartbeat.stall();
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_LT(stall.own_ms, 500) << "the click blocks the window: " << stall.longest_ms << " ms in all, "
                                 << stall.blocked_ms << " of them waiting";
    int pictures = 0;
    std::size_t done = 0;
    const auto stages_done = [&] {
        return std::size_t(std::count_if(run().stages.begin(), run().stages.end(),
                                         [](const StageState& s) { return s.done; }));
    };
    ASSERT_TRUE(wait_until(
        [&] {
            if (stages_done() > done) {
                done = stages_done();
                picture(("05-live-stage-" + std::to_string(++pictures)).c_str());
            }
            return !run().ranks.empty() && !window_->live_page()->shown()->data().series[0].empty()
                       ? true
                       : run().end.has_value();
        },
        kConnectMs));
    std::printf("first loss %.2f s after Start\n", double(clock.elapsed()) / 1e3);
    ASSERT_FALSE(run().end && run().end->outcome == Outcome::Failed) << run().end->detail;
    ASSERT_TRUE(wait_until([&] { return run().progress() > 0.3 || run().end.has_value(); }, kTrainMs));
    picture("06-live-training");
    EXPECT_TRUE(text("rankSummary").contains(u"2 "_s)) << text("rankSummary").toStdString();
    EXPECT_TRUE(find<QPushButton>("stopButton")->isVisible());
    ASSERT_TRUE(wait_until([&] { return !window_->workspace()->session()->live(); }, kTrainMs));
    QTest::qWait(0);
    picture("07-live-done");
    for (const StageState& stage : run().stages) {
        std::printf("stage %-11s %.2f s\n", to_string(stage.name),
                    double(stage.end_us - stage.begin_us) / 1e6);
        EXPECT_TRUE(stage.done) << to_string(stage.name);
    }
    EXPECT_EQ(run().outcome, Outcome::Done) << (run().end ? run().end->detail : "");
    EXPECT_EQ(text("runOutcome"), u"done"_s);
    EXPECT_EQ(text("rankSummary"), u"2 done"_s);
    EXPECT_FALSE(find<QPushButton>("stopButton")->isVisible());
    ASSERT_EQ(run().validations.size(), 2U);
    std::printf("validation accuracy %.4f\n", run().validations.back().acc1);
    EXPECT_GE(run().validations.back().acc1, mnist_ ? 0.97 : 0.8);
    EXPECT_FALSE(run().ranks[0].params.empty());
    EXPECT_EQ(run().ranks[0].params, run().ranks[1].params) << "the same parameters everywhere";
}

void TwoNodes::reopen() {
    const LiveData& shown = window_->live_page()->shown()->data();
    const std::vector<MetricSeries> series = shown.series;
    const MetricNames metrics = shown.state.metrics;
    const std::uint64_t events = shown.events;
    click(find<QToolButton>("navRuns"));
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] {
        return table->model()->rowCount() == 1 && table->model()->index(0, 5).data().toString() == u"done"_s;
    }));
    EXPECT_EQ(table->model()->index(0, 0).data().toString(), u"two-nodes"_s);
    picture("08-runs");
    window_->workspace()->runs()->close(window_->workspace()->session());  // else its tab comes to the front
    table->selectRow(0);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    const LiveData& stored = window_->live_page()->shown()->data();
    ASSERT_FALSE(window_->live_page()->showing_session());
    ASSERT_EQ(stored.series.size(), series.size());
    for (const std::string& name : metrics.all()) {
        for (std::size_t rank = 0; rank < series.size(); ++rank) {
            const MetricColumn& then = series[rank].column(*metrics.find(name));
            const MetricColumn& now = stored.series[rank].column(*stored.state.metrics.find(name));
            ASSERT_EQ(now.size(), then.size()) << name;
            for (std::size_t i = 0; i < then.size(); ++i) {
                ASSERT_EQ(now.at(i), then.at(i)) << name;
            }
        }
    }
    EXPECT_EQ(stored.events, events);
    EXPECT_EQ(text("runOutcome"), u"done"_s);
    picture("09-reopened");
}

/// A command on a node of the cluster.
int on_node(const QString& node, const QStringList& command) {
    return QProcess::execute(
        u"python3"_s, QStringList{QStringLiteral(RANKSCOPE_VCLUSTER), u"exec"_s, node, u"--"_s} + command);
}

TEST_F(TwoNodes, FromUnknownHostsToAFinishedRunAndBack) {
    ASSERT_NO_FATAL_FAILURE(probe_and_trust());
    ASSERT_NO_FATAL_FAILURE(plan());
    ASSERT_NO_FATAL_FAILURE(start_and_watch());
    ASSERT_NO_FATAL_FAILURE(reopen());
}

TEST_F(TwoNodes, AKilledRankIsNamedInTheWindow) {
    ASSERT_NO_FATAL_FAILURE(start_until_training());
    // Its log has its process number.
    QString pid;
    for (const LogLine& line : window_->live_page()->shown()->data().log.lines_of(1, 100)) {
        const auto match = QRegularExpression(u"\\bpid (\\d+)"_s).match(qs(line.text));
        pid = match.hasMatch() ? match.captured(1) : pid;
    }
    ASSERT_FALSE(pid.isEmpty());
    ASSERT_EQ(on_node(u"node2"_s, {u"kill"_s, u"-KILL"_s, pid}), 0);
    ASSERT_TRUE(wait_run([&] { return !window_->workspace()->session()->live(); }, kConnectMs));
    EXPECT_TRUE(find<QWidget>("failureBanner")->isVisible());
    EXPECT_TRUE(text("failureTitle").contains(u"Rank 1 on node2 was killed by signal 9 (SIGKILL)"_s))
        << text("failureTitle").toStdString();
    EXPECT_EQ(text("runOutcome"), u"failed: rank 1"_s);
    // The other one lost its peer or was stopped, whichever came first.
    EXPECT_EQ(run().ranks[1].phase, RankPhase::Failed);
    EXPECT_TRUE(text("rankSummary").contains(u"failed"_s));
    picture("10-killed");
    auto* of_rank = find<QPushButton>("failureLog");
    if (!of_rank->isVisible()) {
        click(find<QPushButton>("failureWhy"));
    }
    ASSERT_TRUE(wait_until([&] {
        return window_->childAt(of_rank->mapTo(window_.get(), of_rank->rect().center())) == of_rank;
    })) << "it is in view";
    click(of_rank);
    EXPECT_EQ(find<QComboBox>("logRank")->currentData().toInt(), 1);
}

TEST_F(TwoNodes, StopEndsTheRun) {
    ASSERT_NO_FATAL_FAILURE(start_until_training());
    click(find<QPushButton>("stopButton"));
    EXPECT_TRUE(find<QPushButton>("stopButton")->text().contains(u"Force"_s));
    ASSERT_TRUE(wait_run([&] { return !window_->workspace()->session()->live(); }, kConnectMs));
    EXPECT_EQ(text("runOutcome"), u"stopped"_s);
    EXPECT_FALSE(find<QWidget>("failureBanner")->isVisible());
    picture("11-stopped");
}

TEST_F(TwoNodes, APausedRunWaitsAndIsContinuedAndRunAgain) {
    ASSERT_NO_FATAL_FAILURE(start_until_training());
    auto* pause = find<QPushButton>("pauseButton");
    ASSERT_TRUE(wait_run([&] { return pause->isEnabled() || run().end.has_value(); }));
    EXPECT_EQ(pause->text(), u"&Pause"_s);
    click(pause);
    EXPECT_EQ(pause->text(), u"&Continue"_s) << "at once: it can be taken back before the nodes answer";
    ASSERT_TRUE(wait_run([&] { return text("runOutcome") == u"paused"_s; }, kConnectMs))
        << text("runOutcome").toStdString();
    EXPECT_TRUE(run().all_paused());
    picture("14-paused");
    // Every step that was written before is here once the sampler of each node has spoken twice more.
    const auto sampled = [&](const char* node) {
        const auto it = run().samples.find(node);
        return it == run().samples.end() ? 0 : it->second.values.at("load1").count;
    };
    const auto wait_samples = [&] {
        const auto first = sampled("node1") + 2;
        const auto second = sampled("node2") + 2;
        return wait_run([&] { return sampled("node1") >= first && sampled("node2") >= second; }, kConnectMs);
    };
    ASSERT_TRUE(wait_samples());
    const std::int64_t step = run().ranks[0].step;
    ASSERT_TRUE(wait_samples());
    EXPECT_EQ(run().ranks[0].step, step) << "nothing moves in a pause";
    click(pause);
    ASSERT_TRUE(wait_run([&] { return run().ranks[0].step > step || run().end.has_value(); }, kConnectMs));
    // Rank 0 may train before the answer of the other node is here.
    EXPECT_TRUE(wait_run([&] { return run().paused.empty() || run().end.has_value(); }, kConnectMs));
    EXPECT_FALSE(run().end.has_value());
    EXPECT_NE(text("runOutcome"), u"paused"_s);
    click(find<QPushButton>("stopButton"));
    ASSERT_TRUE(wait_run([&] { return !window_->workspace()->session()->live(); }, kConnectMs));
    EXPECT_FALSE(pause->isVisible());

    auto* again = find<QPushButton>("againButton");
    ASSERT_TRUE(again->isVisible());
    click(again);
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"two-nodes"_s);
    EXPECT_EQ(find<QLineEdit>("launchMomentum")->text(), u"0.9"_s);
    EXPECT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << text("startReason").toStdString();
}

TEST_F(TwoNodes, ThisComputerTrainsWithoutSsh) {
    click(find<QToolButton>("navLaunch"));
    find<QComboBox>("launchDataset")->setCurrentText(mnist_ ? u"mnist"_s : u"synthetic-digits"_s);
    type_into(find<QLineEdit>("launchRoot"), mnist_ ? QString::fromLatin1(kMnist) : QString());
    ASSERT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << text("startReason").toStdString();
    QElapsedTimer clock;
    clock.start();
    click(find<QPushButton>("startButton"));
    // The probe of this computer may end just now: then the run begins once it is planned again.
    const auto drawn = [&] {
        const auto* shown = window_->live_page()->shown();
        return shown != nullptr && !shown->data().series.empty() && !shown->data().series[0].empty();
    };
    ASSERT_TRUE(wait_run([&] { return drawn() || run().end.has_value(); }, kConnectMs));
    std::printf("first loss %.2f s after Start, this computer\n", double(clock.elapsed()) / 1e3);
    ASSERT_TRUE(drawn()) << (run().end ? run().end->detail : "");
    click(find<QPushButton>("stopButton"));
    ASSERT_TRUE(wait_run([&] { return !window_->workspace()->session()->live(); }, kConnectMs));
    EXPECT_EQ(text("runOutcome"), u"stopped"_s);
}

TEST_F(TwoNodes, ARunIsLeftRunningAndTakenUpAgain) {
    ASSERT_NO_FATAL_FAILURE(start_until_training());
    const std::int64_t left_at = run().ranks[0].step;
    window_->close();
    QDialog* ask = wait_dialog("closeDialog");
    picture("12-closing");
    click(child<QPushButton>(ask, "closeLeave"));
    ASSERT_TRUE(wait_until([&] { return !window_->isVisible(); }));
    window_.reset();

    ASSERT_NO_FATAL_FAILURE(open_window());
    click(find<QToolButton>("navRuns"));
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 1; }));
    EXPECT_EQ(table->model()->index(0, 5).data().toString(), u"running"_s);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_run([&] { return window_->page() == MainWindow::Page::Live; }, kConnectMs));
    EXPECT_TRUE(window_->live_page()->showing_session());
    ASSERT_TRUE(wait_run([&] { return run().ranks[0].step > left_at + 20 || run().end.has_value(); }));
    picture("13-attached");
    for (std::size_t rank = 0; rank < window_->live_page()->shown()->data().series.size(); ++rank) {
        const StepAxis& steps = column(rank, "loss").steps();
        EXPECT_EQ(steps.at(0), 1);
        EXPECT_EQ(steps.last(), std::int64_t(steps.size())) << "every step, none missing, none twice";
    }
    if (!run().end) {
        click(find<QPushButton>("stopButton"));
    }
    ASSERT_TRUE(wait_run([&] { return !window_->workspace()->session()->live(); }, kConnectMs));
}

// A command line of another launcher, pasted into Launch for the two nodes.
void TwoNodes::paste(const QString& line) {
    click(find<QToolButton>("navLaunch"));
    tick_node(u"local"_s, false);
    tick_node(u"node1"_s, true);
    tick_node(u"node2"_s, true);
    click(find<QPushButton>("pasteJob"));
    QDialog* dialog = wait_dialog("pasteDialog");
    ASSERT_NE(dialog, nullptr);
    QTest::keyClicks(child<QPlainTextEdit>(dialog, "pasteLine"), line);
    auto* use = child<QPushButton>(dialog, "pasteOk");
    ASSERT_TRUE(use->isEnabled()) << line.toStdString();
    click(use);
    ASSERT_TRUE(wait_run([&] { return find<QPushButton>("startButton")->isEnabled(); }, kConnectMs))
        << text("startReason").toStdString();
}

void TwoNodes::run_script(const QString& line) {
    ASSERT_NO_FATAL_FAILURE(paste(line));
    click(find<QPushButton>("startButton"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    ASSERT_TRUE(wait_run([&] { return run().end.has_value() && !window_->workspace()->session()->live(); }));
    ASSERT_EQ(run().outcome, Outcome::Done) << run().end->detail;
    ASSERT_EQ(window_->live_page()->shown()->data().series.size(), 2U);
    EXPECT_EQ(text("runOutcome"), u"done"_s);
    EXPECT_FALSE(find<QWidget>("failureBanner")->isVisible());
    QTest::qWait(0);
}

// The founding tutorials' forms (tests/data/scripts): nothing in them knows Rankscope, their lines become
// curves.
TEST_F(TwoNodes, TutorialScriptsTrainWithTheirCurvesByRank) {
    if (QProcess::execute(u"/usr/bin/python3"_s,
                          {u"-c"_s, u"import torch; assert torch.distributed.is_gloo_available()"_s}) != 0) {
        GTEST_SKIP() << "/usr/bin/python3 has no torch with Gloo (Debian: python3-torch)";
    }
    const QString torchrun = u"torchrun --nnodes=2 --nproc-per-node=1 /srv/scripts/"_s;
    ASSERT_NO_FATAL_FAILURE(run_script(torchrun % u"multi_node.py 40"_s));
    for (const std::size_t rank : {0U, 1U}) {
        ASSERT_EQ(column(rank, "loss").size(), 40U) << "rank " << rank;
        EXPECT_EQ(column(rank, "loss").steps().last(), 40);
        EXPECT_GT(column(rank, "loss").at(39), 0);
    }
    EXPECT_NE(column(0, "loss").at(5), column(1, "loss").at(5)) << "each its own";
    picture("14-tutorial-multi-node");

    ASSERT_NO_FATAL_FAILURE(run_script(torchrun % u"mnmc_ddp_launch.py"_s));
    const auto& loss = column(0, "loss");
    const auto& accuracy = column(0, "acc1");
    ASSERT_EQ(column(0, "loss").size(), 8U);
    EXPECT_LT(loss.at(7), loss.at(0));
    EXPECT_GT(accuracy.at(7), accuracy.at(0));
    EXPECT_TRUE(series(1).empty()) << "this script prints on rank 0 only";
    picture("15-tutorial-mnmc");

    ASSERT_NO_FATAL_FAILURE(
        run_script(u"python3 -m torch.distributed.launch --nnodes=2 --nproc_per_node=1 "
                   "/srv/scripts/mnist_dist.py --epochs 2"_s));
    for (const std::size_t rank : {0U, 1U}) {
        ASSERT_EQ(column(rank, "loss").size(), 8U) << "rank " << rank;
        EXPECT_LT(column(rank, "loss").at(7), column(rank, "loss").at(0));
    }
    picture("16-tutorial-mnist");
}

}  // namespace
}  // namespace rankscope::gui::testing
