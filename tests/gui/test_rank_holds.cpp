// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a live verdict says of the ranks, in the strip and the table; names of nodes where there is little room.

#include <gui/data/node_labels.h>
#include <gui/data/rank_holds.h>
#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/models/rank_table_model.h>

#include <tests/gui/pages_fixture.h>

#include <QTableView>

namespace rankscope::gui::testing {
namespace {

using Kind = RankHold::Kind;

LiveData hanging(VerdictPhase phase) {
    const SyntheticRun run{.until = 0.4, .fate = Fate::Running};
    LiveData data = synthetic_data(run);
    const std::int64_t since = data.state.last_us;
    for (const VerdictPhase step : {VerdictPhase::Live, phase}) {
        data.apply(Event{0, since, "", -1, synthetic_verdict(run, step, since)});
    }
    return data;
}

TEST(RankHolds, AVerdictSaysWhoHangsAndWhoWaits) {
    const std::vector<RankHold> holds = rank_holds(hanging(VerdictPhase::Live).state);
    ASSERT_EQ(holds.size(), 4U);
    EXPECT_EQ(holds[1], (RankHold{Kind::Faulty, u"hangs"_s}));
    EXPECT_EQ(holds[0], (RankHold{Kind::Waits, u"waits for rank 1"_s}));
    for (const RankHold& hold : rank_holds(hanging(VerdictPhase::Over).state)) {
        EXPECT_EQ(hold.kind, Kind::None);
    }
}

TEST(RankHolds, ASlowRankHoldsNobodyAndAnEndedRunNothing) {
    LiveData data = synthetic_data({.until = 0.4, .fate = Fate::Running});
    Verdict slow;
    slow.id = "rank-slow";
    slow.rank = 2;
    slow.ranks = {2};
    slow.phase = VerdictPhase::Live;
    data.apply(Event{0, data.state.last_us, "", -1, slow});
    EXPECT_EQ(rank_holds(data.state)[2].kind, Kind::Slow);
    EXPECT_EQ(rank_holds(data.state)[0].kind, Kind::None);

    LiveData over = hanging(VerdictPhase::Live);
    over.state.outcome = Outcome::Failed;
    EXPECT_EQ(rank_holds(over.state)[0].kind, Kind::None);
}

TEST(RankHolds, ARankThatEndedKeepsItsEnd) {
    LiveData data = hanging(VerdictPhase::Live);
    ExitEvent exit;
    exit.code = 1;
    data.apply(Event{0, data.state.last_us, "node1", 1, exit});
    EXPECT_EQ(rank_holds(data.state)[1], (RankHold{Kind::Failed, u"failed"_s}));
}

TEST(RankHolds, ManyFaultyRanksAreNamedByTheirFault) {
    LiveData data = synthetic_data({.until = 0.4, .fate = Fate::Running});
    Verdict verdict;
    verdict.id = "collective-mismatch";
    verdict.ranks = {0, 3};
    verdict.waiting = {1, 2, 99, -1};
    verdict.phase = VerdictPhase::Live;
    data.apply(Event{0, data.state.last_us, "", -1, verdict});
    const std::vector<RankHold> holds = rank_holds(data.state);
    EXPECT_EQ(holds[3].text, u"other collective"_s);
    EXPECT_EQ(holds[1].text, u"waits for ranks 0 and 3"_s);
    EXPECT_EQ(phase_summary(data.state.ranks, holds), u"2 other collective · 2 waiting for it"_s);
    EXPECT_EQ(phase_summary(data.state.ranks, holds, u"ranks 0, 3"_s),
              u"ranks 0, 3: other collective · 2 waiting for it"_s);
}

TEST(NodeLabels, WhatAllShareIsLeftOut) {
    const auto labels = node_labels({"gpu-worker-of-the-third-hall-rack1-07.cluster.example.org",
                                     "gpu-worker-of-the-third-hall-rack2-11.cluster.example.org", "login"});
    EXPECT_EQ(labels.at("gpu-worker-of-the-third-hall-rack1-07.cluster.example.org"),
              u"…rd-hall-rack1-07…"_s);
    EXPECT_EQ(labels.at("gpu-worker-of-the-third-hall-rack2-11.cluster.example.org"),
              u"…rd-hall-rack2-11…"_s);
    EXPECT_EQ(labels.at("login"), u"login"_s);
}

TEST(NodeLabels, ShortNamesAndASingleOneStayWhole) {
    EXPECT_EQ(node_labels({"node1", "node2"}).at("node2"), u"node2"_s);
    const std::string alone(63, 'x');
    EXPECT_EQ(node_labels({alone, alone}).at(alone), qs(alone));
    EXPECT_TRUE(node_labels({}).empty());
}

using RankHoldsPage = Pages;

TEST_F(RankHoldsPage, StripAndTableFollowTheVerdict) {
    open();
    window_->show_page(MainWindow::Page::Live);
    window_->live_page()->show_stored(hanging(VerdictPhase::Live));
    EXPECT_EQ(child<QLabel>(window_.get(), "rankSummary")->text(), u"rank 1: hangs · 3 waiting for it"_s);
    const auto* table = child<QTableView>(window_.get(), "rankTable");
    EXPECT_EQ(table->model()->index(1, RankTableModel::Phase).data().toString(), u"hangs"_s);
    EXPECT_EQ(table->model()->index(0, RankTableModel::Phase).data().toString(), u"waits for rank 1"_s);
    EXPECT_TRUE(
        table->model()->index(1, 0).data(Qt::ToolTipRole).toString().contains(u"last reported: training"_s));
    window_->live_page()->show_stored(hanging(VerdictPhase::Over));
    EXPECT_EQ(child<QLabel>(window_.get(), "rankSummary")->text(), u"4 training"_s);
    EXPECT_EQ(table->model()->index(1, RankTableModel::Phase).data().toString(), u"training"_s);
}

TEST_F(RankHoldsPage, LongNamesOfNodesDifferInTheTable) {
    open();
    window_->show_page(MainWindow::Page::Live);
    const std::string begin = "gpu-worker-of-the-second-rack-in-the-third-hall-of-building-x-";
    window_->live_page()->show_stored(
        synthetic_data({.nodes = {begin + "1", begin + "2"}, .until = 0.4, .fate = Fate::Running}));
    const auto* table = child<QTableView>(window_.get(), "rankTable");
    for (const int row : {0, 3}) {
        const QModelIndex cell = table->model()->index(row, RankTableModel::Node);
        EXPECT_TRUE(cell.data().toString().endsWith(row == 0 ? u"-1"_s : u"-2"_s));
        EXPECT_LE(cell.data().toString().size(), 18);
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
