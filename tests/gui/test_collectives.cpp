// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The tab of collectives: what it draws, what it says where nothing can be seen, and where its numbers come from.

#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/size_plot.h>
#include <gui/widgets/fitted_table.h>
#include <remote/desk/runs/reading/run_reading.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_activity.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

std::shared_ptr<const ReadingSnapshot> snapshot_of(const SyntheticActivity& what) {
    RunReading reader("run");
    for (const Event& event : activity_events(what)) {
        reader.take(event);
    }
    return reader.snapshot();
}

class Collectives : public ::testing::Test {
protected:
    void show(const std::shared_ptr<const ReadingSnapshot>& snapshot, const LiveModel* run = nullptr) {
        tab_.resize(1280, 620);
        tab_.set_run(run);
        tab_.set_snapshot(snapshot);
        tab_.show();
        ASSERT_TRUE(wait_until([&] { return tab_.isVisible(); }));
    }
    CollectiveTimeline* timeline() { return tab_.timeline(); }
    bool shares_rows() {
        const QRect row = timeline()->row_of(777);
        return !row.isNull() && (timeline()->row_of(776) == row || timeline()->row_of(778) == row);
    }
    QString text(const char* name) { return child<QLabel>(&tab_, name)->text(); }
    const QAbstractItemModel* table() { return child<FittedTable>(&tab_, "collectiveTable")->model(); }
    QPoint middle_of(int rank, double t_us) {
        return {int(timeline()->x_of(t_us)), timeline()->row_of(rank).center().y()};
    }

    CollectivesTab tab_;
};

