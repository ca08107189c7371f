// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The real window, driven by clicks and keys; nothing outside of a temporary folder is touched.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_view.h>
#include <gui/models/node_samples_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/notice_bar.h>

#include <tests/gui/pages_fixture.h>

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

TEST_F(Pages, KeysLeadToEveryPage) {
    open();
    EXPECT_EQ(window_->page(), MainWindow::Page::Fleet);
    window_->activateWindow();
    ASSERT_TRUE(wait_until([&] { return window_->isActiveWindow(); }));
    for (int i = 3; i >= 0; --i) {
        QTest::keyClick(window_.get(), Qt::Key(Qt::Key_1 + i), Qt::ControlModifier);
        EXPECT_TRUE(wait_until([&] { return int(window_->page()) == i; })) << i;
    }
    click(find<QToolButton>("navRuns"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Runs);
}

TEST_F(Pages, ThisComputerCannotBeRemoved) {
    open();
    find<QTableView>("fleetTable")->selectRow(0);
    EXPECT_FALSE(find<QPushButton>("removeNode")->isEnabled());
    EXPECT_FALSE(find<QPushButton>("editNode")->isEnabled());
    EXPECT_TRUE(find<QPushButton>("probeNode")->isEnabled());
}

TEST_F(Pages, ABrokenInventoryIsShownAndNeverOverwritten) {
    const std::string broken = "nodes:\n  - name: node1\n    prot: 22\n";
    write(inventory_file(), broken);
    open();
    auto* banner = find<NoticeBar>("fleetProblems");
    ASSERT_TRUE(wait_until([&] { return banner->isVisible(); }));
    EXPECT_TRUE(banner->text().contains(u"cluster.yaml:3"_s)) << qPrintable(banner->text());
    EXPECT_TRUE(banner->text().contains(u"prot"_s));
    EXPECT_FALSE(find<QPushButton>("addNode")->isEnabled());
    EXPECT_FALSE(window_->launch_page()->state().is_ready());
    // Even an edit that slips through does not touch the file.
    window_->workspace()->fleet()->save_node("", node_called("new"));
    ASSERT_TRUE(wait_until([&] { return !window_->workspace()->fleet()->busy(); }));
    std::ifstream file(ss(inventory_file()));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), broken);
    write(inventory_file(), "nodes:\n  - name: node1\n");
    click(find<QPushButton>("fleetProblemsAction"));
    EXPECT_TRUE(wait_until([&] { return !banner->isVisible(); }));
}

TEST_F(Pages, EmptyStatesExplainWhatToDoAndLeadThere) {
    open();
    window_->show_page(MainWindow::Page::Live);
    auto* empty = find<QWidget>("liveEmpty");
    EXPECT_TRUE(empty->isVisible());
    click(empty->findChild<QPushButton*>());
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    window_->show_page(MainWindow::Page::Runs);
    EXPECT_FALSE(find<QTableView>("runsTable")->isVisible());
}

