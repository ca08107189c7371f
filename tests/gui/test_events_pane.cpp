// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What happened in a run, as a list.

#include <gui/live/events_pane.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_view.h>
#include <gui/models/run_events_filter.h>
#include <gui/models/run_events_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_moment.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kStart = 1'760'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

Event at(int second, const std::string& node, int rank, EventBody body) {
    return {0, kStart + second * kSecond, node, rank, std::move(body)};
}

/// What a run tells of itself: start, a checkpoint, a notice, a verdict twice, a pause, a failure, the end.
LiveData eventful() {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 4}));
    data.apply(at(0, "", -1, StageEvent{StageName::Start, StageStatus::Begin, {}, -1}));
    for (int rank = 0; rank < 4; ++rank) {
        data.apply(at(1, rank < 2 ? "node1" : "node2", rank,
                      StageEvent{StageName::Start, StageStatus::Done, {}, -1}));
    }
    data.apply(at(2, "", -1, StageEvent{StageName::Start, StageStatus::Done, {}, -1}));
    for (int step = 1; step <= 20; ++step) {
        for (int rank = 0; rank < 4; ++rank) {
            data.apply(at(2 + step, rank < 2 ? "node1" : "node2", rank,
                          MetricEvent{step, 1, {{"loss", 1.0 / step}}, {}}));
            data.apply(at(2 + step, rank < 2 ? "node1" : "node2", rank,
                          LogEvent{false, "step " + std::to_string(step) + "\n"}));
        }
    }
    data.apply(at(24, "node1", 0, StageEvent{StageName::Checkpoint, StageStatus::Begin, {}, -1}));
    data.apply(at(25, "node1", 0, StageEvent{StageName::Checkpoint, StageStatus::Done, "step20.ckpt", -1}));
    data.apply(at(26, "node2", -1, NoticeEvent{.id = "disk-full", .title = "The disk is nearly full"}));
    Verdict verdict;
    verdict.id = "rank-hang";
    verdict.title = "Rank 3 hangs";
    verdict.node = "node2";
    verdict.rank = 3;
    verdict.phase = VerdictPhase::Live;
    data.apply(at(30, "", -1, verdict));
    verdict.title = "Rank 3 hangs still";
    data.apply(at(33, "", -1, verdict));
    verdict.phase = VerdictPhase::Over;
    data.apply(at(36, "", -1, verdict));
    data.apply(at(40, "node1", -1, StageEvent{StageName::Pause, StageStatus::Done, {}, -1}));
    ExitEvent exit;
    exit.code = -1;
    exit.signal = 9;
    data.apply(at(50, "node2", 3, exit));
    data.apply(at(51, "", -1, EndEvent{Outcome::Failed, 1, "", false, {}, {}}));
    return data;
}

QStringList texts(const QAbstractItemModel& model) {
    QStringList all;
    for (int row = 0; row < model.rowCount(); ++row) {
        all += QString(model.index(row, RunEventsModel::Kind).data().toString() % u" | "_s %
                       model.index(row, RunEventsModel::Place).data().toString() % u" | "_s %
                       model.index(row, RunEventsModel::Text).data().toString());
    }
    return all;
}

TEST(RunEvents, AreWhatHappenedWithoutOutputAndMetrics) {
    const LiveData data = eventful();
    RunEventsModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_events(&data.happenings);
    const QStringList all = texts(model);
    ASSERT_EQ(all.size(), 9) << qPrintable(all.join(u'\n'));
    EXPECT_TRUE(all[0].startsWith(u"Stage | run | "_s)) << qPrintable(all[0]);
    EXPECT_TRUE(all[1].startsWith(u"Checkpoint | rank 0 on node1 | "_s)) << qPrintable(all[1]);
    EXPECT_TRUE(all[2].endsWith(u"step20.ckpt"_s)) << qPrintable(all[2]);
    EXPECT_EQ(all[3], u"Notice | node2 | The disk is nearly full"_s);
    EXPECT_EQ(all[4], u"Verdict | rank 3 on node2 | Rank 3 hangs"_s);
    EXPECT_TRUE(all[5].contains(u"Over"_s)) << "other words for the same verdict are no event";
    EXPECT_TRUE(all[6].startsWith(u"Pause | node1"_s)) << qPrintable(all[6]);
    EXPECT_TRUE(all[7].startsWith(u"Exit | rank 3 on node2 | ended with"_s)) << qPrintable(all[7]);
    EXPECT_TRUE(model.index(7, 0).data(RunEventsModel::FaultRole).toBool());
    EXPECT_TRUE(all[8].startsWith(u"End | run | "_s)) << qPrintable(all[8]);
    // Where the log has a line of it, the row knows it.
    const auto line = model.index(4, 0).data(RunEventsModel::LineRole).toULongLong();
    ASSERT_GT(line, 0U);
    EXPECT_NE(data.log.line(line).text.find("Rank 3 hangs"), std::string::npos) << data.log.line(line).text;
}

