// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A program whose lines nothing reads: what the window says of it, and how its numbers become curves.

#include <gui/app/main_window.h>
#include <gui/data/log_metrics.h>
#include <gui/launch/learn_dialog.h>
#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/live/run_standing.h>
#include <gui/live/stage_strip.h>
#include <gui/plot/lines_offer.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <QTemporaryDir>
#include <string>
#include <vector>

namespace rankscope::gui::testing {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t kSecond = 1'000'000;
constexpr int kLines = 30;

Event stage(StageName name, StageStatus status, std::int64_t t_us, int rank = -1) {
    StageEvent stage;
    stage.name = name;
    stage.status = status;
    return {0, t_us, rank < 0 ? "" : "node1", rank, stage};
}

/// A user's program on two ranks: rank 0 prints lines of a shape that nothing reads, and the agent says so.
LiveData unread_run(const std::string& id) {
    LiveData data;
    data.state.run_id = id;
    data.state.name = "own-script";
    LaunchPlan plan = synthetic_plan({.ranks = 2, .nodes = {"node1"}});
    for (RankPlan& rank : plan.ranks) {
        rank.command = {"python3", "train.py"};
    }
    data.set_plan(plan);
    std::int64_t t_us = 1'760'000'000 * kSecond;
    for (const StageName name : {StageName::Connect, StageName::Push, StageName::Start}) {
        data.apply(stage(name, StageStatus::Done, t_us));
    }
    for (int rank = 0; rank < 2; ++rank) {
        data.apply(stage(StageName::Start, StageStatus::Done, t_us, rank));
    }
    data.apply(stage(StageName::Rendezvous, StageStatus::Begin, t_us));
    for (int i = 1; i <= kLines; ++i) {
        t_us += kSecond;
        LogEvent line;
        line.text = "r " + std::to_string(i) + " -> 0." + std::to_string(100 + i) + " cost\n";
        data.apply({0, t_us, "node1", 0, line});
    }
    data.apply(stage(StageName::Rendezvous, StageStatus::Done, t_us));
    data.apply(stage(StageName::FirstStep, StageStatus::Begin, t_us));
    const metric_lines::UnreadNotice lines{"r {step} -> {value}",
                                           {"r 28 -> 0.128 cost", "r 29 -> 0.129 cost", "r 30 -> 0.130 cost"},
                                           {"step=30", "value=0.130"}};
    NoticeEvent notice;
    notice.id = metric_lines::UnreadNotice::id();
    notice.args = lines.args();
    data.apply({0, t_us, "node1", 0, notice});
    data.apply({0, t_us, "node1", 1, notice});
    return data;
}

class UnreadLines : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
    }
    void TearDown() override { QSettings().remove(u"live"_s); }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    MetricPlot* plot() { return window_->live_page()->plot(); }
    const LiveData& shown() { return window_->live_page()->shown()->data(); }
    bool wait_curves(const Names& names) {
        return wait_until([&] { return plot()->shown_metrics() == names; });
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(UnreadLines, AProgramWithoutStepsRunsAndIsNotStarting) {
    window_->live_page()->show_stored(unread_run("own-1"));
    EXPECT_EQ(find<QLabel>("runOutcome")->text(), u"running, no steps read"_s);
    EXPECT_EQ(find<QLabel>("rankSummary")->text(), u"2 running, no steps read"_s);
    EXPECT_EQ(find<QLabel>("stageTime-first-step")->text(), u"no steps read"_s);
    const auto rendezvous = find<StageCell>("stage-rendezvous");
    EXPECT_EQ(rendezvous->sign(), StageSign::Done);
    EXPECT_EQ(shown().state.health(shown().state.last_us).condition, RunCondition::Running);
    EXPECT_FALSE(find<QPushButton>("noticesButton")->isVisible()) << "the offer says it, once for all ranks";
}

TEST_F(UnreadLines, OneClickDrawsTheLinesThatAreShown) {
    window_->live_page()->show_stored(unread_run("own-1"));
    ASSERT_TRUE(find<LinesOffer>("linesOffer")->isVisible());
    EXPECT_FALSE(find<QLabel>("metricMessage")->isVisible());
    EXPECT_TRUE(find<QLabel>("offeredLine0")->text().startsWith(u"r "_s));
    auto* draw = find<QPushButton>("drawLines");
    EXPECT_EQ(draw->text(), u"&Draw value"_s);
    click(draw);
    ASSERT_TRUE(wait_curves({"value"}));
    EXPECT_FALSE(find<LinesOffer>("linesOffer")->isVisible());
    const auto id = shown().state.metrics.find("value");
    ASSERT_TRUE(id);
    EXPECT_EQ(shown().series[0].column(*id).size(), std::size_t(kLines)) << "those before the click, too";
    EXPECT_EQ(shown().state.ranks[0].step, kLines);
    EXPECT_EQ(shown().state.ranks[0].phase, RankPhase::Training);
    EXPECT_FALSE(has_no_steps(shown().state));

    // The next run of this job is drawn without a click.
    window_->live_page()->show_stored(unread_run("own-2"));
    EXPECT_TRUE(wait_curves({"value"}));
}

TEST_F(UnreadLines, OtherNamesAreChosenInTheDialog) {
    window_->live_page()->show_stored(unread_run("own-1"));
    click(find<QPushButton>("changeLines"));
    auto* dialog = window_->findChild<LearnDialog*>(u"learnDialog"_s);
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->pattern(), u"r {step} -> {value}"_s) << "as it was offered";
    child<QTableWidget>(dialog, "learnTable")->item(1, 2)->setText(u"cost"_s);
    click(child<QPushButton>(dialog, "learnOk"));
    EXPECT_TRUE(wait_curves({"cost"}));
}

// What a window that is attached gets: lines come after the click, too.
TEST_F(UnreadLines, LinesThatComeLaterAreReadAsWell) {
    LiveModel live;
    live.reset(unread_run("own-1"));
    LogMetrics::start(&live, "r {step} -> {value}");
    ASSERT_TRUE(wait_until([&] { return live.state().ranks[0].step == kLines; }));
    LogEvent line;
    line.text = "r 31 -> 0.131 cost\n";
    live.apply({Event{0, live.state().last_us + kSecond, "node1", 0, line}});
    EXPECT_TRUE(wait_until([&] { return live.state().ranks[0].step == kLines + 1; }));
    live.clear();
    EXPECT_FALSE(LogMetrics::reads(&live)) << "another run is read by its own job's pattern";
}

}  // namespace
}  // namespace rankscope::gui::testing