TEST_F(Pages, AStoredRunOpensAsItLooked) {
    fill_store({{.id = "a"},
                {.name = "killed",
                 .id = "b",
                 .until = 0.5,
                 .fate = Fate::Killed,
                 .start_us = 1'770'000'000'000'000}});
    open();
    window_->show_page(MainWindow::Page::Runs);
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    EXPECT_EQ(table->model()->index(0, 0).data().toString(), u"killed"_s) << "newest first";
    table->selectRow(0);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_EQ(find<QLabel>("runOutcome")->text(), u"failed: rank 1"_s);
    EXPECT_TRUE(find<QWidget>("failureBanner")->isVisible());
    EXPECT_TRUE(find<QLabel>("failureTitle")->text().contains(u"killed by signal 9 (SIGKILL)"_s));
    EXPECT_EQ(find<QTableView>("rankTable")->model()->rowCount(), 4);
    EXPECT_FALSE(find<QPushButton>("stopButton")->isVisible());
    EXPECT_LE(window_->minimumSizeHint().width(), 1024 - 16) << "with a frame, on a small screen";
    const LiveData expected = synthetic_data({.until = 0.5, .fate = Fate::Killed});
    const LiveModel* shown = window_->live_page()->shown();
    EXPECT_EQ(shown->data().last_step(), expected.last_step());
    EXPECT_EQ(shown->data().log.last_number(), expected.log.last_number());

    // Its culprit's log is one click away, and its last words are found in it.
    click(find<QPushButton>("failureWhy"));
    auto* of_rank = find<QPushButton>("failureLog");
    ASSERT_TRUE(wait_until([&] {
        return window_->childAt(of_rank->mapTo(window_.get(), of_rank->rect().center())) == of_rank;
    })) << "it is in view";
    click(of_rank);
    auto* log = window_->live_page()->log();
    EXPECT_EQ(log->shown_rank(), 1);
    EXPECT_TRUE(log->view()->shown_text().contains(u"! warning: host memory 97 % used"_s));
    type_into(log->search(), u"host memory"_s);
    EXPECT_EQ(log->view()->selected_text(), u"host memory"_s);

    window_->show_page(MainWindow::Page::Runs);
    table->selectRow(1);
    QTest::keyClick(table, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_EQ(find<QLabel>("runOutcome")->text(), u"done"_s);
    EXPECT_FALSE(find<QWidget>("failureBanner")->isVisible());
    EXPECT_TRUE(find<QLabel>("runAccuracy")->text().contains(u"98.45 %"_s));
}

TEST_F(Pages, AStoredRunsJobIsOpenedInLaunch) {
    fill_store({{.name = "older", .id = "a", .steps_per_epoch = 5}});
    open();
    window_->show_page(MainWindow::Page::Runs);
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 1; }));
    click(find<QPushButton>("againRun"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"older"_s);
    EXPECT_EQ(find<QLineEdit>("launchEpochs")->text(), u"7"_s);
    EXPECT_TRUE(find<QLabel>("jobFile")->text().contains(u"older"_s));
    auto* plan = find<QTableView>("planTable");
    ASSERT_TRUE(wait_until([&] { return plan->model()->rowCount() == 3; }))
        << qPrintable(find<QLabel>("startReason")->text());
    EXPECT_TRUE(find<QPlainTextEdit>("planRankText")->toPlainText().contains(u"NCCL_DEBUG=INFO"_s))
        << "what the form has no field for is kept";
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());

    // The same from Live, where the run is open.
    type_into(find<QLineEdit>("launchEpochs"), u"2"_s);
    window_->show_page(MainWindow::Page::Runs);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_FALSE(find<QPushButton>("pauseButton")->isVisible());
    click(find<QPushButton>("againButton"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(find<QLineEdit>("launchEpochs")->text(), u"7"_s);
}

TEST_F(Pages, NoticesAreCountedInTheHeaderAndKeptInTheLog) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    live->show_stored(synthetic_data({.until = 0.2, .fate = Fate::Running, .notices = true}));
    auto* list = find<QWidget>("noticeList");
    auto* counter = find<QPushButton>("noticesButton");
    ASSERT_TRUE(counter->isVisible());
    EXPECT_TRUE(counter->text().startsWith(u"3 "_s)) << ss(counter->text());
    EXPECT_TRUE(counter->font().bold()) << "not looked at yet";
    EXPECT_FALSE(list->isVisible()) << "they take no room";
    click(counter);
    ASSERT_TRUE(list->isVisible());
    EXPECT_FALSE(counter->font().bold());
    const QString text = find<QPlainTextEdit>("noticeText")->toPlainText();
    EXPECT_TRUE(text.contains(u"Rank 3 on node2 was stopped by signal 19"_s)) << qPrintable(text);
    EXPECT_TRUE(text.contains(u"kill -CONT 4242"_s)) << "and what to do about it";
    EXPECT_LT(text.indexOf(u"spool was full"_s), text.indexOf(u"signal 19"_s)) << "newest first";
    EXPECT_FALSE(find<QWidget>("failureBanner")->isVisible()) << "noticed is not failed";
    EXPECT_TRUE(live->log()->view()->shown_text().contains(u"notice: Rank 3 on node2 was stopped"_s));
    click(find<QPushButton>("noticeDismiss"));
    EXPECT_FALSE(list->isVisible());
    live->show_stored(synthetic_data({.id = "other", .until = 0.2, .notices = true}));
    EXPECT_FALSE(list->isVisible());
    EXPECT_TRUE(counter->font().bold()) << "another run's are new";
    live->show_stored(synthetic_data({.id = "third", .until = 0.2}));
    EXPECT_FALSE(list->isVisible());
}

TEST_F(Pages, TheHeadShowsWhetherARunWaitsIsPausedOrSaves) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    auto* outcome = find<QLabel>("runOutcome");
    auto* queue = find<QWidget>("stage-queue");
    auto* activity = find<ElidedLabel>("activityLine");
    live->show_stored(synthetic_data({.id = "a", .fate = Fate::Queued}));
    EXPECT_EQ(outcome->text(), u"in the queue"_s);
    EXPECT_TRUE(queue->isVisible());
    EXPECT_TRUE(activity->full_text().contains(u"Resources"_s)) << qPrintable(activity->full_text());
    EXPECT_TRUE(activity->full_text().contains(u"18:20"_s));
    live->show_stored(synthetic_data({.id = "b", .until = 0.3, .fate = Fate::Paused}));
    EXPECT_EQ(outcome->text(), u"paused"_s);
    EXPECT_FALSE(queue->isVisible()) << "over SSH there is none";
    EXPECT_TRUE(activity->isVisible());
    EXPECT_TRUE(live->log()->view()->shown_text().contains(u"node2: Paused"_s));
    live->show_stored(synthetic_data({.id = "c", .until = 0.3, .fate = Fate::Saving}));
    EXPECT_EQ(outcome->text(), u"saving…"_s);
    EXPECT_TRUE(activity->full_text().contains(u"node1, node2"_s));
    live->show_stored(synthetic_data({.id = "d", .until = 0.3, .fate = Fate::Running}));
    EXPECT_EQ(outcome->text(), u"running"_s);
    EXPECT_FALSE(activity->isVisible());
}

TEST_F(Pages, TelemetryIsALinePerNodeAndItsGpusBelow) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    auto* table = find<QTreeView>("telemetryTable");
    live->show_stored(synthetic_data({.id = "none", .until = 0.2}));
    EXPECT_FALSE(table->isVisible());
    EXPECT_TRUE(find<QLabel>("telemetryEmpty")->isVisible());
    const auto cell = [&](int row, int column, const QModelIndex& parent = {}) {
        return table->model()->index(row, column, parent).data().toString();
    };

    live->show_stored(synthetic_data({.id = "cpu", .until = 0.2, .gpus = 0}));
    ASSERT_TRUE(table->isVisible());
    EXPECT_FALSE(find<QLabel>("telemetryEmpty")->isVisible());
    ASSERT_EQ(table->model()->rowCount(), 2);
    EXPECT_EQ(cell(1, NodeSamplesModel::Node), u"node2"_s);
    EXPECT_TRUE(cell(0, NodeSamplesModel::Cpu).endsWith(u"%"_s));
    EXPECT_TRUE(cell(0, NodeSamplesModel::Memory).endsWith(u"/ 503 GiB"_s)) << qPrintable(cell(0, 2));
    EXPECT_TRUE(cell(0, NodeSamplesModel::NetIn).endsWith(u"B/s"_s));
    EXPECT_EQ(cell(0, NodeSamplesModel::Disk), u"812 GiB"_s);
    EXPECT_TRUE(table->isColumnHidden(NodeSamplesModel::GpuUse)) << "no GPU is absent, not zero";
    EXPECT_EQ(table->model()
                  ->index(0, NodeSamplesModel::Cpu)
                  .data(NodeSamplesModel::HistoryRole)
                  .value<QList<float>>()
                  .size(),
              qsizetype(SampleHistory::kKept));

    live->show_stored(synthetic_data({.id = "gpu", .until = 0.2, .gpus = 4}));
    EXPECT_FALSE(table->isColumnHidden(NodeSamplesModel::GpuUse));
    const QModelIndex first = table->model()->index(0, 0);
    ASSERT_EQ(table->model()->rowCount(first), 4);
    EXPECT_EQ(cell(3, NodeSamplesModel::Node, first), u"GPU 3"_s);
    EXPECT_EQ(cell(3, NodeSamplesModel::GpuUse, first), u"12 %"_s);
    EXPECT_EQ(cell(3, NodeSamplesModel::Power, first), u"180 W"_s);
    EXPECT_EQ(cell(3, NodeSamplesModel::Cpu, first), QString()) << "a processor is the node's";
    EXPECT_EQ(cell(1, NodeSamplesModel::Power), u"–"_s) << "a driver that does not report it is not 0 W";
    EXPECT_TRUE(cell(0, NodeSamplesModel::GpuMemory).endsWith(u"/ 320 GiB"_s));

    std::vector<std::string> many;
    for (int i = 0; i < 64; ++i) {
        many.push_back("node" + std::to_string(i + 1));
    }
    live->show_stored(
        synthetic_data({.id = "many", .ranks = 64, .nodes = many, .steps_per_epoch = 10, .gpus = 8}));
    EXPECT_EQ(table->model()->rowCount(), 64);
    EXPECT_LE(find<QWidget>("telemetryStrip")->height(), 240) << "it scrolls";
    live->forget("many");
    EXPECT_EQ(table->model()->rowCount(), 0);
}

