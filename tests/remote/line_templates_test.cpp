// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A line is read by the template of an earlier one: the same as if it were read alone.

#include <base/text.h>
#include <remote/observe/metric_lines/line_metrics.h>
#include <remote/observe/metric_lines/line_templates.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rankscope::metric_lines {
namespace {

void remember(LineTemplates& templates, const std::string& line) {
    EXPECT_EQ(templates.find(line), nullptr) << line;
    const auto tokens = tokens_of(line);
    templates.remember(line, tokens, fields_of(tokens));
}

TEST(LineTemplates, GiveTheNumbersOfTheirLines) {
    LineTemplates templates;
    remember(templates, "[rank0]: step 11/900 loss: -0.5 (0.75) lr=1e-3 32 img/s");
    const auto* fields = templates.find("[rank0]: step 20/900 loss: -12.25 (2.5) lr=2.5e-04 5 img/s");
    ASSERT_NE(fields, nullptr);
    ASSERT_EQ(fields->fields.size(), 4U);
    EXPECT_EQ(fields->fields[0].value, 20);
    EXPECT_EQ(fields->fields[0].total, 900);
    EXPECT_EQ(fields->fields[1].value, -12.25);
    EXPECT_EQ(fields->fields[1].average, 2.5);
    EXPECT_EQ(fields->fields[2].value, 2.5e-4);
    EXPECT_EQ(fields->fields[3].value, 5);
    EXPECT_EQ(fields->fields[3].unit, "img/s");
}

TEST(LineTemplates, DifferWhereDigitsMeanSomethingElse) {
    struct Pair {
        const char* first;
        const char* second;
    };
    for (const auto& [first, second] : std::vector<Pair>{
             {"step 1 loss 1", "step 2 loss 0.5"},               // a whole number is no fraction
             {"step 1 loss 0.5", "step 2 loss -0.5"},            // a sign
             {"step 1 loss 0.5 12:30", "step 2 loss 0.5 12:3"},  // a clock
             {"step 1 loss 0.5 1,234", "step 2 loss 0.5 1,23"},  // thousands
             {"step 1 loss 0.5 2024-05-01", "step 2 loss 0.5 202-05-01"},
             {"step 1 acc@1 0.5", "step 2 acc@5 0.5"},  // names with digits
             {"step 1 node-1 0.5", "step 2 node-2 0.5"},
             {"step 1 loss 0.5 s", "step 1 loss 0.5 ms"},
         }) {
        LineTemplates templates;
        remember(templates, first);
        EXPECT_EQ(templates.find(second), nullptr) << second;
    }
}

TEST(LineTemplates, RefuseNumbersThatAreTooLarge) {
    LineTemplates templates;
    remember(templates, "step 1 loss 1e3");
    EXPECT_EQ(templates.find("step 2 loss 1e400"), nullptr);
}

// Random digits in such lines: a template gives the same fields as the line alone.
TEST(LineTemplates, GiveNothingThatTheLineDoesNotHave) {
    const std::vector<std::string> lines{
        "2024-05-01 12:30:01,123 INFO train.py:45 Epoch [1/90] Iter 10/156: loss=0.31, lr: 1e-3, eta: "
        "0:01:02",
        "03/22 17:05:31 - mmengine - Epoch(train) [1][10/100] lr: 1.0e-02 time: 0.3 memory: 7,158",
        "{'loss': 0.5, 'grad_norm': 1.25, 'epoch': 0.02}",
        "iteration 10/ 1000 | elapsed (ms): 31.2 | lm loss: 1.2E+01 | skipped: 0 | 2 days, 3:14:40",
        "Test: [48/48] Acc@1 76.130 (75.1) v1.2.3 10.0.0.1:29500 step 5-3 x .5 -7 node-12 0x1f 35ms 1,234.5",
        "第100步 loss 0.5 tensor(0.3, device='cuda:0') lr=[1e-3, 1e-4] [1,100] 12.5% 3 of 10",
        "step: 1 val/acc/2: 0.3 /data/1/x.bin rank_3 256x256 22.11.2024 8K 1.5e9",
    };
    std::mt19937 random(7);
    std::size_t found = 0;
    for (int round = 0; round < 300; ++round) {
        LineTemplates templates;
        for (int times = 0; times < 8; ++times) {
            for (std::string line : lines) {
                std::string drawn;
                for (const char c : line) {
                    const auto dice = times == 0 ? 99 : random() % 100;
                    drawn += is_digit(c) && dice < 40 ? static_cast<char>('0' + random() % 10) : c;
                    drawn += is_digit(c) && dice < 3 ? "7" : dice == 3 ? "." : "";
                }
                const auto tokens = tokens_of(drawn);
                const auto fields = fields_of(tokens);
                const auto* known = templates.find(drawn);
                found += known != nullptr ? 1 : 0;
                EXPECT_TRUE(known == nullptr || *known == fields) << drawn;
                if (known == nullptr) {
                    templates.remember(drawn, tokens, fields);
                }
            }
        }
    }
    EXPECT_GT(found, 300U);
}

// A program that prints much else next to its steps is one whose lines are looked at.
TEST(LineTemplates, OtherLinesAreStillLookedAt) {
    LineMetrics metrics({}, true);
    const auto feed = [&metrics](const std::string& line) { return metrics.feed(false, line + '\n').size(); };
    std::size_t read = 0;
    for (int step = 1; step <= 2000; ++step) {
        read += feed("step " + std::to_string(step) + " loss 0." + std::to_string(step));
        for (int i = 0; i < 8; ++i) {
            feed("INFO worker " + std::to_string(i) + " fetched shard " + std::to_string(step) + " in 35 ms");
        }
    }
    EXPECT_EQ(read, 2000U);
    EXPECT_EQ(feed("eval step 2000 accuracy 0.5"), 1U);
}

}  // namespace
}  // namespace rankscope::metric_lines
