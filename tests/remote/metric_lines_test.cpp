// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Lines as programs really print them → metrics.

#include <remote/observe/metric_lines/learn_pattern.h>
#include <remote/observe/metric_lines/line_metrics.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace rankscope::metric_lines {
namespace {

using Values = std::map<std::string, double>;

struct Expected {
    std::optional<std::int64_t> step;
    std::optional<double> epoch;
    Values values;
};

/// A program's output, line by line, and what must come of it.
struct Program {
    const char* title;
    std::vector<std::string> lines;
    std::vector<Expected> expected;
};

Values values_of(const MetricsLine& line) {
    return {line.values.begin(), line.values.end()};
}

void expect_same(const std::vector<MetricsLine>& lines, const std::vector<Expected>& expected) {
    ASSERT_EQ(lines.size(), expected.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        SCOPED_TRACE("metric " + std::to_string(i));
        EXPECT_EQ(lines[i].step, expected[i].step);
        EXPECT_EQ(lines[i].epoch, expected[i].epoch);
        const auto values = values_of(lines[i]);
        for (const auto& [key, value] : expected[i].values) {
            ASSERT_TRUE(values.count(key)) << key;
            EXPECT_NEAR(values.at(key), value, std::abs(value) * 1e-9) << key;
        }
        EXPECT_EQ(values.size(), expected[i].values.size());
        for (const auto& [key, value] : values) {
            EXPECT_TRUE(expected[i].values.count(key)) << "not expected: " << key;
        }
    }
}

const std::vector<Program> kPrograms{
    {"Distribuuuu",
     {"[2021-05-01 12:00:00] LOCAL_RANK: 0, RANK: 0",
      "[2021-05-01 12:00:00] Params(M): 11.690, Model Size(MB): 44.592",
      "[2021-05-01 12:00:00] CURRENT EPOCH:   1,   LR: 0.0200,   POLICY: cos",
      "[2021-05-01 12:00:00] ETA: 12.34h TRAIN:  [1][  30/5004] | Time  0.123 ( 0.130) | Data 0.001 (0.002) "
      "| Loss "
      "6.9012 (6.9100) | Acc@1  0.120 ( 0.110) | Acc@5  0.600 ( 0.510)",
      "[2021-05-01 12:00:00] VAL:  [ 10/ 25] | Time  0.1 ( 0.1) | Data 0.0 (0.0) | Loss 3.0 (3.1) | Acc@1  "
      "40.0 ( 41.0) "
      "| Acc@5  70.0 ( 71.0)",
      "[2021-05-01 12:00:00] VAL:  [ 25/ 25] | Time  0.1 ( 0.1) | Data 0.0 (0.0) | Loss 3.0 (2.5) | Acc@1  "
      "40.0 ( 42.5) "
      "| Acc@5  70.0 ( 71.5)",
      "[2021-05-01 12:00:00] ACCURACY: TOP1 70.902(BEST 70.902) | TOP5 89.894 | SAVED "
      "./exp/checkpoints/ckpt_ep_001.pth.tar",
      "[2021-05-01 12:00:00] ETA: 12.34h TRAIN:  [2][5004/5004] | Time  0.100 ( 0.130) | Data 0.001 (0.002) "
      "| Loss "
      "5.0 (5.1) | Acc@1  10.0 ( 9.0) | Acc@5  30.0 ( 29.0)"},
     {{std::nullopt, 1, {{"lr", 0.02}}},
      {30,
       1,
       {{"loss", 6.9012},
        {"acc1", 0.0012},
        {"acc5", 0.006},
        {"t_step_ms", 123},
        {"t_data_ms", 1},
        {"steps_per_epoch", 5004}}},
      {30, 1, {{"val_loss", 2.5}, {"val_acc1", 0.425}, {"val_acc5", 0.715}}},
      {30, 1, {{"val_acc1", 0.70902}, {"val_acc5", 0.89894}}},
      {10008, 2, {{"loss", 5.0}, {"acc1", 0.1}, {"acc5", 0.3}, {"t_step_ms", 100}, {"t_data_ms", 1}}}}},
    {"the tutorial mnist_dist.py",
     {"Total step:  300", "Epoch [1/10], Step [100/300], Loss: 2.1034",
      "Epoch [1/10], Step [200/300], Loss: 1.9", "Epoch [2/10], Step [100/300], Loss: nan",
      "Training complete in: 0:01:02.345678"},
     {{100, 1, {{"loss", 2.1034}, {"steps_per_epoch", 300}, {"epochs", 10}}},
      {200, 1, {{"loss", 1.9}}}}},  // the third one, not a number, has a test of its own
    {"Distribuuuu's tutorial, epochs from 1",
     {"[init] == local rank: 0, global rank: 0 ==", "            =======  Training  ======= ",
      "   == step: [ 50/196] [1/5] | loss: 1.959 | acc: 28.633%",
      "   == step: [196/196] [5/5] | loss: 0.977 | acc: 65.076%"},
     {{50, 1, {{"loss", 1.959}, {"acc1", 0.28633}, {"steps_per_epoch", 196}, {"epochs", 5}}},
      {980, 5, {{"loss", 0.977}, {"acc1", 0.65076}}}}},
    {"Distribuuuu's tutorial, epochs from 0",
     {"   == step: [ 25/49] [0/5] | loss: 1.980 | acc: 27.953%",
      "   == step: [ 25/49] [1/5] | loss: 1.464 | acc: 47.391%"},
     {{25, 1, {{"loss", 1.98}, {"acc1", 0.27953}, {"steps_per_epoch", 49}, {"epochs", 5}}},
      {74, 2, {{"loss", 1.464}, {"acc1", 0.47391}}}}},
    {"the tutorial multi_node.py",
     {"[4711] Initializing process group with: {'MASTER_ADDR': '10.0.0.1', 'MASTER_PORT': '29500', "
      "'WORLD_SIZE': '2'}",
      "[4711] (rank = 1, local_rank = 0) training...",
      "[4711] (rank = 1, local_rank = 0) loss = 1.1234567165374756", "",
      "[4711] (rank = 1, local_rank = 0) loss = 9.8e-05"},
     {{1, std::nullopt, {{"loss", 1.1234567165374756}}}, {2, std::nullopt, {{"loss", 9.8e-05}}}}},
    {"pytorch/examples mnist",
     {"Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.300039", "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.213470", "",
      "Test set: Average loss: 0.0266, Accuracy: 9912/10000 (99%)",
      "Train Epoch: 2 [0/60000 (0%)]\tLoss: 0.1"},
     {{1, 1, {{"loss", 2.300039}, {"samples", 0}}},
      {2, 1, {{"loss", 2.213470}, {"samples", 640}}},
      {2, 1, {{"val_loss", 0.0266}, {"val_acc1", 0.9912}}},
      {3, 2, {{"loss", 0.1}, {"samples", 0}}}}},
    {"pytorch/examples imagenet",
     {"Epoch: [0][  10/5005]\tTime  0.250 ( 0.300)\tData  0.010 ( 0.020)\tLoss 6.9012e+00 "
      "(6.9100e+00)\tAcc@1   0.39 (  "
      "0.20)\tAcc@5   1.17 (  1.05)",
      "Epoch: [1][  10/5005]\tTime  0.250 ( 0.300)\tData  0.010 ( 0.020)\tLoss 5.0e+00 (5.1e+00)\tAcc@1   "
      "10.0 (  "
      "9.0)\tAcc@5   20.0 (  19.0)",
      " *   Acc@1 70.106 Acc@5 89.412"},
     {{10,
       1,
       {{"loss", 6.9012},
        {"acc1", 0.0039},
        {"acc5", 0.0117},
        {"t_step_ms", 250},
        {"t_data_ms", 10},
        {"steps_per_epoch", 5005}}},
      {5015, 2, {{"loss", 5}, {"acc1", 0.1}, {"acc5", 0.2}, {"t_step_ms", 250}, {"t_data_ms", 10}}},
      {5015, 2, {{"val_acc1", 0.70106}, {"val_acc5", 0.89412}}}}},
    {"Paddle's CIFAR-10 example",
     {"epoch: 0, batch_id: 0, loss is: [2.4102]", "epoch: 0, batch_id: 1000, loss is: [1.5]",
      "[validation] accuracy/loss: 0.5123/1.3456", "epoch: 1, batch_id: 0, loss is: 1.25"},
     {{1, 1, {{"loss", 2.4102}}},
      {1001, 1, {{"loss", 1.5}}},
      {1001, 1, {{"val_acc1", 0.5123}, {"val_loss", 1.3456}}},
      {2001, 2, {{"loss", 1.25}}}}},
    {"Paddle's ResNet guide",
     {"[Epoch 0, batch 0] loss: 7.5, acc1: 0.00000, acc5: 0.00000",
      "[Epoch 0, batch 5] loss: 7.12345, acc1: 0.00000, acc5: 0.03125",
      "[Epoch 1, batch 0] loss: 5.5, acc1: 0.5, acc5: 0.75"},
     {{1, 1, {{"loss", 7.5}, {"acc1", 0}, {"acc5", 0}}},
      {6, 1, {{"loss", 7.12345}, {"acc1", 0}, {"acc5", 0.03125}}},
      {11, 2, {{"loss", 5.5}, {"acc1", 0.5}, {"acc5", 0.75}}}}},
    {"Hugging Face's Trainer",
     {"  0%|          | 0/300 [00:00<?, ?it/s]", " 33%|###3      | 100/300 [00:10<00:20,  9.95it/s]",
      "{'loss': 0.6931, 'grad_norm': 1.5, 'learning_rate': 4.5e-05, 'epoch': 0.5}",
      "{'eval_loss': 0.4, 'eval_accuracy': 0.86, 'eval_runtime': 3.1, 'eval_samples_per_second': 130.2, "
      "'epoch': 1.0}",
      " 66%|######6   | 200/300 [00:20<00:10,  9.95it/s]",
      "{'loss': '0.5', 'grad_norm': '1.25', 'learning_rate': '2e-05', 'epoch': '1.5'}",
      "{'train_runtime': 60.5, 'train_samples_per_second': 250.0, 'train_loss': 0.31, 'epoch': 3.0}"},
     {{100, 0.5, {{"loss", 0.6931}, {"grad_norm", 1.5}, {"lr", 4.5e-05}}},
      {100,
       1,
       {{"val_loss", 0.4}, {"val_acc1", 0.86}, {"val_runtime", 3.1}, {"val_samples_per_second", 130.2}}},
      {200, 1.5, {{"loss", 0.5}, {"grad_norm", 1.25}, {"lr", 2e-05}}},
      {200, 3, {{"train_runtime", 60.5}, {"train_samples_per_second", 250}, {"train_loss", 0.31}}}}},
    {"tqdm",
     {"Epoch 1/5:   0%|          | 0/938 [00:00<?, ?it/s]",
      "Epoch 1/5:  50%|█████     | 469/938 [00:05<00:05, 85.21it/s, loss=0.312, acc=91.2%]",
      "Epoch 1/5:  50%|█████     | 469/938 [00:05<00:05, 85.21it/s, loss=0.312, acc=91.2%]",
      "Epoch 2/5:  50%|█████     | 469/938 [00:05<00:05, 85.21it/s, loss=0.2, acc=95%]"},
     {{469, 1, {{"loss", 0.312}, {"acc1", 0.912}, {"steps_per_epoch", 938}, {"epochs", 5}}},
      {1407, 2, {{"loss", 0.2}, {"acc1", 0.95}}}}},
    {"tqdm without an epoch, without a total",
     {"100it [00:01, 98.2it/s, loss=0.5]", "200it [00:02, 98.2it/s, loss=0.25, accuracy=45]",
      "100it [00:01, 98.2it/s, loss=0.125, accuracy=0.9]"},
     {{100, 1, {{"loss", 0.5}}},
      {200, 1, {{"loss", 0.25}, {"acc1", 0.45}}},
      {399, 2, {{"loss", 0.125}, {"acc1", 0.009}}}}},
    {"Lightning",
     {"Sanity Checking DataLoader 0:   0%|          | 0/2 [00:00<?, ?it/s]",
      "Epoch 0:  11%|█         | 100/938 [00:01<00:09, 85.21it/s, v_num=0, train_loss_step=0.625]",
      "Validation DataLoader 0:  50%|#####     | 10/20 [00:00<00:00, 100.00it/s]",
      "Epoch 1:  11%|█         | 100/938 [00:01<00:09, 85.21it/s, v_num=0, train_loss_step=0.5, "
      "val_loss=0.75, "
      "train_loss_epoch=0.8]"},
     {{100, 1, {{"loss", 0.625}, {"steps_per_epoch", 938}}},
      {1038, 2, {{"loss", 0.5}, {"val_loss", 0.75}, {"train_loss_epoch", 0.8}}}}},
    {"Megatron-LM",
     {" [2024-05-01 12:00:00.123456] iteration       10/     500 | consumed samples:         2560 | elapsed "
      "time per "
      "iteration (ms): 12345.6 | throughput per GPU (TFLOP/s/GPU): 98.1 | learning rate: 1.500000E-07 | "
      "global batch size:  "
      " 256 | lm loss: 1.088012E+01 | loss scale: 1.0 | grad norm: 1.234 | number of skipped iterations:   0 "
      "| number of nan "
      "iterations:   0 |",
      " validation loss at iteration 10 | lm loss value: 6.400000E+00 | lm loss PPL: 6.018450E+02 | "},
     {{10,
       std::nullopt,
       {{"samples", 2560},
        {"t_step_ms", 12345.6},
        {"tflops", 98.1},
        {"lr", 1.5e-7},
        {"batch_size", 256},
        {"loss", 10.88012},
        {"loss_scale", 1},
        {"grad_norm", 1.234},
        {"number_of_skipped_iterations", 0},
        {"number_of_nan_iterations", 0}}},
      {10, std::nullopt, {{"val_loss", 6.4}}}}},
    {"llm.c",
     {"val loss 5.325413",
      "step    1/19560 | loss 10.998416 (+nanz)| norm 15.3125 (+nanz)| lr 4.29e-07 | 1234.56 ms | 45.1% bf16 "
      "MFU | 424543 "
      "tok/s",
      "val loss 5.325413", "step 2: train loss 5.356082 (took 1234.5 ms)",
      "step    3/50 | train loss 4.25 | norm 1.5 | lr 3.00e-04 | (12.5 ms | 1000 tok/s)"},
     {{0, std::nullopt, {{"val_loss", 5.325413}}},
      {1,
       std::nullopt,
       {{"loss", 10.998416},
        {"grad_norm", 15.3125},
        {"lr", 4.29e-07},
        {"t_step_ms", 1234.56},
        {"tokens_per_s", 424543}}},
      {1, std::nullopt, {{"val_loss", 5.325413}}},
      {2, std::nullopt, {{"loss", 5.356082}, {"t_step_ms", 1234.5}}},
      {3,
       std::nullopt,
       {{"loss", 4.25}, {"grad_norm", 1.5}, {"lr", 3e-4}, {"t_step_ms", 12.5}, {"tokens_per_s", 1000}}}}},
    {"nanoGPT",
     {"iter 100: loss 3.2101, time 123.45ms, mfu 12.30%", "step 250: train loss 2.1034, val loss 2.2101"},
     {{100, std::nullopt, {{"loss", 3.2101}, {"t_step_ms", 123.45}}},
      {250, std::nullopt, {{"train_loss", 2.1034}, {"val_loss", 2.2101}}}}},
    {"colours",
     {"\x1b[32mEpoch [1/2], Step [5/10], Loss: \x1b[1m0.5\x1b[0m"},
     {{5, 1, {{"loss", 0.5}, {"steps_per_epoch", 10}, {"epochs", 2}}}}},
    {"what is none of all this",
     {"node1:4711:4712 [0] NCCL INFO Channel 00/02 :    0   1", "step 3", "loss", "Epoch 5", "epoch: done",
      "{'a': 1}", "[1/2]", "iteration 5", "100%|##########| 10/10 [00:01<00:00, 9.9it/s]",
      "ACCURACY: unknown 5", "TRAIN: [1]", "12 %| 3", "Traceback (most recent call last): 1", "val loss",
      "Epoch [1/2]", "tensor(0.5)", "it [", "5it [3"},
     {}},
};

TEST(LineMetrics, KnowsTheShapesOfManyPrograms) {
    for (const auto& program : kPrograms) {
        SCOPED_TRACE(program.title);
        LineMetrics metrics({}, true);
        std::vector<MetricsLine> lines;
        for (const auto& text : program.lines) {
            const bool bar = text.find("%|") != std::string::npos;
            for (const auto& line : metrics.feed(bar, text + (bar ? '\r' : '\n'))) {
                lines.push_back(line);
            }
        }
        for (const auto& line : metrics.finish()) {
            lines.push_back(line);
        }
        // NaN is no value to compare.
        std::erase_if(lines, [](const auto& line) {
            return !line.values.empty() && std::isnan(line.values[0].second);
        });
        expect_same(lines, program.expected);
    }
}

TEST(LineMetrics, ALossThatIsNoNumberIsAMetricAllTheSame) {
    LineMetrics metrics({}, true);
    const auto lines = metrics.feed(false, "Epoch [1/10], Step [100/300], Loss: nan\n");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].values[0].first, "loss");
    EXPECT_TRUE(std::isnan(lines[0].values[0].second));
}

