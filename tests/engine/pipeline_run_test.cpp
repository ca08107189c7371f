// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Whole runs of networks that ranks divide: real rankscope-worker processes on the loopback device.

#include <base/memory_metrics.h>
#include <base/metrics_line.h>
#include <base/pipeline_passes.h>
#include <engine/models/training_cost.h>
#include <engine/train/run_worker.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kLong = 240s;

json job() {
    return {{"model", "convnet"},
            {"dataset", {{"name", "synthetic-digits"}, {"train_size", 330}, {"test_size", 101}}},
            {"epochs", 1},
            {"batch_size", 20},
            {"seed", 3},
            {"metrics_every", 1},
            {"optimizer", {{"name", "adamw"}, {"lr", 0.001}}}};
}

json with_stages(json config, int stages) {
    config["parallel"] = {{"pipeline", {{"stages", stages}, {"micro_batches", 4}}}};
    return config;
}

json with_slices(json config, int slices) {
    config["parallel"] = {{"tensor", slices}};
    return config;
}

json language_job() {
    json config = job();
    config.merge_patch(
        {{"model", "gpt2-mini"},
         {"dataset", {{"name", "synthetic-text"}, {"sequence", 16}, {"train_size", 48}, {"test_size", 8}}},
         {"batch_size", 8},
         {"dropout", 0.2},
         {"clip_norm", 0.5}});
    return config;
}

std::vector<WorkerProcess> finished_world(const std::filesystem::path& folder, int world, const json& config,
                                          int code = 0) {
    std::filesystem::create_directories(folder);
    auto workers = start_world(folder, world, config);
    for (WorkerProcess& worker : workers) {
        EXPECT_EQ(worker.wait(kLong), code) << worker.errors();
    }
    return workers;
}

/// All ranks end, by themselves or because another one did, and say why.
void expect_refusal(const std::filesystem::path& folder, int world, const json& config,
                    const std::string& why) {
    std::filesystem::create_directories(folder);
    auto workers = start_world(folder, world, config);
    int refused = 0;
    for (WorkerProcess& worker : workers) {
        const auto code = worker.wait(kLong);
        EXPECT_TRUE(code == kExitWrongUse || code == kExitPeerLost) << worker.errors();
        refused += code == kExitWrongUse ? 1 : 0;
        EXPECT_NE(worker.errors().find(why), std::string::npos) << worker.errors();
    }
    EXPECT_GT(refused, 0);
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], expected[i], 1e-4 * std::max(1.0, expected[i])) << i;
    }
}

TEST(PipelineRun, OfFourRanksTrainsLikeTwoRanks) {
    const TemporaryFolder folder;
    const auto plain = finished_world(folder / "plain", 2, job());
    const auto staged = finished_world(folder / "staged", 4, with_stages(job(), 2));
    // Stage 0 has ranks 0 and 1; stage 1, which has the loss, ranks 2 and 3.
    for (std::size_t pipeline : {0U, 1U}) {
        expect_near(staged[2 + pipeline].series("loss"), plain[pipeline].series("loss"));
        EXPECT_EQ(staged[2 + pipeline].series("samples"), plain[pipeline].series("samples"));
        EXPECT_TRUE(staged[pipeline].series("loss").empty());
        EXPECT_TRUE(staged[pipeline].series("images_per_s").empty());
        EXPECT_EQ(staged[pipeline].series("t_step_ms").size(), 9U);
        EXPECT_EQ(staged[pipeline].series("t_bubble_ms").size(), 9U);
    }
    // Of the last update: every micro-batch passes forward and backward, one pass after the other.
    for (const WorkerProcess& rank : staged) {
        const auto passes = read_passes(rank.text(kPassesKey));
        ASSERT_TRUE(passes) << rank.text(kPassesKey);
        EXPECT_EQ(std::count_if(passes->begin(), passes->end(),
                                [](const PipelinePass& one) { return one.forward; }),
                  static_cast<std::ptrdiff_t>(passes->size() / 2));
        for (std::size_t i = 1; i < passes->size(); ++i) {
            EXPECT_GE((*passes)[i].begin_ms, (*passes)[i - 1].begin_ms + (*passes)[i - 1].length_ms - 0.02);
        }
    }
    expect_near(staged[0].series("loss_all"), plain[0].series("loss_all"));
    for (const WorkerProcess& rank : staged) {
        expect_near(rank.series("val_loss"), plain[0].series("val_loss"));
        EXPECT_EQ(rank.series("val_samples"), plain[0].series("val_samples"));
        EXPECT_EQ(rank.text("params"), staged[0].text("params")) << "of the whole network";
    }
    EXPECT_EQ(staged[0].text("params").size(), 7U + 64U);
}

