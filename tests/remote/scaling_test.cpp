// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/archive/scaling/scaling_result.h>

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope {
namespace {

constexpr std::int64_t kScalingStart = 1'750'000'000'000'000;

TEST(ScalingJobsTest, SizesDoubleUpToAll) {
    EXPECT_EQ(scaling_sizes(1), (std::vector<int>{1}));
    EXPECT_EQ(scaling_sizes(6), (std::vector<int>{1, 2, 4, 6}));
    EXPECT_EQ(scaling_sizes(8), (std::vector<int>{1, 2, 4, 8}));
    EXPECT_TRUE(scaling_sizes(0).empty());
}

TEST(ScalingJobsTest, AJobTakesTheFirstNodesAndNoMoreThanThereAre) {
    Job job;
    job.all_nodes = true;
    job.master = "node9";
    job.max_restarts = 3;
    job.rank_env = {{0, {}}, {7, {}}};
    job.train = nlohmann::json{{"batch_size", 32}, {"max_steps", 10}, {"checkpoint", {{"folder", "~/x"}}}};
    const LaunchPlan plan = test::plan_of(2, 2);
    const auto three = scaled_job(job, plan, 3, 4, ScalingMode::Weak);
    ASSERT_TRUE(three);
    EXPECT_EQ(three->nodes.size(), 2U);
    EXPECT_EQ(three->procs_of_node.at(plan.nodes[0].node), 2);
    EXPECT_EQ(three->procs_of_node.at(plan.nodes[1].node), 1);
    EXPECT_TRUE(three->master.empty());
    EXPECT_EQ(three->max_restarts, 0);
    EXPECT_EQ(three->env.at("OMP_NUM_THREADS"), "1");
    EXPECT_EQ(three->rank_env.size(), 1U);
    EXPECT_FALSE(three->train->contains("checkpoint")) << "a measurement leaves no checkpoint";
    EXPECT_FALSE(three->train->contains("max_steps")) << "the time ends it";
    EXPECT_EQ((*three->train)["batch_size"], 32);
    EXPECT_EQ((*scaled_job(job, plan, 1, 4, ScalingMode::Strong)->train)["batch_size"], 128);
    EXPECT_EQ(scaled_job(job, plan, 3, 4, ScalingMode::Strong).failure().where, "train.batch_size");
    EXPECT_FALSE(scaled_job(job, plan, 5, 5, ScalingMode::Weak));
    job.train.reset();
    job.command = {"python3", "x.py"};
    EXPECT_FALSE(scaled_job(job, plan, 2, 4, ScalingMode::Strong));
}

class ScalingResultTest : public ::testing::Test {
protected:
    void SetUp() override { store_ = *RunStore::open(folder_ / "runs.sqlite"); }
    RunRecord add_run(const std::string& id, int ranks, double rate, bool times) {
        RunRecord record;
        record.run_id = id;
        record.name = id;
        record.plan = test::plan_of(1, ranks);
        record.started_us = kScalingStart;
        EXPECT_TRUE(store_->create_run(record));
        std::vector<Event> events;
        for (int step = 1; step <= 40; ++step) {
            for (int rank = 0; rank < ranks; ++rank) {
                Event event;
                event.node = "node1";
                event.rank = rank;
                event.seq = events.size() + 1;
                event.t_us = kScalingStart + step * 100'000;
                MetricEvent metric{step, -1, {}, {}};
                if (rate > 0) {
                    metric.values.emplace_back("images_per_s", step <= 10 ? 1 : rate);  // warm-up
                }
                if (times) {
                    metric.values.insert(metric.values.end(), {{"t_data_ms", 10},
                                                               {"t_forward_ms", 20},
                                                               {"t_backward_ms", 30},
                                                               {"t_comm_ms", 25},
                                                               {"t_optimizer_ms", 5},
                                                               {"t_step_ms", 100}});
                }
                event.body = std::move(metric);
                events.push_back(std::move(event));
            }
        }
        EXPECT_TRUE(store_->append(id, events));
        EndEvent end;
        end.outcome = Outcome::Stopped;
        EXPECT_TRUE(store_->finish_run(id, kScalingStart + 5'000'000, end));
        return *store_->run(id);
    }

    const test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST_F(ScalingResultTest, ThroughputIsTheMedianOfAllRanksAfterTheWarmUp) {
    std::string unit;
    const ScalingPoint point = measure_run(*store_, add_run("a", 2, 50, true), ScalingMode::Weak, unit);
    EXPECT_TRUE(point.failure.empty()) << point.failure;
    EXPECT_EQ(unit, "images_per_s");
    EXPECT_DOUBLE_EQ(point.throughput, 100);
    EXPECT_GT(point.steps, 25U);
    ASSERT_TRUE(point.shares);
    EXPECT_DOUBLE_EQ(point.shares->compute_ms, 55);
    EXPECT_DOUBLE_EQ(point.shares->other_ms, 10);
}

TEST_F(ScalingResultTest, WithoutARateStepsAreCountedAndWithoutStepsItIsSaid) {
    std::string unit;
    const ScalingPoint weak = measure_run(*store_, add_run("a", 2, 0, false), ScalingMode::Weak, unit);
    EXPECT_EQ(unit, "steps_per_s");
    EXPECT_NEAR(weak.throughput, 20, 1e-6) << "two ranks, ten steps a second";
    EXPECT_FALSE(weak.shares) << "not reported";
    EXPECT_NEAR(measure_run(*store_, *store_->run("a"), ScalingMode::Strong, unit).throughput, 10, 1e-6);
    RunRecord empty;
    empty.run_id = "empty";
    empty.plan = test::plan_of(1, 1);
    ASSERT_TRUE(store_->create_run(empty));
    EXPECT_NE(measure_run(*store_, *store_->run("empty"), ScalingMode::Weak, unit).failure.find("no steps"),
              std::string::npos);
}

TEST_F(ScalingResultTest, AStoredResultIsReadAgainWithSpeedUpAndEfficiency) {
    add_run("one", 1, 100, true);
    add_run("four", 4, 75, true);
    RunLabels labels;
    labels.add_tag("scaling-weak-20261123-071500");
    const std::map<std::string, RunLabels> all{{"one", labels}, {"four", labels}, {"gone", labels}};
    const auto result = read_scaling(*store_, all, labels.tags.front());
    ASSERT_TRUE(result);
    ASSERT_EQ(result->points.size(), 2U);
    EXPECT_EQ(result->mode, ScalingMode::Weak);
    EXPECT_DOUBLE_EQ(result->points[1].speedup, 3);
    EXPECT_DOUBLE_EQ(result->points[1].efficiency, 0.75);
    EXPECT_FALSE(read_scaling(*store_, all, "scaling-weak-0"));
    EXPECT_FALSE(scaling_mode_of("scaling-other"));
    EXPECT_EQ(scaling_tag_of(labels), labels.tags.front());
    EXPECT_EQ(scaling_mode_of(scaling_tag(ScalingMode::Strong, kScalingStart)), ScalingMode::Strong);
}

}  // namespace
}  // namespace rankscope
