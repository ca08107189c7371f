// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"

#include <remote/desk/runs/run/gpu_peaks.h>
#include <remote/desk/runs/run/throughput.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope {
namespace {

using test::plan_of;
using Values = std::vector<std::pair<std::string, double>>;

// A run whose events come at times of the test's.
class Throughput : public ::testing::Test {
protected:
    void plan(int ranks, std::vector<std::string> command = {"python", "train.py"}) {
        LaunchPlan plan = plan_of(1, ranks);
        for (auto& rank : plan.ranks) {
            rank.command = command;
        }
        state_.set_plan(plan);
    }
    void plan_on_gpus(int ranks, std::vector<std::string> command,
                      const std::string& gpu = "NVIDIA H100 80GB HBM3") {
        plan(ranks, std::move(command));
        std::string visible;
        for (int i = 0; i < ranks; ++i) {
            visible += (i > 0 ? "," : "") + std::to_string(i);
        }
        for (auto& rank : state_.plan.ranks) {
            rank.device = "cuda:" + std::to_string(rank.rank);
            rank.gpu = gpu;
            rank.env["CUDA_VISIBLE_DEVICES"] = visible;
        }
    }
    void apply(double seconds, int rank, EventBody body) {
        Event event;
        event.t_us = 1'000'000'000 + static_cast<std::int64_t>(seconds * 1e6);
        event.node = rank < 0 ? "" : "node1";
        event.rank = rank;
        event.body = std::move(body);
        state_.apply(event);
    }
    void step(double seconds, std::int64_t step, Values values = {{"loss", 1}}, int rank = 0,
              double epoch = -1) {
        apply(seconds, rank,
              MetricEvent{.step = step, .epoch = epoch, .values = std::move(values), .texts = {}});
    }
    // Four steps a second for half a minute.
    void train() {
        for (int i = 1; i <= 120; ++i) {
            step(10 + i / 4.0, i);
        }
    }
    void print(const std::string& text) { apply(1, 0, LogEvent{.is_stderr = false, .text = text}); }
    ThroughputReport report() const { return throughput_of(state_); }
    std::string line() const { return throughput_line(report()); }
    std::string reasons() const {
        std::string all;
        for (const auto& missing : report().missing) {
            all += (all.empty() ? "" : " ") + missing.figure + ':' + missing.reason;
            EXPECT_FALSE(to_sentence(missing).empty());
        }
        return all;
    }