TEST(PipelineRun, ALayoutContinuesAnyOther) {
    const TemporaryFolder folder;
    struct Layout {
        int ranks;
        json parallel;
    };
    const auto pipeline = [](int stages, int zero = 0) {
        return json{{"zero", zero}, {"pipeline", {{"stages", stages}, {"micro_batches", 5}}}};
    };
    json sliced_pipeline = pipeline(2, 1);
    sliced_pipeline["tensor"] = 2;
    const std::vector<Layout> layouts{{2, {{"zero", 0}}},      {2 * 2, pipeline(2)},
                                      {2, {{"zero", 2}}},      {2 * 2, {{"tensor", 2}, {"zero", 1}}},
                                      {3 * 2, pipeline(3, 1)}, {2 * 2 * 2, sliced_pipeline},
                                      {2 * 2, pipeline(2, 2)}, {4 * 2, {{"tensor", 4}, {"zero", 3}}},
                                      {2, {{"zero", 3}}},      {2, {{"zero", 0}}}};
    const auto plain_run = finished_world(folder / "plain", 2, job());
    const std::vector<double> expected = plain_run[0].series("loss_all");
    for (std::size_t i = 0; i + 1 < layouts.size(); ++i) {
        json first = job();
        first["checkpoint"] = {{"folder", (folder / ("checkpoints" + std::to_string(i))).string()}};
        first["parallel"] = layouts[i].parallel;
        first["max_steps"] = 4;
        finished_world(folder / "first", layouts[i].ranks, first);
        json second = first;
        second.erase("max_steps");
        second["parallel"] = layouts[i + 1].parallel;
        const auto run = finished_world(folder / "second", layouts[i + 1].ranks, second);
        expect_near(run[0].series("loss_all"), {expected.begin() + 4, expected.end()});
        expect_near(run[0].series("val_loss"), plain_run[0].series("val_loss"));
    }
}

TEST(PipelineRun, OfATiedWeightWithDropoutTrainsLikeOneRank) {
    const TemporaryFolder folder;
    const json language = language_job();
    const auto plain = finished_world(folder / "plain", 1, language);
    const auto staged = finished_world(folder / "staged", 3, with_stages(language, 3));
    expect_near(staged[2].series("loss"), plain[0].series("loss"));
    expect_near(staged[0].series("grad_norm"), plain[0].series("grad_norm"));
    json sharded = with_stages(language, 2);
    sharded["parallel"]["zero"] = 2;
    expect_refusal(folder / "refused", 4, sharded, "whose first and last stage share a weight");
}

TEST(TensorRun, OfFourRanksTrainsLikeTwoRanks) {
    const TemporaryFolder folder;
    const auto plain = finished_world(folder / "plain", 2, language_job());
    const auto sliced = finished_world(folder / "sliced", 4, with_slices(language_job(), 2));
    // Ranks 0 and 1 have the slices of the first replica; the first slice reports.
    for (const std::size_t replica : {0U, 1U}) {
        const WorkerProcess& first = sliced[2 * replica];
        const WorkerProcess& second = sliced[2 * replica + 1];
        expect_near(first.series("loss"), plain[replica].series("loss"));
        EXPECT_EQ(first.series("samples"), plain[replica].series("samples"));
        EXPECT_TRUE(second.series("loss").empty());
        EXPECT_TRUE(second.series("tokens_per_s").empty());
        EXPECT_EQ(second.series("t_step_ms").size(), first.series("t_step_ms").size());
    }
    expect_near(sliced[0].series("loss_all"), plain[0].series("loss_all"));
    for (const WorkerProcess& rank : sliced) {
        expect_near(rank.series("grad_norm"), plain[0].series("grad_norm"));
        expect_near(rank.series("val_loss"), plain[0].series("val_loss"));
        EXPECT_EQ(rank.series("val_samples"), plain[0].series("val_samples"));
        EXPECT_EQ(rank.text("params"), sliced[0].text("params")) << "of the whole network";
    }
}

TEST(TensorRun, SendsWhatThePlanSays) {
    const TemporaryFolder folder;
    json config = with_slices(language_job(), 2);
    config.erase("clip_norm");
    config["metrics_every"] = 1000;  // updates without a norm, but for the first ones
    const auto run = finished_world(folder.path(), 4, config);
    const auto cost = training_cost(config::parse_train_config(config), 4);
    ASSERT_TRUE(cost);
    constexpr double kMega = 1e6;
    const std::vector<double> sent = run[0].series("sent_mb");
    ASSERT_GT(sent.size(), 2U);
    // And the norm of the gradients, for the metric.
    EXPECT_NEAR(sent[1], static_cast<double>(cost->sent) / kMega, 1e-4);
    EXPECT_GT(cost->slice->sums, 0U);
    constexpr double kMiB = 1048576.0;
    const auto expect_memory = [&](const char* metric, std::uint64_t planned) {
        const double theory = static_cast<double>(planned) / kMiB;
        EXPECT_NEAR(run[0].series(metric).back(), theory, 0.005 * theory) << metric;
    };
    expect_memory(kWeightsMemory, cost->memory.weights);
    expect_memory(kGradientsMemory, cost->memory.gradients);
    expect_memory(kOptimizerMemory, cost->memory.optimizer);
    EXPECT_GT(run[0].series(kActivationsMemory).back(), 0.0);
}

