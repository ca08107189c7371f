// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Errors that a program handles: they are no cause where it makes progress after them.

#include "support/shipped_rules.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace rankscope::logs {
namespace {

std::string first_id(const DiagnosisResult& found) {
    return found.verdicts.empty() ? "" : found.verdicts.front().id.str();
}

constexpr const char* kOom =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of "
    "79.10 "
    "GiB\n";

std::string steps(const std::string& prefix, int first, int last) {
    std::string text;
    for (int step = first; step <= last; ++step) {
        text += prefix + "step " + std::to_string(step) + " loss 0.31\n";
    }
    return text;
}

// How programs count; %d is the number.
constexpr const char* kCounters[] = {
    "step %d/500 loss 0.3",
    "Epoch: [1][ %d/5005]\tTime 0.1 (0.1)\tLoss 6.9",
    "{'loss': 0.3, 'epoch': 0.%d}",
    " iteration       %d/  500000 | consumed samples: 128 | lm loss: 1.1E+01",
    "  3%%|3         | %d/500 [00:03<00:21,  8.0it/s]",
    "[2026-01-02 03:04:05,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, skipped=0, lr=[1e-4]",
};

class HandledErrors : public ::testing::TestWithParam<const char*> {};

TEST_P(HandledErrors, ProgramThatContinuesHasHandledIt) {
    const auto line = [](int number) {
        char text[200];
        std::snprintf(text, sizeof text, GetParam(), number);
        return std::string(text) + '\n';
    };
    const std::string before = line(21) + line(22);
    const std::string after = line(23) + line(24) + line(25);
    auto found = diagnosed(before + kOom + after);
    EXPECT_TRUE(found.verdicts.empty()) << first_id(found);
    found = diagnosed(before + kOom + "batch of 32 is too large\n" + after +
                      "IndexError: list index out of range\n");
    EXPECT_EQ(first_id(found), "rank-exception");
    EXPECT_NE(found.verdicts.front().title.find("IndexError"), std::string::npos);
    for (const auto& verdict : found.verdicts) {
        EXPECT_NE(verdict.id.text(), "gpu-oom");
    }
    found = diagnosed(before + kOom);
    EXPECT_EQ(first_id(found), "gpu-oom");
    EXPECT_GE(found.verdicts.front().confidence, 0.9);
    // A bar that is drawn again, and a summary with the last number.
    found = diagnosed(before + kOom + line(22) + line(22) + "Run summary: step 22\n");
    EXPECT_EQ(first_id(found), "gpu-oom");
}

INSTANTIATE_TEST_SUITE_P(Counters, HandledErrors, ::testing::ValuesIn(kCounters));

TEST(HandledError, OfOneRankDoesNotHideThatOfAnother) {
    const std::string oom = kOom;
    const auto found =
        diagnosed("[rank0]: step 1 loss 1\n[rank3]: " + oom + steps("[rank3]: ", 1, 4) + "[rank5]: " + oom);
    ASSERT_EQ(first_id(found), "gpu-oom");
    EXPECT_EQ(found.verdicts.front().rank, 5);
    EXPECT_EQ(found.verdicts.front().evidence.size(), 1U);
    EXPECT_GE(found.verdicts.front().confidence, 0.9);
}

TEST(HandledError, OtherRanksEndTheirStepAfterAFatalOne) {
    const std::string oom = "[rank3]: " + std::string(kOom);
    auto found = diagnosed(steps("[rank0]: ", 1, 5) + oom + steps("[rank0]: ", 6, 9));
    EXPECT_EQ(first_id(found), "gpu-oom");
    EXPECT_EQ(found.verdicts.front().rank, 3);
    found = diagnosed(steps("[rank0]: ", 1, 5) + oom + steps("[rank0]: ", 6, 40));
    EXPECT_TRUE(found.verdicts.empty()) << "they cannot make so many steps without it";
}

TEST(HandledError, RankWhoseExitIsKnownDidNotHandleIt) {
    const auto found = diagnosed(steps("[rank0]: ", 1, 5) + "[rank3]: " + kOom + steps("[rank0]: ", 6, 40) +
                                 "Root Cause (first observed failure):\n[0]:\n  time      : "
                                 "2026-11-20_18:32:33\n  host      : node-a\n"
                                 "  rank      : 3 (local_rank: 3)\n  exitcode  : 1 (pid: 16740)\n");
    EXPECT_EQ(first_id(found), "gpu-oom");
}

TEST(HandledError, ImportThatMayFailIsNoCause) {
    const auto found =
        diagnosed("[rank1]: ModuleNotFoundError: No module named 'apex'\n" + steps("[rank1]: ", 1, 9) +
                  "[rank1]: ValueError: the label 1000 is out of range\n");
    EXPECT_EQ(first_id(found), "rank-exception");
}

TEST(HandledError, FatalInTheFormatsOfFrameworksKeepsItsConfidence) {
    for (
        const char* line : {
            "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 2 has a "
            "total "
            "capacity of 79.10 GiB",
            "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.78 GiB total capacity)",
            "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 64.00 MiB",
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
            "allocate "
            "8589934592 bytes.",
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with "
            "shape[256,512] and type float on /job:localhost/replica:0/task:0/device:GPU:0",
            "Out of memory error on GPU 0. Cannot allocate 12.0GB memory on GPU 0",
        }) {
        const auto found =
            diagnosed(steps("", 1, 20) + line + "\nwandb: Run summary:\nwandb:   global_step 20\n");
        EXPECT_EQ(first_id(found), "gpu-oom") << line;
        ASSERT_FALSE(found.verdicts.empty());
        EXPECT_GE(found.verdicts.front().confidence, 0.9) << line;
    }
}

TEST(HandledError, WhatTheRunItselfReportsCounts) {
    const auto with = [](const std::function<void(Diagnosis&)>& more) {
        Diagnosis diagnosis(rules());
        const std::string text = kOom;
        const auto said = std::string_view(text).substr(0, text.size() - 1);
        LogLine line{.place = {0, 7}, .text = said, .message = said};
        line.rank = 3;
        line.time = 1000;
        diagnosis.take(line);
        more(diagnosis);
        return first_id(diagnosis.finish({"run/rank3", "run/rank0"}));
    };
    EXPECT_EQ(with([](Diagnosis&) {}), "gpu-oom");
    const auto reports = [](int rank, std::uint32_t file, int count) {
        return [=](Diagnosis& diagnosis) {
            for (int i = 0; i < count; ++i) {
                diagnosis.take(ReportedStep{{file, 7}, rank, 10 + i, 1001.0 + i});
            }
        };
    };
    EXPECT_EQ(with(reports(3, 0, 3)), "");
    EXPECT_EQ(with(reports(0, 1, 3)), "gpu-oom");
    EXPECT_EQ(with(reports(0, 1, 20)), "");
    const auto ends = [](int code) {
        return [=](Diagnosis& diagnosis) {
            ProcessExit exit;
            exit.rank = 3;
            exit.code = code;
            exit.finished = code == 0;
            diagnosis.take(exit);
        };
    };
    EXPECT_EQ(with(ends(0)), "");
    EXPECT_EQ(with(ends(1)), "gpu-oom");
}

}  // namespace
}  // namespace rankscope::logs
