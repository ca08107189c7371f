// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Whole runs that are resumed: the curve must continue as if there had been no interruption.

#include <engine/checkpoint/safetensors.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/models/model_registry.h>
#include <engine/train/initial_weights.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>

#include <filesystem>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kLong = 240s;

/// Everything that has a state: momentum, schedule by step, accumulation, shuffling.
json job(const TemporaryFolder& folder) {
    return {{"model", "convnet"},
            {"dataset", {{"name", "synthetic-digits"}, {"train_size", 330}, {"test_size", 20}}},
            {"epochs", 3},
            {"batch_size", 10},
            {"accumulate_steps", 2},
            {"metrics_every", 1},
            {"optimizer", {{"name", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"nesterov", true}}},
            {"schedule", {{"name", "cos"}, {"by", "step"}, {"warmup", {{"steps", 5}}}}},
            {"checkpoint", {{"folder", (folder / "checkpoints").string()}, {"every_steps", 4}}}};
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

void expect_exact_continuation(int world, const json& patch, std::int64_t stop) {
    const TemporaryFolder folder;
    json whole = job(folder);
    whole.merge_patch(patch);
    whole.erase("checkpoint");
    const auto expected = finished_world(folder / "whole", world, whole);
    json first = job(folder);
    first.merge_patch(patch);
    first["max_steps"] = stop;
    const auto before = finished_world(folder / "first", world, first);
    json second = first;
    second.erase("max_steps");
    const auto after = finished_world(folder / "second", world, second);
    for (int rank = 0; rank < world; ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        std::vector<double> joined = before[r].series("loss");
        ASSERT_EQ(joined.size(), static_cast<std::size_t>(stop));
        const auto rest = after[r].series("loss");
        joined.insert(joined.end(), rest.begin(), rest.end());
        EXPECT_EQ(joined, expected[r].series("loss")) << "bit for bit";
        EXPECT_EQ(after[r].text("params"), expected[r].text("params"));
    }
    EXPECT_EQ(after[0].series("samples").back(), expected[0].series("samples").back());
    EXPECT_EQ(after[0].series("val_loss").back(), expected[0].series("val_loss").back());
}

TEST(Resume, WithinAnEpochTheCurveContinuesBitForBit) {
    expect_exact_continuation(1, json::object(), 22);  // 17 updates in an epoch, the last of one batch
}

TEST(Resume, TwoRanksWithAdamWAndBatchNorms) {
    expect_exact_continuation(
        2, json::parse(R"({"model": "resnet18", "epochs": 2, "dataset": {"train_size": 96}, "batch_size": 8,
                        "accumulate_steps": 1, "optimizer": {"name": "adamw", "lr": 0.001, "momentum": null,
                        "nesterov": null}, "schedule": "onecycle", "clip_norm": 1.0})"),
        7);
}

TEST(Resume, DropoutContinuesBitForBit) {
    expect_exact_continuation(
        2,
        json::parse(
            R"({"model": "gpt2-mini", "epochs": 2, "dataset": {"name": "synthetic-text", "sequence": 16,
                        "train_size": 48, "test_size": 8}, "batch_size": 4, "dropout": 0.2, "accumulate_steps": 1})"),
        5);
}

/// With a part of the state on each rank, a checkpoint is the same as without, and any stage continues any other.
TEST(Resume, EveryStageOfZeroContinuesEveryOtherBitForBit) {
    const TemporaryFolder folder;
    json whole = job(folder);
    whole.merge_patch(json::parse(R"({"accumulate_steps": 1, "epochs": 1, "dataset": {"train_size": 120},
                                      "optimizer": {"name": "adamw", "lr": 0.001, "momentum": null, "nesterov": null}})"));
    json uninterrupted = whole;
    uninterrupted.erase("checkpoint");
    const auto whole_run = finished_world(folder / "whole", 3, uninterrupted);
    const WorkerProcess& expected = whole_run[0];
    for (int from = 0; from < 4; ++from) {
        const int to = (from + 1) % 4;
        json first = whole;
        first["checkpoint"]["folder"] = (folder / ("from" + std::to_string(from))).string();
        first["parallel"] = {{"zero", from}};
        first["max_steps"] = 2;
        finished_world(folder / "first", 3, first);
        json second = first;
        second.erase("max_steps");
        second["parallel"] = {{"zero", to}};
        const auto second_run = finished_world(folder / "second", 3, second);
        const WorkerProcess& after = second_run[0];
        const std::vector<double> all = expected.series("loss");
        EXPECT_EQ(after.series("loss"), std::vector<double>(all.begin() + 2, all.end()))
            << from << " to " << to;
        EXPECT_EQ(after.text("params"), expected.text("params")) << from << " to " << to;
        // Half of what an all-reduce sends to gather the gradients, half to give the weights; and the smallest of checks.
        // Where the weights are shared, they are given for each pass, but for the bucket between the two.
        const double sent = after.series("sent_mb").back() / expected.series("sent_mb").back();
        EXPECT_GT(sent, to == 3 ? 1.2 : 0.99);
        EXPECT_LT(sent, to == 3 ? 1.51 : 1.01);
    }
}

TEST(Resume, AtTheEndOfAnEpoch) {
    expect_exact_continuation(1, json::object(), 17);
}

TEST(Resume, ARunThatIsFinishedStaysAsItIs) {
    const TemporaryFolder folder;
    json once = job(folder);
    once["epochs"] = 1;
    const auto first = finished_world(folder / "first", 1, once);
    const auto again = finished_world(folder / "again", 1, once);
    EXPECT_TRUE(again[0].series("loss").empty());
    EXPECT_EQ(again[0].text("params"), first[0].text("params"));
    once["checkpoint"]["resume"] = "never";
    EXPECT_EQ(finished_world(folder / "again", 1, once)[0].series("loss"), first[0].series("loss"));
}