TEST(RunEvents, AreBoundedAndTheModelFollows) {
    LiveData data;
    RunEventsModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    RunEventsFilter filter;
    filter.setSourceModel(&model);
    model.set_events(&data.happenings);
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            data.apply(at(i, "node1", -1, StageEvent{StageName::Pause, StageStatus::Done, {}, -1}));
        }
        model.refresh();
    };
    add(10);
    EXPECT_EQ(model.rowCount(), 10);
    add(int(RunEvents::kMost) - 5);
    EXPECT_EQ(model.rowCount(), int(RunEvents::kMost));
    EXPECT_EQ(model.dropped(), 5U);
    add(2 * int(RunEvents::kMost));
    EXPECT_EQ(filter.rowCount(), int(RunEvents::kMost));
    EXPECT_EQ(model.dropped(), 5U + 2 * RunEvents::kMost);
    const LiveData other = eventful();
    model.set_events(&other.happenings);
    EXPECT_EQ(filter.rowCount(), 9);
    model.set_events(nullptr);
    EXPECT_EQ(filter.rowCount(), 0);
}

class EventsOfLive : public Pages {
protected:
    void SetUp() override {
        open();
        window_->show_page(MainWindow::Page::Live);
        page()->show_stored(eventful());
        ASSERT_TRUE(wait_until([&] { return page()->log()->rows()->count() > 80; }));
        page()->panes()->set_shown(LivePanes::Pane::Events, true);
        ASSERT_TRUE(wait_until([&] { return table()->isVisible() && table()->model()->rowCount() == 9; }));
    }
    LivePage* page() { return window_->live_page(); }
    QTableView* table() { return page()->events()->table(); }
    PlotMoment* moment() { return page()->plot()->moment(); }
    QModelIndex row(int row) { return table()->model()->index(row, RunEventsModel::Text); }
};

TEST_F(EventsOfLive, ARowLeadsToItsMomentAndItsLine) {
    table()->scrollTo(row(3));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(row(3)).center());
    ASSERT_TRUE(moment()->marked().has_value());
    EXPECT_EQ(moment()->marked()->t_us, kStart + 26 * kSecond);
    EXPECT_TRUE(page()->panes()->is_shown(LivePanes::Pane::Events));
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_TRUE(page()->log()->view()->selected_text().contains(u"The disk is nearly full"_s))
        << qPrintable(page()->log()->view()->selected_text());
    EXPECT_TRUE(wait_until([&] { return !page()->log()->view()->visibleRegion().isEmpty(); }));
}

TEST_F(EventsOfLive, AreFilteredByKindRankAndText) {
    auto* kinds = find<QComboBox>("eventKind");
    kinds->setCurrentIndex(kinds->findData(int(RunEvent::Kind::Checkpoint)));
    EXPECT_EQ(table()->model()->rowCount(), 2);
    EXPECT_EQ(find<QLabel>("eventsCount")->text(), u"2 of 9 event(s)"_s);
    kinds->setCurrentIndex(0);
    auto* ranks = find<QComboBox>("eventRank");
    ranks->setCurrentIndex(ranks->findData(3));
    EXPECT_EQ(table()->model()->rowCount(), 3) << "two verdicts and the exit";
    ranks->setCurrentIndex(0);
    type_into(find<QLineEdit>("eventText"), u"NODE2"_s);
    EXPECT_EQ(table()->model()->rowCount(), 4);
    type_into(find<QLineEdit>("eventText"), u"no such text"_s);
    EXPECT_EQ(find<QLabel>("eventsCount")->text(), u"0 of 9 event(s)"_s);
    type_into(find<QLineEdit>("eventText"), {});
    EXPECT_EQ(find<QLabel>("eventsCount")->text(), u"9 event(s)"_s);
}

TEST_F(EventsOfLive, AreCopiedAsATable) {
    table()->selectRow(4);
    table()->setFocus();
    ASSERT_TRUE(wait_until([&] { return table()->hasFocus(); }));
    QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
    const QString one = QGuiApplication::clipboard()->text();
    EXPECT_EQ(one.count(u'\t'), 3) << qPrintable(one);
    EXPECT_TRUE(one.startsWith(u"20"_s)) << "with the day";
    EXPECT_TRUE(one.endsWith(u"Rank 3 hangs"_s));
    page()->events()->copy(true);
    EXPECT_EQ(QGuiApplication::clipboard()->text().count(u'\n'), 8);
}

TEST_F(EventsOfLive, TheMenuSelectsTheRankAndARange) {
    table()->selectRow(4);
    table()->selectionModel()->select(row(7), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    emit table()->customContextMenuRequested(table()->visualRect(row(7)).center());
    QMenu* menu = child<QMenu>(page()->events(), "eventMenu");
    child<QAction>(menu, "eventSelectRank")->trigger();
    EXPECT_EQ(find<QTableView>("rankTable")->selectionModel()->selectedRows().size(), 1);
    child<QAction>(menu, "eventRange")->trigger();
    menu->close();
    EXPECT_EQ(page()->range()->span(), (TimeSpan{kStart + 30 * kSecond, kStart + 50 * kSecond}));
    EXPECT_EQ(table()->model()->rowCount(), 4) << "the list follows";
    page()->range()->clear();
    EXPECT_EQ(table()->model()->rowCount(), 9);
}

}  // namespace
}  // namespace rankscope::gui::testing