TEST_F(Pages, ManyRanksAreABandAndTheSelectedOnesACurve) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    live->show_stored(synthetic_data({.ranks = 1024, .steps_per_epoch = 30}));
    EXPECT_TRUE(live->plot()->draws_band());
    EXPECT_EQ(find<QTableView>("rankTable")->model()->rowCount(), 1024);
    find<QTableView>("rankTable")->selectRow(700);
    EXPECT_TRUE(find<QWidget>("legendStrip")->accessibleName().contains(u"rank 700"_s));
    live->show_stored(synthetic_data({.ranks = 4, .steps_per_epoch = 30}));
    EXPECT_FALSE(live->plot()->draws_band());
}

TEST_F(Pages, ZoomingStopsFollowingAndADoubleClickFollowsAgain) {
    open();
    window_->show_page(MainWindow::Page::Live);
    LivePage* live = window_->live_page();
    live->show_stored(synthetic_data({}));
    MetricPlot* plot = live->plot();
    const QCPRange all = plot->x_range();
    QTest::keyClick(plot, Qt::Key_Plus);
    EXPECT_FALSE(plot->following());
    EXPECT_LT(plot->x_range().size(), all.size());
    for (int i = 0; i < 200; ++i) {
        QTest::keyClick(plot, Qt::Key_Left);
    }
    EXPECT_GT(plot->x_range().upper, 0) << "one cannot get lost";
    QTest::mouseDClick(plot->plot(), Qt::LeftButton, {}, QPoint(200, 120));
    EXPECT_TRUE(plot->following());
    EXPECT_EQ(plot->x_range(), all);
}

TEST_F(Pages, BothThemesAndLongNamesFit) {
    const std::string name(80, 'n');
    open();
    window_->resize(1000, 700);
    window_->show_page(MainWindow::Page::Live);
    window_->live_page()->show_stored(
        synthetic_data({.name = name + name, .ranks = 8, .nodes = {name, name + "2"}}));
    QCoreApplication::processEvents();
    EXPECT_LE(window_->width(), 1280) << "a name must not widen the window";
    auto* app = static_cast<QApplication*>(QCoreApplication::instance());
    apply_theme(*app, ThemeChoice::Dark, false);
    QCoreApplication::processEvents();
    EXPECT_TRUE(is_dark(window_->palette()));
    apply_theme(*app, ThemeChoice::Light, false);
}

}  // namespace
}  // namespace rankscope::gui::testing