TEST(Resume, OnAnotherWorldSizeTheEpochContinuesAtTheSameSample) {
    const TemporaryFolder folder;
    json first = job(folder);
    first["accumulate_steps"] = 1;
    first["max_steps"] = 8;  // 80 samples of the epoch's 330
    finished_world(folder / "first", 1, first);
    json second = first;
    second.erase("max_steps");
    second["epochs"] = 1;
    const auto after = finished_world(folder / "second", 2, second);
    EXPECT_EQ(after[0].series("loss").size(), 13U);  // 330 − 80 samples in steps of 20
    EXPECT_EQ(after[0].text("params"), after[1].text("params"));
    EXPECT_NE(after[0].output().find("checkpoint of step 8"), std::string::npos) << after[0].output();
}

TEST(Resume, AKilledRunResumesFromItsLastCheckpoint) {
    const TemporaryFolder folder;
    json endless = job(folder);
    endless["epochs"] = 2000;
    std::filesystem::create_directories(folder / "first");
    auto workers = start_world(folder / "first", 2, endless);
    const auto deadline = std::chrono::steady_clock::now() + kLong;
    while (workers[0].series("checkpoint_step").size() < 2 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(5ms);
    }
    workers[1].signal(SIGKILL);
    EXPECT_EQ(workers[0].wait(kLong), 75);
    const auto before = workers[0].series("loss");
    json rest = endless;
    rest["max_steps"] = static_cast<std::int64_t>(before.size()) + 3;
    const auto after = finished_world(folder / "second", 2, rest);
    std::int64_t first_step = 0;
    for (const json& line : after[0].metrics()) {
        if (line.contains("loss")) {
            first_step = line["step"];
            break;
        }
    }
    ASSERT_GT(first_step, 4);
    const auto again = after[0].series("loss");
    for (auto step = static_cast<std::size_t>(first_step); step <= before.size(); ++step) {
        EXPECT_EQ(again[step - static_cast<std::size_t>(first_step)], before[step - 1]) << "step " << step;
    }
}

TEST(Resume, ACheckpointThatIsNamedAndNotThereIsAnError) {
    const TemporaryFolder folder;
    json config = job(folder);
    config["checkpoint"]["resume"] = (folder / "nowhere").string();
    const auto workers = finished_world(folder / "run", 1, config, 2);
    EXPECT_NE(workers[0].errors().find("checkpoint.resume"), std::string::npos) << workers[0].errors();
    EXPECT_NE(workers[0].errors().find("nowhere"), std::string::npos);
}

TEST(Checkpoints, ThatCannotBeWrittenAreReportedOnceAndTrainingContinues) {
    const TemporaryFolder folder;
    // A name that can be listed, but is too long (PATH_MAX) for what is to be written below it.
    std::filesystem::path deep = folder.path();
    while (deep.string().size() < 3900) {
        deep /= std::string(100, 'x');
    }
    deep /= std::string(4085 - deep.string().size() - 1, 'x');
    std::filesystem::create_directories(deep);
    json run = job(folder);
    run["checkpoint"]["folder"] = deep.string();
    run["checkpoint"]["every_steps"] = 2;
    run["epochs"] = 1;
    const auto workers = finished_world(folder / "run", 1, run);
    const std::string said = workers[0].output();
    const std::string word = "was not written";
    const std::size_t first = said.find(word);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(word, first + 1), std::string::npos) << said;
    EXPECT_NE(said.find("name too long"), std::string::npos) << said;
    EXPECT_FALSE(workers[0].text("params").empty());
}

TEST(InitFrom, TheWeightsOfAnotherRunAreTaken) {
    const TemporaryFolder folder;
    json first = job(folder);
    first["epochs"] = 1;
    const auto source = finished_world(folder / "first", 1, first);
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "checkpoints")) {
        newest = std::max(newest, entry.path());
    }
    json second = job(folder);
    second.erase("schedule");
    second["optimizer"]["lr"] = 0;
    second["max_steps"] = 1;
    second["checkpoint"] = {{"init_from", (newest / "model.safetensors").string()}};
    const auto target = finished_world(folder / "second", 2, second);
    EXPECT_EQ(target[1].text("params"), source[0].text("params"));
}

TEST(InitFrom, EveryMismatchIsListed) {
    const TemporaryFolder folder;
    const std::vector<TensorRecord> tensors{float_tensor("conv1.weight", {2, 2}, std::vector<float>(4)),
                                            float_tensor("extra", {1}, std::vector<float>(1)),
                                            float_tensor("fc1.bias", {10}, std::vector<float>(10))};
    const Graph graph = build_model("convnet", {1, 28, 28}, 10);
    const auto mismatches = weight_mismatches(tensors, graph);
    EXPECT_EQ(mismatches.size(), graph.parameters.size());  // all but fc1.bias, and one too many
    write_state_dict(folder / "w.safetensors", tensors);
    json config = job(folder);
    config["checkpoint"] = {{"init_from", (folder / "w.safetensors").string()}};
    const auto workers = finished_world(folder / "run", 1, config, 2);
    for (const char* part :
         {"conv1.weight has shape [2, 2]", "conv2.weight", "is missing", "extra [1] is not in the model"}) {
        EXPECT_NE(workers[0].errors().find(part), std::string::npos) << part << "\n" << workers[0].errors();
    }
}

}  // namespace
}  // namespace rankscope::engine::test