TEST(LineMetrics, BytesComeInAnyPieces) {
    const std::string text =
        "noise\nEpoch [1/2], Step [5/10], Loss: 0.5\r\nEpoch [1/2], Step [6/10], Loss: 0.25";
    for (std::size_t piece = 1; piece < text.size(); ++piece) {
        LineMetrics metrics({}, true);
        std::vector<double> losses;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            for (const auto& line : metrics.feed(false, text.substr(at, piece))) {
                losses.push_back(line.values[0].second);
            }
        }
        for (const auto& line : metrics.finish()) {
            losses.push_back(line.values[0].second);
        }
        EXPECT_EQ(losses, (std::vector<double>{0.5, 0.25}));
    }
}

TEST(LineMetrics, AnEndlessLineHarmsNothing) {
    LineMetrics metrics({}, true);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(metrics.feed(false, std::string(1000, '1')).empty());
    }
    EXPECT_EQ(metrics.feed(false, "\nstep 1: train loss 5 (took 1 ms)\n").size(), 1U);
}

TEST(LineMetrics, WhatThePipeGivesIsNotReadTwice) {
    LineMetrics metrics({}, true);
    MetricsLine own;
    own.values = {{"loss", 0.5}};
    metrics.given(own);
    EXPECT_TRUE(metrics.feed(false, "Epoch [1/2], Step [5/10], Loss: 0.5\n").empty());
    const auto lines = metrics.feed(false, "   == step: [ 50/196] [1/5] | loss: 1.959 | acc: 28.633%\n");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(values_of(lines[0]),
              (Values{{"acc1", 28.633 * 0.01}, {"steps_per_epoch", 196}, {"epochs", 5}}));
}

