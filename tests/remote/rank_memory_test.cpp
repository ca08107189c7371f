// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"

#include <base/memory_metrics.h>
#include <remote/desk/runs/run/rank_memory.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::uint64_t kMiB = 1048576;

RunState run_with(const std::optional<engine::TrainingCost>& cost) {
    LaunchPlan plan = test::plan_of(2, 1);
    plan.cost = cost;
    RunState run;
    run.set_plan(plan);
    return run;
}

void report(RunState& run, int rank, double weights) {
    Event event;
    event.node = "node" + std::to_string(rank + 1);
    event.rank = rank;
    event.body = MetricEvent{1,
                             1,
                             {{kWeightsMemory, weights},
                              {kGradientsMemory, weights},
                              {kOptimizerMemory, 0.0},
                              {kActivationsMemory, 1.5}},
                             {}};
    run.apply(event);
}

std::string text_of(const RunState& run, int rank) {
    return rank_memory_text(run, run.ranks[static_cast<std::size_t>(rank)], mesh_of(run.plan));
}

TEST(RankMemory, IsNextToThePlan) {
    engine::TrainingCost cost;
    cost.memory = {.activations = 2 * kMiB, .weights = 30 * kMiB, .gradients = 30 * kMiB, .optimizer = kMiB};
    RunState run = run_with(cost);
    EXPECT_EQ(text_of(run, 0), "");
    report(run, 0, 30.0);
    EXPECT_EQ(
        text_of(run, 0),
        "memory: weights 30.0 MiB (planned 30.0 MiB), gradients 30.0 MiB (planned 30.0 MiB), optimizer 0 B "
        "(planned 1.0 MiB), activations 1.5 MiB (planned 2.0 MiB)");
    EXPECT_EQ(text_of(run, 1), "");
}

TEST(RankMemory, OfAStageIsNextToThePlanOfTheStage) {
    engine::TrainingCost cost;
    cost.pipeline = engine::PipelineCost{};
    cost.pipeline->stages.resize(2);
    cost.pipeline->stages[1].memory.weights = 20 * kMiB;
    RunState run = run_with(cost);
    report(run, 1, 21.0);
    EXPECT_TRUE(text_of(run, 1).starts_with("memory: weights 21.0 MiB (planned 20.0 MiB), "))
        << text_of(run, 1);
}

TEST(RankMemory, WithoutAPlanIsMeasured) {
    RunState run = run_with(std::nullopt);
    report(run, 0, 3.0);
    EXPECT_EQ(text_of(run, 0),
              "memory: weights 3.0 MiB, gradients 3.0 MiB, optimizer 0 B, activations 1.5 MiB");
}

}  // namespace
}  // namespace rankscope