TEST_F(Collectives, AHealthyRunIsATimelineATableAndAPlot) {
    show(snapshot_of({}));
    EXPECT_TRUE(tab_.has_content());
    EXPECT_TRUE(timeline()->isVisible());
    EXPECT_FALSE(shares_rows());
    ASSERT_EQ(table()->rowCount(), 8);
    EXPECT_EQ(table()->index(0, CollectiveTableModel::Function).data().toString(), u"AllReduce"_s);
    EXPECT_EQ(table()->index(0, CollectiveTableModel::LinkShare).data().toString(), u"unknown"_s)
        << "a rate that no line states is not made up";
    EXPECT_TRUE(text("collectiveSummary").contains(u"waiting for other ranks"_s))
        << qPrintable(text("collectiveSummary"));
    EXPECT_FALSE(child<FittedTable>(&tab_, "collectiveTable")->horizontalScrollBar()->isVisible());
    EXPECT_EQ(child<SizePlot>(&tab_, "sizePlot")->plot()->graphCount(), 2 * 4);
    QAbstractItemModelTester tester(child<FittedTable>(&tab_, "collectiveTable")->model(),
                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
}

TEST_F(Collectives, ASlowRankIsNamed) {
    show(snapshot_of({.slow = 5}));
    EXPECT_TRUE(text("collectiveSummary").startsWith(u"Rank 5 enters"_s))
        << qPrintable(text("collectiveSummary"));
    EXPECT_EQ(table()->index(0, CollectiveTableModel::Last).data().toString(), u"5"_s);
}

TEST_F(Collectives, ARankThatIsBehindIsSeenAtAGlance) {
    const SyntheticActivity what{.behind = 11};
    show(snapshot_of(what));
    EXPECT_EQ(text("collectiveSummary"), u"Rank 11 has not entered AllReduce 561 (it entered 560)"_s);
    const double when = double(what.start_us) + (what.seconds + 7) * 1e6;
    EXPECT_TRUE(timeline()->describe(middle_of(11, when)).contains(u"has not entered AllReduce 561"_s));
    const QString open = timeline()->describe(middle_of(3, when));
    EXPECT_TRUE(open.startsWith(u"Rank 3\nAllReduce 561"_s) && open.contains(u"open for 14 s"_s))
        << qPrintable(open);
}

TEST_F(Collectives, ManyRanksShareRowsAndTheOneBehindIsStillSeen) {
    const SyntheticActivity what{.ranks = 1024, .seconds = 4, .behind = 777};
    show(snapshot_of(what));
    EXPECT_TRUE(shares_rows());
    const double when = double(what.start_us) + (what.seconds + 7) * 1e6;
    EXPECT_TRUE(timeline()->describe(middle_of(777, when)).startsWith(u"Rank 777"_s));
    QElapsedTimer timer;
    timer.start();
    (void)timeline()->grab();
    EXPECT_LT(timer.elapsed(), 5000);
    // Zoomed to a few ranks, each has its row again.
    for (int i = 0; i < 12; ++i) {
        QWheelEvent wheel(QPointF(timeline()->row_of(777).center()),
                          timeline()->mapToGlobal(QPointF(300, 100)), {}, {0, 240}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(timeline(), &wheel);
    }
    EXPECT_FALSE(shares_rows());
    EXPECT_FALSE(timeline()->row_of(777).isNull());
    QTest::keyClick(timeline(), Qt::Key_0);
    EXPECT_TRUE(shares_rows());
}

TEST_F(Collectives, TheTimeIsZoomedMovedAndFollowed) {
    show(snapshot_of({}));
    const double span = timeline()->end_us() - timeline()->begin_us();
    EXPECT_TRUE(timeline()->following());
    QTest::keyClick(timeline(), Qt::Key_Plus);
    EXPECT_LT(timeline()->end_us() - timeline()->begin_us(), span);
    EXPECT_FALSE(timeline()->following());
    const double begin = timeline()->begin_us();
    QTest::keyClick(timeline(), Qt::Key_Left);
    EXPECT_LT(timeline()->begin_us(), begin);
    tab_.set_snapshot(snapshot_of({.seconds = 12}));
    EXPECT_LT(timeline()->begin_us(), begin) << "what the user chose stays";
    QTest::mouseDClick(timeline(), Qt::LeftButton, {}, QPoint(300, 100));
    EXPECT_TRUE(timeline()->following());
}

TEST_F(Collectives, ADragWithControlChoosesTimes) {
    show(snapshot_of({}));
    const QSignalSpy chosen(&tab_, &NcclTab::rangeChosen);
    const double begin = timeline()->begin_us();
    const double span_us = timeline()->end_us() - begin;
    const double pixel_us = 3 * span_us / timeline()->width();
    const QPoint from = middle_of(1, begin + 0.25 * span_us);
    const QPoint to = middle_of(1, begin + 0.5 * span_us);
    QTest::mousePress(timeline(), Qt::LeftButton, Qt::ControlModifier, from);
    QMouseEvent move(QEvent::MouseMove, QPointF(to), QPointF(timeline()->mapToGlobal(to)), Qt::NoButton,
                     Qt::LeftButton, Qt::ControlModifier);
    QCoreApplication::sendEvent(timeline(), &move);
    (void)timeline()->grab();
    QTest::mouseRelease(timeline(), Qt::LeftButton, Qt::ControlModifier, to);
    ASSERT_EQ(chosen.size(), 1);
    const auto span = chosen.front().front().value<TimeSpan>();
    EXPECT_NEAR(double(span.from_us), begin + 0.25 * span_us, pixel_us);
    EXPECT_NEAR(double(span.until_us), begin + 0.5 * span_us, pixel_us);
    EXPECT_EQ(timeline()->begin_us(), begin) << "it does not move";
    tab_.set_range(span, nullptr);
    EXPECT_EQ(timeline()->begin_us(), double(span.from_us));
    EXPECT_FALSE(timeline()->following());
    tab_.set_range({1, 1000}, nullptr);
    (void)timeline()->grab();  // says that nothing of these times is kept
    tab_.set_range({}, nullptr);
    EXPECT_TRUE(timeline()->following());
    EXPECT_EQ(timeline()->begin_us(), begin);
}

TEST_F(Collectives, WhereNothingCanBeSeenItSaysWhy) {
    show(snapshot_of({.unavailable = "nccl-too-old"}));
    EXPECT_FALSE(timeline()->isVisible());
    EXPECT_TRUE(text("collectivesWhy").contains(u"2.23"_s)) << qPrintable(text("collectivesWhy"));
    EXPECT_TRUE(tab_.has_content());

    LiveModel gloo;
    LiveData run = synthetic_data({.until = 0.3, .fate = Fate::Running});
    run.state.plan.backend = "gloo";
    gloo.reset(std::move(run));
    tab_.set_run(&gloo);
    tab_.set_snapshot(std::make_shared<ReadingSnapshot>());
    EXPECT_TRUE(text("collectivesWhy").contains(u"Gloo"_s));

    LiveModel off;
    LiveData job = synthetic_data({.until = 0.3, .fate = Fate::Running});
    job.state.plan.backend = "nccl";
    job.job_yaml = "name: x\nnccl_profiler: off\n";
    off.reset(std::move(job));
    tab_.set_run(&off);
    tab_.set_snapshot(std::make_shared<ReadingSnapshot>());
    EXPECT_EQ(text("collectivesWhy"), u"The job says nccl_profiler: off."_s);
}

TEST_F(Collectives, LinesOfNcclAreCountedWhereThereIsNothingBetter) {
    auto snapshot = std::make_shared<ReadingSnapshot>();
    logs::Communicator communicator;
    communicator.members = {{.rank = 0, .calls = 120}, {.rank = 1, .calls = 119}};
    communicator.tuning = {
        {.function = "AllReduce", .bytes = 1048576, .algorithm = "RING", .protocol = "LL128", .times = 60}};
    snapshot->facts.communicators = {communicator};
    snapshot->facts.versions = {{.nccl = "2.18.3", .cuda = "12.2", .place = {}}};
    show(snapshot);
    EXPECT_TRUE(text("collectivesWhy").contains(u"NCCL 2.18.3"_s));
    EXPECT_EQ(text("collectiveCallsText"),
              u"NCCL's lines list 119 to 120 calls a rank; the fewest: rank 1."_s);
    const QAbstractItemModel* calls = child<QTableView>(&tab_, "collectiveCalls")->model();
    ASSERT_EQ(calls->rowCount(), 1);
    EXPECT_EQ(calls->index(0, 1).data().toString(), u"1 MiB"_s);
}

TEST_F(Collectives, FilesOfInspectorAreShown) {
    const QTemporaryDir folder;
    for (int rank = 0; rank < 4; ++rank) {
        std::ofstream(ss(folder.path()) + "/node1-pid" + std::to_string(4000 + rank) + ".log")
            << inspector_lines(rank, 4, rank != 3);
    }
    QThreadPool pool;
    NcclData data(&pool);
    data.show_files({ss(folder.path())}, "");
    ASSERT_TRUE(wait_until([&] { return !data.reading() && data.snapshot()->complete; }));
    ASSERT_TRUE(data.snapshot()->collectives);
    EXPECT_EQ(data.snapshot()->collectives->ranks.size(), 4U);
    show(data.snapshot());
    EXPECT_TRUE(timeline()->isVisible());
    EXPECT_EQ(table()->rowCount(), 12);
    EXPECT_TRUE(text("collectiveSummary").startsWith(u"Rank 1 enters"_s))
        << qPrintable(text("collectiveSummary"));
}

TEST_F(Collectives, FilesWithoutTimesSayWhatIsMissing) {
    RunReading reader;
    logs::LogLine line;
    const std::string text_of_line = inspector_lines(0, 4, false);
    line.text = line.message = std::string_view(text_of_line).substr(0, text_of_line.find('\n'));
    reader.take(line);
    show(reader.snapshot());
    EXPECT_FALSE(timeline()->isVisible());
    EXPECT_TRUE(child<QLabel>(&tab_, "collectiveNoTimeline")->isVisible());
    EXPECT_EQ(table()->rowCount(), 1);
}

TEST_F(Collectives, ACommunicatorIsChosen) {
    RunReading reader("run");
    for (Event event : activity_events({.ranks = 4})) {
        reader.take(event);
        auto body = *event.as<NcclEvent>();
        for (auto& communicator : body.communicators) {
            communicator.id.value = 7;
            communicator.name = "pair";
            communicator.ranks = 2;
        }
        body.totals.resize(1);
        body.totals[0].communicator.value = 7;
        body.operations.clear();
        body.progress.clear();
        event.body = body;
        reader.take(event);
    }
    show(reader.snapshot());
    auto* chooser = child<QComboBox>(&tab_, "collectiveCommunicator");
    ASSERT_EQ(chooser->count(), 3);
    EXPECT_EQ(table()->rowCount(), 9);
    chooser->setCurrentIndex(2);
    EXPECT_EQ(chooser->currentText(), u"pair, 2 ranks"_s);
    EXPECT_EQ(table()->rowCount(), 1);
}

TEST_F(Collectives, ACommunicatorIsNamedByItsAxisAndStaysChosen) {
    RunReading reader("run");
    for (const Event& event : activity_events({.ranks = 8, .seconds = 2, .tensor = 2})) {
        reader.take(event);
    }
    show(reader.snapshot());
    auto* chooser = child<QComboBox>(&tab_, "collectiveCommunicator");
    ASSERT_EQ(chooser->count(), 1 + 1 + 4 + 2) << "all, the world, tensor and data groups";
    const int tensor = chooser->findText(u"tp group 1: 0x7e01, 2 ranks"_s);
    EXPECT_GE(chooser->findText(u"dp group 0: 0xda00, 4 ranks"_s), 0);
    ASSERT_GE(tensor, 0);
    chooser->setCurrentIndex(tensor);
    EXPECT_EQ(table()->rowCount(), 1);
    show(reader.snapshot());
    EXPECT_EQ(chooser->currentText(), u"tp group 1: 0x7e01, 2 ranks"_s);
}

TEST(CollectiveFormat, NumbersHaveThreeDigits) {
    EXPECT_EQ(latency_text(0), u"–"_s);
    EXPECT_EQ(latency_text(8.1e-8), u"81 ns"_s);
    EXPECT_EQ(latency_text(1.234e-5), u"12.3 µs"_s);
    EXPECT_EQ(latency_text(0.0456), u"45.6 ms"_s);
    EXPECT_EQ(latency_text(61.2), u"61.2 s"_s);
    EXPECT_EQ(bandwidth_text(4.8512e11), u"485 GB/s"_s);
    EXPECT_EQ(size_text(26'214'400), u"25 MiB"_s);
    EXPECT_EQ(size_text(1023), u"1023 B"_s);
    EXPECT_EQ(share_text(0.004), u"<1 %"_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