TEST(LineMetrics, KnownShapesCanBeSwitchedOff) {
    LineMetrics metrics({*Pattern::compile("my {loss}")}, false);
    EXPECT_TRUE(metrics.feed(false, "Epoch [1/2], Step [5/10], Loss: 0.5\n").empty());
    EXPECT_EQ(metrics.feed(false, "my 3\n").size(), 1U);
}

TEST(LineMetrics, APatternGoesBeforeTheKnownShapes) {
    LineMetrics metrics({*Pattern::compile("iter {step}: loss {cross_entropy}")}, true);
    const auto lines = metrics.feed(false, "iter 100: loss 3.2101, time 123.45ms, mfu 12.30%\n");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].step, 100);
    EXPECT_EQ(values_of(lines[0]), (Values{{"cross_entropy", 3.2101}}));
}

TEST(StepCounter, AResumedRunContinuesWhereItWas) {
    StepCounter counter;
    Reading reading;
    reading.epoch = 7;
    reading.in_epoch = 10;
    reading.per_epoch = 100;
    EXPECT_EQ(counter.place(reading).step, 610);
    reading.epoch = 8;
    EXPECT_EQ(counter.place(reading).step, 710);
    EXPECT_EQ(counter.place(reading).epoch, 8);
}

TEST(StepCounter, NonsenseGivesNoStep) {
    StepCounter counter;
    for (const double value : {-1.0, 1e300, std::nan(""), HUGE_VAL}) {
        Reading reading;
        reading.step = value;
        EXPECT_FALSE(counter.place(reading).step) << value;
    }
}