    RunState state_;
};

TEST_F(Throughput, StepsAndBatchOfTheCommandGiveSamples) {
    plan(1, {"python", "train.py", "--batch-size", "64"});
    train();
    EXPECT_EQ(line(), "256 samples/s · 4 steps/s");
    const auto figures = report();
    EXPECT_EQ(derivation(*figures.samples_per_s), "4 steps_per_s × 64 batch_per_rank (--batch-size 64)");
    EXPECT_FALSE(figures.samples_per_s->printed);
    const auto json = to_json(figures);
    EXPECT_NEAR(json["samples_per_s"]["value"].get<double>(), 256, 1e-6);
    EXPECT_EQ(json["samples_per_s"]["inputs"][1]["from"], "--batch-size 64");
    EXPECT_TRUE(json["missing"].empty());
}

TEST_F(Throughput, StartPausesValidationsAndCheckpointsAreNoTraining) {
    plan(1);
    double t = 100;
    for (int i = 1; i <= 200; ++i) {
        t += i < 5 ? 3 : 0.5;  // the first steps compile
        step(t, i);
        if (i == 50) {
            apply(t, -1, StageEvent{StageName::Pause, StageStatus::Done, "", -1});
            t += 600;
            apply(t, -1, StageEvent{StageName::Continue, StageStatus::Done, "", -1});
        } else if (i == 100) {
            t += 60;
            step(t, i, {{"val_loss", 1}});
        } else if (i == 150) {
            t += 20;  // nothing says what this was
        }
    }
    EXPECT_NEAR(report().steps_per_s->value, 2, 0.05);
}

TEST_F(Throughput, OutputThatIsBufferedComesInBursts) {
    plan(1);
    for (int burst = 0; burst < 8; ++burst) {
        for (int i = 1; i <= 40; ++i) {
            step(20 * burst + i * 0.001, burst * 40 + i);
        }
    }
    EXPECT_NEAR(report().steps_per_s->value, 2, 0.02);
}

TEST_F(Throughput, StepsOfEachEpochFromTheStart) {
    plan(1);
    double t = 0;
    for (int epoch = 1; epoch <= 3; ++epoch) {
        for (int i = 1; i <= 50; ++i) {
            step(t += 0.2, i, {{"loss", 1}}, 0, epoch);
        }
        t += 30;
    }
    EXPECT_NEAR(report().steps_per_s->value, 5, 0.1);
}

TEST_F(Throughput, AFileThatFollowsTheLinesDoesNotCount) {
    plan(1);
    for (int i = 1; i <= 200; ++i) {
        step(i / 4.0, i);
        if (i % 20 == 0) {
            for (int late = i - 19; late <= i; ++late) {
                apply(
                    i / 4.0 + 0.1, 0,
                    MetricEvent{
                        .step = late, .epoch = -1, .values = {{"loss", 1}}, .texts = {}, .from_file = true});
            }
        }
        if (i % 10 == 0) {
            step(i / 4.0 + 0.2, i - 3);  // a log that is behind its bar
        }
    }
    EXPECT_NEAR(report().steps_per_s->value, 4, 0.05);
}

TEST_F(Throughput, FewStepsGiveNothing) {
    plan(1, {"python", "train.py", "--batch-size", "64"});
    EXPECT_EQ(reasons(), "steps_per_s:no-steps");
    step(1, 1);
    step(3, 2);
    EXPECT_EQ(line(), "");
    EXPECT_EQ(reasons(), "steps_per_s:few-steps");
}

TEST_F(Throughput, AValidationBetweenAllStepsGivesNothing) {
    plan(1);
    for (int i = 1; i <= 20; ++i) {
        step(60 * i, i * 100);
        step(60 * i + 20, i * 100, {{"val_loss", 1}});
    }
    EXPECT_EQ(line(), "");
    EXPECT_EQ(reasons(), "steps_per_s:validation-between");
}

TEST_F(Throughput, EpochsAreNoSteps) {
    plan(1, {"python", "train.py", "--batch-size", "64"});
    for (int i = 1; i <= 20; ++i) {
        step(10 * i, i, {{"loss", 1}}, 0, i);
    }
    EXPECT_EQ(line(), "");
    EXPECT_EQ(reasons(), "steps_per_s:epochs-only");
}

TEST_F(Throughput, ABatchOfNobodyInParticularIsNotMultiplied) {
    plan(4, {"python", "train.py", "--batch-size", "64"});
    train();
    EXPECT_EQ(line(), "4 steps/s");
    EXPECT_EQ(reasons(), "samples_per_s:batch-of-whom");
    EXPECT_EQ(
        to_sentence(report().missing[0]),
        "Samples per second: \"--batch-size 64\" does not say whether it is for one rank or for all. Add "
        "throughput.batch_per_rank or throughput.batch to the job.");
    state_.plan.throughput.batch_per_rank = 64;
    EXPECT_EQ(line(), "1024 samples/s · 4 steps/s");
    state_.plan.throughput = {};
    state_.plan.throughput.batch = 100;
    EXPECT_EQ(line(), "400 samples/s · 4 steps/s");
}

TEST_F(Throughput, WhatTheOutputSaysOfAllRanksCounts) {
    plan(4, {"python", "run.py", "--per_device_train_batch_size", "8", "--gradient_accumulation_steps", "2"});
    train();
    EXPECT_EQ(line(), "256 samples/s · 4 steps/s");
    RunState before = state_;
    state_ = {};
    plan(4, {"python", "run.py", "--batch_size", "8"});
    print("  Total train batch size (w. parallel, distributed & accumulation) = 32\n");
    train();
    EXPECT_EQ(line(), "128 samples/s · 4 steps/s");
}

TEST_F(Throughput, ABatchThatIsReportedWithEachStepCounts) {
    plan(8, {"pretrain.py", "--micro-batch-size", "1", "--tensor-model-parallel-size", "4"});
    for (int i = 1; i <= 60; ++i) {
        step(i / 2.0, i, {{"loss", 1}, {"global_batch_size", 16}, {"batch_time", 3}}, 7);
    }
    EXPECT_EQ(line(), "32 samples/s · 2 steps/s");
    EXPECT_EQ(report().samples_per_s->inputs[1].from, "global_batch_size = 16");
}

TEST_F(Throughput, UnclearBatchesGiveNoSamples) {
    const std::pair<std::vector<std::string>, const char*> cases[]{
        {{"t.py", "--batch-size", "8", "--accumulation-steps", "4"}, "samples_per_s:passes-or-steps"},
        {{"t.py", "--batch-size", "8", "--train-batch-size", "16"}, "samples_per_s:contradiction"},
        {{"t.py", "--micro-batch-size", "8"}, "samples_per_s:no-accumulation"},
        {{"t.py", "--eval-batch-size", "8", "--epochs", "64"}, "samples_per_s:no-batch"},
    };
    for (const auto& [command, reason] : cases) {
        state_ = {};
        plan(1, command);
        train();
        EXPECT_EQ(line(), "4 steps/s");
        EXPECT_EQ(reasons(), reason);
    }
    state_ = {};
    plan(8, {"t.py", "--batch-size-per-gpu", "8", "--tensor-parallel-size", "4"});
    train();
    EXPECT_EQ(reasons(), "samples_per_s:shared-batch");
}

TEST_F(Throughput, RoundsOfAGameAreNoBatches) {
    plan(1, {"ppo.py", "--batch-size", "64"});
    for (int i = 1; i <= 40; ++i) {
        step(i, i, {{"rollout/ep_rew_mean", 20}, {"loss", 1}});
    }
    EXPECT_EQ(line(), "1 steps/s");
    EXPECT_EQ(reasons(), "samples_per_s:rounds");
}

TEST_F(Throughput, PrintedRatesComeFirst) {
    plan(2, {"t.py", "--batch-size", "64"});
    for (int i = 1; i <= 120; ++i) {
        for (int rank = 0; rank < 2; ++rank) {
            step(i / 4.0, i, {{"loss", 1}, {"samples_per_s", 1000}}, rank);
        }
    }
    EXPECT_EQ(line(), "2000 samples/s · 4 steps/s");
    EXPECT_EQ(derivation(*report().samples_per_s), "printed by the program (samples_per_s)");
    EXPECT_EQ(reasons(), "");
}

TEST_F(Throughput, CountsOfTokensGiveTheirRate) {
    plan(2, {"sft.py"});
    for (int i = 1; i <= 30; ++i) {
        step(2 * i, i, {{"loss", 1}, {"num_tokens", 5000.0 * i}});
    }
    EXPECT_EQ(line(), "2500 tokens/s · 0.5 steps/s");
}

TEST_F(Throughput, TokensPerIterationAndParametersGiveMfu) {
    plan_on_gpus(8, {"train.py", "--batch_size=12"});
    print("tokens per iteration will be: 491,520\nnumber of parameters: 123.59M\n");
    train();
    const auto figures = report();
    ASSERT_TRUE(figures.tokens_per_s && figures.mfu);
    EXPECT_NEAR(figures.tokens_per_s->value, 4 * 491520.0, 1);
    EXPECT_NEAR(figures.mfu->value, 4 * 491520.0 * 6 * 123.59e6 / (8 * 989e12), 1e-9);
    EXPECT_EQ(derivation(*figures.mfu),
              "1.9661e+06 tokens_per_s × 1.2359e+08 parameters (number of parameters = 123.59M) × 6 "
              "flops_per_parameter / 7912 peak_tflops (8 × NVIDIA H100 80GB HBM3)");
}

TEST_F(Throughput, OfTheNativeEngineCountsItsNetwork) {
    plan_on_gpus(2, {"{worker}"});
    state_.plan.cost = engine::TrainingCost{.model = "resnet50", .training_flops = 24.3e9, .memory = {}};
    for (int rank = 0; rank < 2; ++rank) {
        step(1, 1, {{"images_per_s", 2000}}, rank);
    }
    ASSERT_TRUE(report().mfu);
    EXPECT_NEAR(report().mfu->value, 4000 * 24.3e9 / (2 * 989e12), 1e-9);
    EXPECT_EQ(derivation(*report().mfu),
              "4000 samples_per_s (images_per_s) × 2.43e+10 flops_per_sample (resnet50) / 1978 peak_tflops "
              "(2 × NVIDIA H100 80GB "
              "HBM3)");
}

TEST_F(Throughput, OfTheNativeEngineCountsItsTokens) {
    plan_on_gpus(1, {"{worker}"});
    state_.plan.cost =
        engine::TrainingCost{.model = "gpt2", .tokens = 1000, .training_flops = 0.8e12, .memory = {}};
    step(1, 2, {{"tokens_per_s", 200'000}});
    ASSERT_TRUE(report().mfu);
    EXPECT_NEAR(report().mfu->value, 200'000 * 0.8e9 / 989e12, 1e-9);
}

TEST_F(Throughput, MfuNeedsAllOfItsInputs) {
    const std::vector<std::string> command{"train.py", "--batch_size=12"};
    const std::string tokens = "tokens per iteration will be: 491,520\n";
    const auto reason_of = [&](const std::string& printed, const std::string& gpu) {
        state_ = {};
        plan_on_gpus(1, command, gpu);
        print(tokens + printed);
        train();
        EXPECT_FALSE(report().mfu);
        const auto all = report().missing;
        const auto of_mfu =
            std::find_if(all.begin(), all.end(), [](const auto& one) { return one.figure == "mfu"; });
        return of_mfu == all.end() ? "" : of_mfu->reason;
    };
    EXPECT_EQ(reason_of("", "NVIDIA H100 PCIe"), "no-flops");
    EXPECT_EQ(reason_of("number of parameters: 123.59M\n", "NVIDIA Sparkle 9"), "no-peak");
    EXPECT_EQ(reason_of("number of parameters: 123.59M\n", ""), "no-peak");
    EXPECT_EQ(reason_of("trainable params: 4,194,304 || all params: 6,742,609,920\n", "NVIDIA H200"),
              "contradiction");
    EXPECT_EQ(reason_of("Number of trainable parameters = 4,194,304\n", "NVIDIA H200"), "trained-part");
    EXPECT_EQ(reason_of("number of parameters: 1.2B\nnum_experts = 8\n", "NVIDIA H200"), "experts");
    EXPECT_EQ(reason_of("number of parameters: 12.3B\n", "Tesla T4"), "impossible");
    state_.plan.ranks[0].env["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
    EXPECT_EQ(report().missing.back().reason, "gpus-unclear") << "the rank may use four GPUs";
    state_.plan.ranks[0].device = "cpu";
    EXPECT_TRUE(std::none_of(report().missing.begin(), report().missing.end(),
                             [](const auto& one) { return one.figure == "mfu"; }));
}

TEST_F(Throughput, FlopsOfTheJobGiveMfuOfAnyModel) {
    plan_on_gpus(2, {"train.py"}, "NVIDIA Sparkle 9");
    state_.plan.throughput = {.batch = 512, .flops_per_sample = 24e9, .peak_tflops = 100};
    train();
    EXPECT_NEAR(report().mfu->value, 4 * 512 * 24e9 / 200e12, 1e-9);
    EXPECT_EQ(line(), "2048 samples/s · 4 steps/s · MFU 24.6 %");
}

TEST_F(Throughput, SequencesAreTokensOnlyOfLanguage) {
    plan(1, {"run.py", "--batch_size", "32", "--seq_len", "96"});
    train();
    EXPECT_EQ(line(), "128 samples/s · 4 steps/s") << "a series of measurements has no tokens";
    state_ = {};
    plan(1, {"run.py", "--batch_size", "32", "--seq_len", "96", "--tokenizer", "gpt2"});
    train();
    EXPECT_EQ(line(), "128 samples/s · 12288 tokens/s · 4 steps/s");
}

TEST_F(Throughput, PrintedMfuIsShownAsItIs) {
    plan(1);
    for (int i = 1; i <= 40; ++i) {
        step(i, i, {{"loss", 1}, {"mfu", i < 5 ? -1 : 0.382}});
    }
    EXPECT_EQ(line(), "1 steps/s · MFU 38.2 %");
}

TEST_F(Throughput, APlanKeepsItsKeysAndGpus) {
    plan_on_gpus(2, {"train.py"});
    state_.plan.throughput = {.batch = 512, .parameters = 7e9};
    const auto again = plan_from_json(to_json(state_.plan));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->throughput, state_.plan.throughput);
    EXPECT_EQ(again->ranks[1].gpu, "NVIDIA H100 80GB HBM3");
}

TEST(GpuPeaks, NamesSayTheForm) {
    EXPECT_EQ(gpu_peak_tflops("NVIDIA H100 80GB HBM3"), 989);
    EXPECT_EQ(gpu_peak_tflops("NVIDIA H100 PCIe"), 756);
    EXPECT_EQ(gpu_peak_tflops("NVIDIA A100-SXM4-80GB"), 312);
    EXPECT_EQ(gpu_peak_tflops("Tesla V100-SXM2-16GB"), 125);
    EXPECT_EQ(gpu_peak_tflops("NVIDIA H200 NVL"), 835);
    EXPECT_EQ(gpu_peak_tflops("NVIDIA L40S"), 362);
    for (const char* name :
         {"", "NVIDIA H100", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA L400", "Quadro P2000",
          "NVIDIA GeForce RTX 3090 Ti", "NVIDIA GeForce RTX 4090 Laptop GPU"}) {
        EXPECT_FALSE(gpu_peak_tflops(name)) << name;
    }
}

}  // namespace
}  // namespace rankscope
