// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The passes of a pipeline in the NCCL pane.

#include <base/pipeline_passes.h>
#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/pipeline_tab.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>

namespace rankscope::gui::testing {
namespace {

/// Two pipelines of two stages: GPipe with two micro-batches, 10 ms forward and 20 ms backward.
LiveData with_pipelines(std::int64_t step) {
    LiveData data = synthetic_data({.id = "pipelines", .fate = Fate::Running});
    LaunchPlan plan = synthetic_plan({.id = "pipelines"});
    plan.cost.emplace().pipeline.emplace().stages.resize(2);
    plan.cost->pipeline->bubble = 1.0 / 3;
    data.state.plan = plan;
    const std::int64_t now = data.state.last_us;
    for (int rank = 0; rank < 4; ++rank) {
        const bool last = rank >= 2;
        MetricEvent metric;
        metric.step = step;
        metric.texts = {{kPassesKey, passes_text(last ? std::vector<PipelinePass>{{0, true, -80, 10},
                                                                                  {1, true, -70, 10},
                                                                                  {0, false, -60, 20},
                                                                                  {1, false, -40, 20}}
                                                      : std::vector<PipelinePass>{{0, true, -90, 10},
                                                                                  {1, true, -80, 10},
                                                                                  {0, false, -40, 20},
                                                                                  {1, false, -20, 20}})}};
        data.apply(Event{0, now, last ? "node2" : "node1", rank, metric});
    }
    return data;
}

class Pipelines : public ::testing::Test {
protected:
    void SetUp() override {
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
    }
    void show(LiveData data) {
        window_->live_page()->show_stored(std::move(data));
        window_->live_page()->panes()->bring(LivePanes::Pane::Nccl);
        tab_ = window_->live_page()->nccl()->findChild<PipelineTab*>();
        bars_ = window_->live_page()->nccl()->findChild<PipelineBars*>();
        ASSERT_NE(tab_, nullptr);
    }
    QStringList shown_tabs() const {
        const QTabWidget* tabs = window_->live_page()->nccl()->tabs();
        QStringList names;
        for (int i = 0; i < tabs->count(); ++i) {
            if (tabs->isTabVisible(i)) {
                names += tabs->tabText(i);
            }
        }
        return names;
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    PipelineTab* tab_ = nullptr;
    PipelineBars* bars_ = nullptr;
};

TEST_F(Pipelines, ShowsTheStagesOfThePipelineOfTheSelectedRank) {
    show(with_pipelines(40));
    ASSERT_TRUE(wait_until([&] { return bars_->isVisible() && bars_->step(); }));
    EXPECT_TRUE(shown_tabs().contains(u"Pipeline"_s));
    ASSERT_EQ(bars_->step()->stages.size(), 2U);
    EXPECT_EQ(bars_->step()->stages[0].rank, 0);
    EXPECT_EQ(bars_->step()->stages[1].rank, 2);
    EXPECT_NEAR(bars_->step()->length_us, 90'000, 100);
    EXPECT_EQ(
        tab_->summary(),
        u"Update 40: 90.0 ms; the stages wait 33 % of the time. With equally long stages it would be 33 %. "
        "Stage 0 (rank 0) computes longest: 60.0 ms."_s);
    const QRectF forward = bars_->box_of(0, bars_->step()->stages[0].passes[1]);
    const QRectF below = bars_->box_of(1, bars_->step()->stages[1].passes[0]);
    EXPECT_NEAR(forward.left(), below.left(), 1) << "stage 1 begins when stage 0 has handed over";
    EXPECT_TRUE(bars_->tip_at(forward.center().toPoint())
                    .startsWith(u"Forward pass of micro-batch 1 on rank 0: 10.0 ms"_s))
        << qPrintable(bars_->tip_at(forward.center().toPoint()));
    const QPoint gap(int(forward.right() + 20), int(forward.center().y()));
    EXPECT_TRUE(bars_->tip_at(gap).startsWith(u"Rank 0 waits."_s)) << qPrintable(bars_->tip_at(gap));
    tab_->set_selected({3});
    EXPECT_EQ(bars_->step()->stages[0].rank, 1);
    EXPECT_EQ(bars_->step()->stages[1].rank, 3);
    QSignalSpy chosen(tab_, &NcclTab::rankChosen);
    QTest::mouseClick(bars_, Qt::LeftButton, {}, below.center().toPoint());
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen.front().front().toInt(), 3);
}

TEST_F(Pipelines, AnUpdateIsShownOnceAllItsRanksHaveReportedIt) {
    LiveData data = with_pipelines(40);
    MetricEvent early;
    early.step = 50;
    early.texts = {{kPassesKey, passes_text({{0, true, -10, 5}})}};
    data.apply(Event{0, data.state.last_us, "node1", 0, early});
    const RunMesh mesh = mesh_of(data.state.mesh, data.state.plan);
    EXPECT_EQ(newest_step(data.state, mesh, 0)->step, 40);
    data.apply(Event{0, data.state.last_us, "node2", 2, early});
    EXPECT_EQ(newest_step(data.state, mesh, 0)->step, 50);
    EXPECT_EQ(newest_step(data.state, mesh, 1)->step, 40) << "of the other pipeline";
    early.texts = {{kPassesKey, "F0@x+1"}};
    data.apply(Event{0, data.state.last_us, "node1", 0, early});
    EXPECT_EQ(newest_step(data.state, mesh, 0)->step, 50) << "another form is no pass";
}

TEST_F(Pipelines, AnotherRunReplacesTheShownUpdate) {
    show(with_pipelines(40));
    ASSERT_TRUE(wait_until([&] { return bars_->isVisible() && bars_->step(); }));
    window_->live_page()->show_stored(with_pipelines(70));
    EXPECT_TRUE(wait_until([&] { return bars_->step() && bars_->step()->step == 70; }));
}

TEST_F(Pipelines, OtherRunsHaveNoSuchTab) {
    show(synthetic_data({.id = "plain"}));
    ASSERT_TRUE(wait_until([&] { return window_->live_page()->nccl()->isVisible(); }));
    EXPECT_FALSE(shown_tabs().contains(u"Pipeline"_s));
}

}  // namespace
}  // namespace rankscope::gui::testing