TEST(MetricNames, AreThoseOfThePipe) {
    const std::vector<std::pair<const char*, const char*>> table{
        {"Loss", "loss"},
        {"train_loss", "loss"},
        {"train/loss", "loss"},
        {"lm loss", "loss"},
        {"Acc@1", "acc1"},
        {"accuracy", "acc1"},
        {"top-5", "acc5"},
        {"learning rate", "lr"},
        {"val_loss", "val_loss"},
        {"Valid Accuracy", "val_acc1"},
        {"eval_f1", "val_f1"},
        {"grad norm", "grad_norm"},
        {"my metric", "my_metric"},
        {"Perplexity", "Perplexity"},
        {"train_loss_step", "loss"},
        {"Loss/train", "loss"},
        {"Accuracy/test", "val_acc1"},
        {"speed_test", "speed_test"},
        {"val", "val"},
    };
    for (const auto& [name, expected] : table) {
        EXPECT_EQ(metric_name(name), expected) << name;
    }
    EXPECT_EQ(validation_name("Loss"), "val_loss");
    EXPECT_EQ(validation_name("eval_loss"), "val_loss");
}

TEST(Scan, Numbers) {
    const std::vector<std::pair<const char*, std::size_t>> table{
        {"1", 1},    {"-1.5e-3x", 7}, {".5", 2},   {"5.", 2},    {"+3", 2},  {"1e", 1},
        {"1e+", 1},  {"-", 0},        {".", 0},    {"", 0},      {"nan", 3}, {"nanz", 0},
        {"inf,", 3}, {"info", 0},     {"-inf", 4}, {"1.2.3", 3}, {"e5", 0},  {"x", 0},
    };
    for (const auto& [text, length] : table) {
        EXPECT_EQ(number_length(text), length) << text;
    }
    EXPECT_EQ(to_number("-1.5e-3"), -1.5e-3);
    EXPECT_EQ(to_number("+.5"), 0.5);
    EXPECT_FALSE(to_number("1 "));
    EXPECT_FALSE(to_number("1e999"));
}