TEST(TensorRun, RefusesSlicesThatFitNeitherTheRanksNorTheNetwork) {
    const TemporaryFolder folder;
    expect_refusal(folder / "odd", 3, with_slices(language_job(), 2),
                   "does not divide the number of ranks, 3");
    expect_refusal(folder / "heads", 3, with_slices(language_job(), 3), "parallel.tensor can be 2");
    json both = with_stages(language_job(), 2);
    both["parallel"]["tensor"] = 2;
    expect_refusal(folder / "both", 2, both, "parallel.tensor times parallel.pipeline.stages is 4");
}

TEST(PipelineRun, BeginsWithTheWeightsOfAFile) {
    const TemporaryFolder folder;
    json first = job();
    first["checkpoint"] = {{"folder", (folder / "checkpoints").string()}};
    finished_world(folder / "first", 1, first);
    json second = job();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "checkpoints")) {
        if (entry.path().filename() == "model.safetensors") {
            second["checkpoint"] = {{"init_from", entry.path().string()}};
        }
    }
    ASSERT_TRUE(second.contains("checkpoint"));
    const auto plain = finished_world(folder / "plain", 1, second);
    const auto staged = finished_world(folder / "staged", 2, with_stages(second, 2));
    expect_near(staged[1].series("loss"), plain[0].series("loss"));
}

TEST(PipelineRun, RefusesStagesThatFitNeitherTheRanksNorTheNetwork) {
    const TemporaryFolder folder;
    expect_refusal(folder / "odd", 3, with_stages(job(), 2), "does not divide the number of ranks, 3");
    json many = with_stages(job(), 4);
    many["model"] = "mlp";
    expect_refusal(folder / "many", 4, many, "parallel.pipeline.stages is at most");
}

void await_steps(const WorkerProcess& worker, std::size_t steps) {
    const auto deadline = Clock::now() + kLong;
    while (worker.series("t_step_ms").size() < steps && Clock::now() < deadline) {
        std::this_thread::sleep_for(20ms);
    }
    ASSERT_GE(worker.series("t_step_ms").size(), steps) << worker.errors();
}

void expect_lost(std::vector<WorkerProcess>& workers, int victim, Clock::time_point lost) {
    for (int rank = 0; rank < static_cast<int>(workers.size()); ++rank) {
        WorkerProcess& worker = workers[static_cast<std::size_t>(rank)];
        if (rank != victim) {
            EXPECT_EQ(worker.wait(10s), kExitPeerLost) << worker.errors();
            EXPECT_NE(worker.errors().find("rank " + std::to_string(victim) + " is gone"), std::string::npos)
                << worker.errors();
        }
    }
    EXPECT_LT(Clock::now() - lost, 6s);
}

void expect_killed_rank_named(int world, int victim, json endless) {
    const TemporaryFolder folder;
    endless["epochs"] = 1'000'000;
    auto workers = start_world(folder.path(), world, endless);
    await_steps(workers[static_cast<std::size_t>((victim + 1) % world)], 3);
    workers[static_cast<std::size_t>(victim)].signal(SIGKILL);
    expect_lost(workers, victim, Clock::now());
}

void expect_stopped_rank_named(int world, int victim, json endless) {
    const TemporaryFolder folder;
    endless["epochs"] = 1'000'000;
    endless["ddp"] = {{"heartbeat_s", 3}};
    auto workers = start_world(folder.path(), world, endless);
    await_steps(workers[static_cast<std::size_t>((victim + 1) % world)], 3);
    workers[static_cast<std::size_t>(victim)].signal(SIGSTOP);
    expect_lost(workers, victim, Clock::now());
    workers[static_cast<std::size_t>(victim)].signal(SIGCONT);
    EXPECT_EQ(workers[static_cast<std::size_t>(victim)].wait(10s), kExitPeerLost);
}

TEST(PipelineRun, AKilledRankEndsAllStagesAndIsNamed) {
    for (const int victim : {0, 1, 3}) {
        expect_killed_rank_named(4, victim, with_stages(job(), 2));
    }
}

TEST(PipelineRun, AStoppedRankEndsAllStagesAndIsNamed) {
    for (const int victim : {0, 2}) {
        expect_stopped_rank_named(3, victim, with_stages(job(), 3));
    }
}

TEST(TensorRun, AKilledRankEndsAllSlicesAndIsNamed) {
    for (const int victim : {0, 1, 3}) {
        expect_killed_rank_named(4, victim, with_slices(language_job(), 2));
    }
}

TEST(SharedWeightsRun, AKilledOrStoppedRankEndsAllAndIsNamed) {
    json shared = job();
    shared["parallel"] = {{"zero", 3}};
    expect_killed_rank_named(3, 1, shared);
    expect_stopped_rank_named(2, 0, shared);
}

TEST(TensorRun, AStoppedRankEndsAllSlicesAndIsNamed) {
    for (const int victim : {0, 1}) {
        expect_stopped_rank_named(2, victim, with_slices(job(), 2));
    }
}

}  // namespace
}  // namespace rankscope::engine::test
