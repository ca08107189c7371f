// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The start of a run, rank by rank.

#include <gui/live/live_page.h>
#include <gui/live/start_waterfall.h>

#include <tests/gui/pages_fixture.h>

#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class Start : public Pages {
protected:
    void SetUp() override {
        open();
        window_->show_page(MainWindow::Page::Live);
    }
    void show(LiveData data) { window_->live_page()->show_stored(std::move(data)); }
    StartWaterfall* waterfall() { return find<StartWaterfall>("startWaterfall"); }
    const std::vector<StartRow>& rows() { return find<StartBars>("startBars")->rows(); }
};

TEST_F(Start, NamesTheRankThatTheOthersWaitFor) {
    show(starting_data({.ranks = 8}, {5}));
    EXPECT_TRUE(waterfall()->isVisible());
    EXPECT_TRUE(waterfall()->waiting_text().contains(u"rank 5 on node2"_s))
        << qPrintable(waterfall()->waiting_text());
    ASSERT_EQ(rows().size(), 8U);
    EXPECT_TRUE(rows().front().awaited) << "it stands first";
    EXPECT_EQ(rows().front().ranks, std::vector<int>{5});
    EXPECT_FALSE(rows()[1].awaited);
    const auto span = [&](const StartRow& row, StartPart part) { return row.spans[std::size_t(part)]; };
    EXPECT_EQ(span(rows().front(), StartPart::Imports).end_us, 0) << "it still imports";
    EXPECT_FALSE(span(rows().front(), StartPart::Rendezvous).begun());
    EXPECT_NE(span(rows()[1], StartPart::Imports).end_us, 0);
    EXPECT_TRUE(span(rows()[1], StartPart::Rendezvous).begun());
}

TEST_F(Start, NamesARankThatIsBehindWithoutAnyReport) {
    LiveData data;
    data.set_plan(synthetic_plan({}));
    data.apply(Event{0, 1, "", -1, StageEvent{StageName::Start, StageStatus::Begin, {}, -1}});
    for (const int rank : {0, 1, 3}) {
        data.apply(Event{0, 10, rank < 2 ? "node1" : "node2", rank,
                         StageEvent{StageName::Start, StageStatus::Done, {}, -1}});
    }
    EXPECT_EQ(awaited_ranks(data.state, data.start_times), std::vector<int>{2});
    EXPECT_TRUE(awaited_text(data.state, data.start_times).contains(u"not started"_s));
    data.apply(Event{0, 11, "node2", 2, StageEvent{StageName::Start, StageStatus::Done, {}, -1}});
    EXPECT_TRUE(awaited_ranks(data.state, data.start_times).empty()) << "all are equally far";
}

TEST_F(Start, ManyRanksHaveARowForEachNode) {
    std::vector<std::string> nodes;
    for (int i = 0; i < 128; ++i) {
        nodes.push_back("node" + std::to_string(i + 1));
    }
    show(starting_data({.ranks = 1024, .nodes = nodes}, {77, 78, 900}));
    EXPECT_EQ(rows().size(), 128U);
    EXPECT_EQ(rows()[0].node, "node10");
    EXPECT_EQ(rows()[1].node, "node113");
    EXPECT_TRUE(rows()[1].awaited);
    EXPECT_FALSE(rows()[2].awaited);
    EXPECT_TRUE(waterfall()->waiting_text().contains(u"77, 78, 900"_s))
        << qPrintable(waterfall()->waiting_text());
    EXPECT_LT(waterfall()->height(), 200);
}

TEST_F(Start, IsHiddenOnceTheRunTrainsAndComesBackByAClick) {
    show(synthetic_data({.until = 0.4, .fate = Fate::Running}));
    EXPECT_FALSE(waterfall()->isVisible());
    auto* button = find<QToolButton>("showStart");
    EXPECT_TRUE(button->isVisible());
    click(button);
    EXPECT_TRUE(waterfall()->isVisible());
    EXPECT_EQ(rows().size(), 4U);
    EXPECT_FALSE(rows().front().awaited);
    click(button);
    EXPECT_FALSE(waterfall()->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