struct PatternRow {
    const char* pattern;
    const char* line;
    Values values;  ///< empty: it does not match
};

TEST(Pattern, Matches) {
    const std::vector<PatternRow> table{
        {"loss {loss}", "loss 0.5", {{"loss", 0.5}}},
        {"loss {loss}", "  loss\t 0.5 and more", {{"loss", 0.5}}},
        {"loss {loss}", "loss0.5", {{"loss", 0.5}}},
        {"loss={loss}", "loss 0.5", {}},
        {"loss={loss}", "val_loss=0.5", {}},
        {"{*}loss={loss}", "12:30:01 node1 val_loss=0.5 loss=-1e-3", {{"loss", 0.5}}},
        {"{*} loss={loss}", "12:30:01 node1 val_loss=x loss=-1e-3", {{"loss", -1e-3}}},
        {"{}/{} right {acc1%}", "3/10 right 91.5%", {{"acc1", 0.915}}},
        {"{} {*}b {x}", "1 a b b 2", {{"x", 2}}},
        {"{*}{x}", "a10.5", {{"x", 10.5}}},
        {"{*}.{x}", "a10.5", {{"x", 5}}},
        {"{*}5{x}", "a10.55", {}},
        {"{{\"loss\": {loss}}", "{\"loss\": 0.5}", {{"loss", 0.5}}},
        {"a {x} b {y}", "a 1 b", {}},
        {"a {x}", "", {}},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(std::string(row.pattern) + " on " + row.line);
        std::string why;
        const auto pattern = Pattern::compile(row.pattern, &why);
        ASSERT_TRUE(pattern) << why;
        const auto reading = pattern->match(row.line);
        ASSERT_EQ(reading.has_value(), !row.values.empty());
        if (reading) {
            EXPECT_EQ(Values(reading->values.begin(), reading->values.end()), row.values);
        }
    }
}

