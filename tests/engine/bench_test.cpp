// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// `rankscope-worker bench`: the figures, and its messages about wrong arguments.

#include <engine/bench/bench_options.h>
#include <engine/bench/step_figures.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/process_memory.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kLong = 240s;

std::vector<WorkerProcess> start_bench(const TemporaryFolder& folder, int world,
                                       std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    const std::string port = std::to_string(free_port());
    std::vector<WorkerProcess> workers;
    for (int rank = 0; rank < world; ++rank) {
        workers.emplace_back(folder.path(), "rank" + std::to_string(rank), arguments,
                             std::map<std::string, std::string>{{"RANK", std::to_string(rank)},
                                                                {"LOCAL_RANK", std::to_string(rank)},
                                                                {"WORLD_SIZE", std::to_string(world)},
                                                                {"LOCAL_WORLD_SIZE", std::to_string(world)},
                                                                {"MASTER_ADDR", "127.0.0.1"},
                                                                {"MASTER_PORT", port},
                                                                {"RANKSCOPE_TOKEN", "secret"}});
    }
    return workers;
}

TEST(StepFigures, MedianAndQuantile) {
    EXPECT_EQ(median({}), 0.0);
    EXPECT_EQ(median({3, 1, 2}), 2.0);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    std::vector<double> hundred(100);
    for (std::size_t i = 0; i < hundred.size(); ++i) {
        hundred[i] = static_cast<double>(99 - i);
    }
    EXPECT_EQ(quantile(hundred, 0.99), 99.0);
    EXPECT_EQ(quantile(hundred, 0.5), 50.0);
    EXPECT_EQ(quantile({7}, 1.0), 7.0);
}

TEST(StepFigures, CpuTimeAndMemoryGrow) {
    const auto before = process_cpu_time();
    const double rss = peak_rss_mb();
    EXPECT_GT(rss, 1.0);
    std::vector<char> block(std::size_t{64} << 20, 'x');
    EXPECT_GT(process_cpu_time(), before);
    EXPECT_GE(peak_rss_mb(), std::max(rss, 64.0)) << block.back();
}

TEST(BenchOptions, EveryModelHasUsualData) {
    for (const std::string& name : model_names()) {
        BenchOptions options;
        options.model = name;
        complete(options);
        EXPECT_GT(options.batch, 0) << name;
        EXPECT_EQ(build_model(name, options.sample, options.classes).classes, options.classes);
    }
}

TEST(BenchOptions, UnknownModelIsNamed) {
    BenchOptions options;
    options.model = "vgg";
    EXPECT_THROW(complete(options), ConfigError);
}

TEST(Bench, OneRankPrintsOneLine) {
    const TemporaryFolder folder;
    auto workers =
        start_bench(folder, 1, {"--model", "convnet", "--batch", "8", "--steps", "4", "--warmup", "0"});
    ASSERT_EQ(workers[0].wait(kLong), 0) << workers[0].errors();
    const json line = json::parse(workers[0].output());
    EXPECT_EQ(line["bench"], "convnet");
    EXPECT_EQ(line["batch"], 8);
    EXPECT_EQ(line["parameters"], 113674);
    EXPECT_NEAR(line["images_per_s"].get<double>(), 8000.0 / line["step_ms"]["median"].get<double>(), 1e-6);
    EXPECT_GE(line["step_ms"]["p99"], line["step_ms"]["median"]);
    for (const char* phase : {"forward", "backward", "optimizer"}) {
        EXPECT_GT(line["phases_ms"][phase], 0) << phase;
    }
    EXPECT_GT(line["cpu_s_per_step"], 0);
    EXPECT_GT(line["peak_rss_mb"], 1);
    EXPECT_FALSE(line["layout"].get<std::string>().empty());
    EXPECT_EQ(line["ranks"].size(), 1U);
    EXPECT_FALSE(line.contains("exposed_communication"));
}

TEST(Bench, TwoRanksPrintOneLineTogether) {
    const TemporaryFolder folder;
    auto workers = start_bench(folder, 2, {"--model", "toy", "--steps", "10", "--no-sync"});
    for (WorkerProcess& worker : workers) {
        ASSERT_EQ(worker.wait(kLong), 0) << worker.errors();
    }
    EXPECT_EQ(workers[1].output(), "");
    const json line = json::parse(workers[0].output());
    EXPECT_EQ(line["world_size"], 2);
    EXPECT_EQ(line["ranks"].size(), 2U);
    EXPECT_NEAR(line["images_per_s"].get<double>(), 40000.0 / line["step_ms"]["median"].get<double>(), 1e-6);
    EXPECT_LT(line["exposed_communication"], 1);
    EXPECT_GT(line["phases_ms"]["communication"], 0);
}

// Needs the CUDA libraries, no GPU; where the build is without them, the reason is given.
TEST(Bench, APlanIsCountedWithoutAGpu) {
    const TemporaryFolder folder;
    auto workers =
        start_bench(folder, 1, {"--plan", "--model", "resnet18", "--batch", "256", "--precision", "bf16"});
    const auto code = workers[0].wait(kLong);
    if (code == 2) {
        EXPECT_NE(workers[0].errors().find("librankscope-cuda.so"), std::string::npos) << workers[0].errors();
        GTEST_SKIP() << workers[0].errors();
    }
    ASSERT_EQ(code, 0) << workers[0].errors();
    const json line = json::parse(workers[0].output());
    EXPECT_EQ(line["plan"], "resnet18");
    EXPECT_EQ(line["batch"], 256);
    EXPECT_EQ(line["kernels"].get<int>(),
              line["lanes"]["main"]["kernels"].get<int>() + line["lanes"]["side"]["kernels"].get<int>());
    EXPECT_GT(line["lanes"]["main"]["mb"].get<double>(), 100.0);
}

TEST(Bench, WrongArgumentsEndWithTwo) {
    const TemporaryFolder folder;
    for (const auto& [arguments, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"--model", "vgg"}, "vgg"},
             {{"--batch", "0"}, "--batch"},
             {{"--precision", "fp8"}, "--precision"},
             {{"--operations"}, "--operations: needs --device cuda"},
             {{"--precision", "fp16"}, "fp16"},  // known, but nothing for a CPU
             {{"--model", "convnet", "--sample-shape", "1,4,4"}, "convnet"}}) {
        auto workers = start_bench(folder, 1, arguments);
        EXPECT_EQ(workers[0].wait(kLong), 2) << said;
        EXPECT_NE(workers[0].errors().find(said), std::string::npos) << workers[0].errors();
    }
}

/// The bundle that is pushed to a node holds the worker without its siblings.
TEST(Worker, SaysWhichProgramOfACommandIsMissing) {
    const TemporaryFolder folder;
    std::filesystem::copy_file(RANKSCOPE_WORKER, folder.path() / "rankscope-worker");
    for (const std::string command : {"bench", "distribuuuu"}) {
        const std::string line =
            (folder.path() / "rankscope-worker").string() + " " + command + " --help 2>&1";
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
        std::string text;
        for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
            text += static_cast<char>(c);
        }
        EXPECT_NE(text.find("rankscope-worker-" + command), std::string::npos) << text;
        EXPECT_NE(text.find("not installed here"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace rankscope::engine::test