TEST(Pattern, PlacesTheLineInTheRun) {
    LineMetrics metrics({*Pattern::compile("ep {epoch} it {step_in_epoch}/{steps_per_epoch} l {loss}")},
                        true);
    const auto lines = metrics.feed(true, "ep 1 it 5/10 l 2\nep 2 it 5/10 l 1\n");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1].step, 15);
    EXPECT_EQ(lines[1].epoch, 2);
    LineMetrics counted({*Pattern::compile("l {loss}")}, true);
    EXPECT_EQ(counted.feed(false, "l 2\nl 1\n").back().step, 2);
}

TEST(Pattern, FaultsSayWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> table{
        {"", "it marks no value"},
        {"loss", "it marks no value"},
        {"{}", "it marks no value"},
        {"{step}", "it marks no value"},
        {"{loss", "a { without its }"},
        {"{lo ss}", "{lo ss} is no name"},
        {"{1}", "{1} is no name"},
        {"{a} {a}", "{a} is there twice"},
        {"{" + std::string(2000, 'a') + "}", "longer than"},
    };
    for (const auto& [text, expected] : table) {
        std::string why;
        EXPECT_FALSE(Pattern::compile(text, &why)) << text;
        EXPECT_NE(why.find(expected), std::string::npos) << why;
    }
}

TEST(Pattern, TakesItsTimeInNoCase) {
    std::string text = "{x}";
    for (int i = 0; i < 150; ++i) {
        text = "{*}a" + text;
    }
    const auto pattern = Pattern::compile(text);
    ASSERT_TRUE(pattern);
    for (int i = 0; i < 200; ++i) {
        EXPECT_FALSE(pattern->match(std::string(4000, 'a') + 'b'));
    }
}

struct LearnRow {
    const char* line;
    std::vector<std::pair<std::string, std::string>> fields;
    const char* pattern;  ///< or part of the reason why not
};

std::optional<std::string> learn(const LearnRow& row, std::string& why) {
    std::vector<Mark> marks;
    for (const auto& [name, value] : row.fields) {
        const auto mark = find_mark(row.line, name, value, why);
        if (!mark) {
            return std::nullopt;
        }
        marks.push_back(*mark);
    }
    return learn_pattern(row.line, marks, why);
}

TEST(LearnPattern, FromAnExampleLine) {
    const std::vector<LearnRow> table{
        {"step 5 loss 0.31", {{"step", "5"}, {"loss", "0.31"}}, "step {step} loss {loss}"},
        {"[12:30:01] node1 it 5/100 took 0.2s, loss=3.1e-2 acc1=91.5% lr=0.1",
         {{"loss", "3.1e-2"}, {"acc1", "91.5"}},
         "[{}:{}:{}] node{} it {}/{} took {}s, loss={loss} acc1={acc1%}"},
        {"2024-05-01 a: 5 5", {{"x", "5@2"}}, "{}{}{} a: {} {x}"},
        {"{\"loss\": 0.5}", {{"loss", "0.5"}}, "{{\"loss\": {loss}"},
        {"top1: 0.5 top5: 0.75", {{"acc5", "0.75"}}, "top1: {} top5: {acc5}"},
        {"Epoch 3 | Train Loss: 0.5 | Val Loss: 0.75",
         {{"epoch", "3"}, {"loss", "0.5"}, {"val_loss", "0.75"}},
         "Epoch {epoch} | Train Loss: {loss} | Val Loss: {val_loss}"},
    };
    for (const auto& row : table) {
        std::string why;
        const auto pattern = learn(row, why);
        ASSERT_TRUE(pattern) << row.line << ": " << why;
        EXPECT_EQ(*pattern, row.pattern);
        EXPECT_TRUE(Pattern::compile(*pattern)->match(row.line));
    }
    const auto again = Pattern::compile("[{}:{}:{}] node{} it {}/{} took {}s, loss={loss} acc1={acc1%}");
    const auto other = again->match("[07:01:59] node12 it 100/100 took 10.25s, loss=nan acc1=5%");
    ASSERT_TRUE(other) << "another line of the same program";
    EXPECT_EQ(other->values[1].second, 0.05);
}

TEST(LearnPattern, FaultsSayWhatIsWrong) {
    const std::vector<LearnRow> table{
        {"step 5 loss 0.31", {{"loss", "0.32"}}, "0.32 is not in the line"},
        {"a 5 b 5", {{"x", "5"}}, "say which with x=5@1"},
        {"a 5 b 5", {{"x", "5@3"}}, "2 times only"},
        {"a 5", {{"st ep", "5"}}, "is no name"},
        {"a 5", {{"step", "5"}}, "marks no value"},
        {"a 5", {{"x", "5"}, {"y", "5"}}, "a mark does not lie"},
    };
    for (const auto& row : table) {
        std::string why;
        EXPECT_FALSE(learn(row, why)) << row.line;
        EXPECT_NE(why.find(row.pattern), std::string::npos) << why;
    }
}

}  // namespace
}  // namespace rankscope::metric_lines
