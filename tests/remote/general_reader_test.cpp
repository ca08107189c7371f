// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Lines of no known program → metrics: two lines of a statement, as scripts print them, and what must come of both.

#include <base/number_text.h>
#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

namespace rankscope::metric_lines {
namespace {

using Values = std::map<std::string, double>;

std::vector<MetricsLine> read(const std::vector<std::string>& lines) {
    LineMetrics metrics({}, true);
    std::vector<MetricsLine> all;
    const auto take = [&all](const std::vector<MetricsLine>& some) {
        all.insert(all.end(), some.begin(), some.end());
    };
    for (const auto& line : lines) {
        take(metrics.feed(false, line + '\n'));
    }
    take(metrics.finish());
    return all;
}

/// Two lines of one statement; the last of them is expected so.
struct Statement {
    const char* first;
    const char* second;
    std::optional<std::int64_t> step;
    std::optional<double> epoch;
    Values values;
};

const std::vector<Statement> kStatements{
    {"step 1 loss 0.9", "step 5 loss 0.3", 5, {}, {{"loss", 0.3}}},
    {"step 102 loss 0.0019 grad_norm 0.05",
     "step 103 loss 0.0014 grad_norm 0.04",
     103,
     {},
     {{"loss", 0.0014}, {"grad_norm", 0.04}}},
    {"step 1 loss 1.000 margin 0.1", "step 2 loss 0.500 margin 0.2", 2, {}, {{"loss", 0.5}, {"margin", 0.2}}},
    {"step: 9, loss: 2.0", "step: 10, loss: 1.9", 10, {}, {{"loss", 1.9}}},
    {"[0/5][50/1583]\tLoss_D: 1.7410\tD(x): 0.5343\tLoss_G: 4.7761",
     "[0/5][100/1583]\tLoss_D: 0.1234\tD(x): 0.9800\tLoss_G: 7.1200",
     100,
     1,
     {{"Loss_D", 0.1234}, {"D_x", 0.98}, {"Loss_G", 7.12}}},
    {"10:\tlearn: 0.5745\ttest: 0.5801",
     "20:\tlearn: 0.4745\ttest: 0.4801",
     20,
     {},
     {{"loss", 0.4745}, {"val_loss", 0.4801}}},
    {"[10]\ttraining's l2: 0.523", "[20]\ttraining's l2: 0.423", 20, {}, {{"train_l2", 0.423}}},
    {"completed step: 12, seconds: 1.25, loss: 8.123",
     "completed step: 13, seconds: 1.50, loss: 8.023",
     13,
     {},
     {{"seconds", 1.5}, {"loss", 8.023}}},
    {"level=info msg=\"step done\" step=10 loss=1.25",
     "level=info msg=\"step done\" step=20 loss=1.15",
     20,
     {},
     {{"loss", 1.15}}},
    {"(epoch: 1, iters: 100, data: 0.3) D_A: 0.212 cycle_A: 1.212",
     "(epoch: 1, iters: 200, data: 0.1) D_A: 0.222 cycle_A: 1.222",
     200,
     1,
     {{"data", 0.1}, {"D_A", 0.222}, {"cycle_A", 1.222}}},
    {"Epoch 1, batch 50, loss[loss=1.234, simple_loss=1.1, over 4567.0 frames. ], lr: 3.0e-03",
     "Epoch 1, batch 100, loss[loss=1.134, simple_loss=1.0, over 4667.0 frames. ], lr: 3.1e-03",
     100,
     1,
     {{"loss", 1.134}, {"simple_loss", 1.0}, {"lr", 0.0031}}},
    {"Training  [  100/125000]  eta: 1 day, 0:00:00  lr: 0.0001 (0.0001)  total_loss: 12.34 (13.45)",
     "Training  [  110/125000]  eta: 1 day, 0:00:00  lr: 0.0002 (0.0001)  total_loss: 12.14 (13.25)",
     110,
     {},
     {{"lr", 0.0002}, {"loss", 12.14}}},
    {"[INFO|DP=0|PP=0|TP=0|ip-1]: iteration: 10 / 1000 | tokens_per_sec: 850K | lm_loss: 8.12",
     "[INFO|DP=0|PP=0|TP=0|ip-1]: iteration: 20 / 1000 | tokens_per_sec: 860K | lm_loss: 7.12",
     20,
     {},
     {{"tokens_per_s", 860000}, {"loss", 7.12}}},
    {"Train Step: 10 2245.6/s, 1122.8/s/gpu LR: 0.00001 Loss: 8.1",
     "Train Step: 20 2245.6/s, 1122.8/s/gpu LR: 0.00002 Loss: 7.1",
     20,
     {},
     {{"lr", 0.00002}, {"loss", 7.1}}},
    {"step=9 loss=2.0", "step=10 loss=1.9", 10, {}, {{"loss", 1.9}}},
    {"[4/200] loss=0.40 lr=0.05", "[5/200] loss=0.30 lr=0.05", 5, {}, {{"loss", 0.3}, {"lr", 0.05}}},
    {"Epoch 9, Loss: 2.0", "Epoch 10, Loss: 1.9", 10, 10, {{"loss", 1.9}}},
    {"Iteration 9 | loss: 2.0 | lr: 0.001",
     "Iteration 10 | loss: 1.9 | lr: 0.001",
     10,
     {},
     {{"loss", 1.9}, {"lr", 0.001}}},
    {"[1,    5] loss: 2.0", "[1,   10] loss: 1.9", 10, 1, {{"loss", 1.9}}},
    {"loss: 2.0  [    5/60000]", "loss: 1.9  [   10/60000]", 10, {}, {{"loss", 1.9}}},
    {"Epoch 2/10, Train Loss: 0.6, Val Loss: 0.5",
     "Epoch 3/10, Train Loss: 0.5, Val Loss: 0.4",
     3,
     3,
     {{"loss", 0.5}, {"val_loss", 0.4}}},
    {R"({"step": 4, "loss": 0.4})", R"({"step": 5, "loss": 0.3})", 5, {}, {{"loss", 0.3}}},
    {"{'step': 4, 'loss': 0.4, 'phase': 'train'}",
     "{'step': 5, 'loss': 0.3, 'phase': 'train'}",
     5,
     {},
     {{"loss", 0.3}}},
    {"epoch 1 step 9 loss 2.0", "epoch 1 step 10 loss 1.9", 10, 1, {{"loss", 1.9}}},
    {"Epoch 0 | Batch 9/128 | loss 2.0",
     "Epoch 0 | Batch 10/128 | loss 1.9",
     10,
     1,
     {{"loss", 1.9}, {"steps_per_epoch", 128}}},
    {"Epoch: [0]  [  0/156]  eta: 0:00:30  lr: 0.01  img/s: 200.0  loss: 2.3 (2.3)  acc1: 10.0 (10.0)  time: "
     "0.1",
     "Epoch: [0]  [ 10/156]  eta: 0:00:20  lr: 0.01  img/s: 250.1  loss: 1.9 (2.1)  acc1: 50.0 (30.0)  time: "
     "0.1",
     10,
     1,
     {{"lr", 0.01}, {"images_per_s", 250.1}, {"loss", 1.9}, {"acc1", 0.5}, {"time", 0.1}}},
    {"step 1 | loss nan | dt 12.5ms | tok/s 1,024",
     "step 2 | loss 0.5 | dt 13.5ms | tok/s 2,048",
     2,
     {},
     {{"loss", 0.5}, {"t_step_ms", 13.5}, {"tokens_per_s", 2048}}},
    {"step 1 acc 10% elapsed 12.5s eta 0:01:00",
     "step 2 acc 20% elapsed 13.5s eta 0:00:59",
     2,
     {},
     {{"acc1", 0.2}}},
    {"step 1 mem 2.1GiB loss tensor(0.5, device='cuda:0')",
     "step 2 mem 2.1GiB loss tensor(0.25, device='cuda:0')",
     2,
     {},
     {{"loss", 0.25}}},
    {"step 1 lr=[1e-3, 1e-4] loss=0.5",
     "step 2 lr=[1e-3, 1e-4] loss=0.4",
     2,
     {},
     {{"lr", 1e-3}, {"loss", 0.4}}},
    {"global_step 10 (epoch 1): loss is 0.5",
     "global_step 20 (epoch 1): loss is 0.4",
     20,
     1,
     {{"loss", 0.4}}},
    {"update 10: policy_loss = -0.5, reward = 3",
     "update 20: policy_loss = -0.25, reward = 4",
     20,
     {},
     {{"policy_loss", -0.25}, {"reward", 4}}},
    {"Step #1: total_loss: 3.5", "Step #2: total_loss: 3.25", 2, {}, {{"loss", 3.25}}},
};

TEST(GeneralReader, ReadsTwoLinesOfOneStatement) {
    for (const auto& statement : kStatements) {
        SCOPED_TRACE(statement.second);
        const auto lines = read({statement.first, statement.second});
        ASSERT_EQ(lines.size(), 2U) << "the first line counts as well";
        EXPECT_EQ(lines[1].step, statement.step);
        EXPECT_EQ(lines[1].epoch, statement.epoch);
        Values values(lines[1].values.begin(), lines[1].values.end());
        Values expected = statement.values;
        // What is said once is said with the first line.
        for (const char* once : {"steps_per_epoch", "epochs", "steps"}) {
            expected.erase(once);
        }
        for (const auto& [name, value] : expected) {
            ASSERT_TRUE(values.contains(name)) << name;
            EXPECT_NEAR(values[name], value, 1e-9) << name;
        }
        EXPECT_EQ(values.size(), expected.size());
    }
}

TEST(GeneralReader, PassesOverThePrefixesOfLoggers) {
    for (const char* prefix :
         {"INFO:root:", "INFO:train:", "2024-05-01 12:30:01,123 - train - INFO - ",
          "2024-05-01 12:30:01.123 | INFO     | __main__:train:45 - ", "[2024-05-01 12:30:01] ",
          "[rank0]:", "[default0]:", "I0501 12:30:01.123456 140 train.py:45] ", "[05/01 12:30:01 d2.train]: ",
          "[2024-05-01 12:30:01,204] [INFO] [logging.py:96:log_dist] [Rank 0] ", "12:30:01 INFO ",
          "train.py:45 [INFO] ", "(rank 0) ", "[12:30:01] node1: ", "2024-05-01T12:30:01.123Z ", "> ",
          "==> "}) {
        SCOPED_TRACE(prefix);
        const auto lines =
            read({std::string(prefix) + "step 4 loss 0.4", std::string(prefix) + "step 5 loss 0.3"});
        ASSERT_EQ(lines.size(), 2U);
        EXPECT_EQ(lines[1].step, 5);
        ASSERT_EQ(lines[1].values.size(), 1U);
        EXPECT_EQ(lines[1].values[0], (std::pair<std::string, double>("loss", 0.3)));
    }
}

TEST(GeneralReader, FindsNothingInOrdinaryOutput) {
    std::ifstream file(RANKSCOPE_LINES_WITHOUT_METRICS);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    ASSERT_GE(lines.size(), 500U);
    auto twice = lines;
    twice.insert(twice.end(), lines.begin(), lines.end());
    for (const auto& line : read(twice)) {
        ADD_FAILURE() << line.values.front().first << " = " << line.values.front().second;
    }
    // And among the lines of a program that is read.
    lines.insert(lines.begin(), {"step 1 loss 0.9", "step 2 loss 0.8"});
    EXPECT_EQ(read(lines).size(), 2U);
}

TEST(GeneralReader, ACounterThatDoesNotRiseIsNone) {
    EXPECT_TRUE(read({"step 5 loss 0.3", "step 5 loss 0.3", "step 5 loss 0.3"}).empty());
    EXPECT_TRUE(read({"step 5 loss 0.3"}).empty());
    EXPECT_TRUE(read({"step 5 loss 0.3", "step 6 accuracy 0.3", "step 7 lr 0.3"}).empty());
}

TEST(GeneralReader, CountsStepsThatBeginAgainWithEachEpoch) {
    const auto lines = read({"epoch 1 step 1 loss 0.9", "epoch 1 step 2 loss 0.8", "epoch 2 step 1 loss 0.7",
                             "epoch 2 step 2 loss 0.6"});
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[2].step, 3);
    EXPECT_EQ(lines[3].step, 4);
    const auto through =
        read({"epoch 1 step 1 loss 0.9", "epoch 1 step 2 loss 0.8", "epoch 2 step 3 loss 0.7"});
    ASSERT_EQ(through.size(), 3U);
    EXPECT_EQ(through[2].step, 3) << "counted through all epochs";
}

TEST(GeneralReader, AnEpochsMeanIsNoStepsLoss) {
    const auto lines = read({"epoch 1 - iter 10/20 - loss 0.5", "epoch 1 - iter 20/20 - loss 0.4",
                             "epoch 1 done: loss 0.45", "DEV : loss 0.6", "TEST : loss 0.7"});
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[4].values[0].first, "test_loss");
    EXPECT_EQ(lines[2].values[0].first, "epoch_loss");
    EXPECT_EQ(lines[2].step, 20);
    EXPECT_EQ(lines[3].values[0].first, "val_loss");
}

TEST(GeneralReader, TheEpochMayHaveALineOfItsOwn) {
    const auto lines =
        read({"Epoch 1/12", "loss: 0.84 - val_loss: 0.48", "Epoch 2/12", "loss: 0.46 - val_loss: 0.41"});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1].epoch, 2);
    EXPECT_EQ(lines[1].step, 2);
}

// Steps and series of lines that are tables or records of several lines.
std::string told(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : read(lines)) {
        all += (line.step ? std::to_string(*line.step) : "-") + '/' +
               (line.epoch ? std::to_string(static_cast<int>(*line.epoch)) : "-");
        for (const auto& [name, value] : line.values) {
            all += ' ' + name + '=' + number_text(value);
        }
        all += '\n';
    }
    return all;
}

TEST(GeneralReader, ReadsTablesAtTheirFirstRow) {
    EXPECT_EQ(told({"epoch\ttrain_loss\tvalid_loss\taccuracy\ttime", "0\t0.71\t0.66\t0.87\t00:05",
                    "1\t0.61\tnan\t0.88\t00:05"}),
              "1/1 loss=0.71 val_loss=0.66 acc1=0.87\n2/2 loss=0.61 val_loss=nan acc1=0.88\n")
        << "fastai";
    EXPECT_EQ(told({"| Epoch | Train Loss | Top-1 |", "|-------|-----------:|------:|",
                    "| 1/9 | 2.5 | 11.5% |", "| 2/9 | 2.1 | 20% |"}),
              "1/1 loss=2.5 acc1=0.115 epochs=9\n2/2 loss=2.1 acc1=0.2\n");
    EXPECT_EQ(told({"epoch train_loss valid_loss", "1 0.5 0.6", "and 3 words", "2 0.4 0.5"}),
              "1/1 loss=0.5 val_loss=0.6\n2/2 loss=0.4 val_loss=0.5\n");
    EXPECT_EQ(told({"   iter    loss_g   loss_d   n_images", "    100     0.75     1.25       6400"}),
              "100/- loss_g=0.75 loss_d=1.25\n")
        << "a count is no value";
}

TEST(GeneralReader, ARowThatEndsInABarCountsWhenTheBarIsFull) {
    const std::string heading = "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size";
    const std::string classes =
        "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|███| "
        "6/6 [00:02<00:00]";
    EXPECT_EQ(
        told({heading,
              "       1/30      4.91G      1.125       0.75         14        640:  50%|█▌ | 12/24 "
              "[00:04<00:04,  2.91it/s]",
              "       1/30      4.91G        1.5        0.5         14        640: 100%|███| 24/24 "
              "[00:08<00:00,  2.91it/s]",
              classes,
              "                   all        518       1107       0.96       0.95       0.75        0.5",
              "                person        100        400       0.66       0.65       0.65       0.25",
              heading,
              "       2/30      4.91G       1.25      0.375          9        640: 100% ━━━ 24/24 2.9it/s "
              "8.0s"}),
        "1/1 box_loss=1.5 cls_loss=0.5 epochs=30\n"
        "1/1 val_P=0.96 val_R=0.95 val_mAP50=0.75 val_mAP50_95=0.5\n"
        "2/2 box_loss=1.25 cls_loss=0.375\n");
}

TEST(GeneralReader, ReadsTheTablesOfRichAndPandas) {
    const std::string expected = "1/1 loss=0.75 val_loss=0.5\n2/2 loss=0.5 val_loss=0.25\n";
    EXPECT_EQ(told({"┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓", "┃ Epoch ┃ Train Loss ┃ Val Loss ┃",
                    "┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩", "│ 1     │ 0.75       │ 0.5      │",
                    "│ 2     │ 0.5        │ 0.25     │", "└───────┴────────────┴──────────┘"}),
              expected);
    EXPECT_EQ(told({"   epoch  train_loss  val_loss", "0      1        0.75      0.50",
                    "1      2        0.50      0.25"}),
              expected);
}

TEST(GeneralReader, ABlockBetweenRulesIsARecord) {
    const std::vector<std::string> first{
        "----------------------------",  "| rollout/         |       |", "|    ep_rew_mean   | 22.5  |",
        "| time/            |       |",  "|    fps           | 1224  |", "|    iterations    | 1     |",
        "|    total_timesteps | 2048 |", "| train/           |       |", "|    loss          | 6.5   |",
        "|    n_updates     | 10    |",  "----------------------------"};
    auto lines = first;
    lines.insert(lines.end(), first.begin(), first.end());
    lines[17] = "|    total_timesteps | 4096 |";
    EXPECT_EQ(told(lines),
              "2048/- rollout/ep_rew_mean=22.5 loss=6.5\n4096/- rollout/ep_rew_mean=22.5 loss=6.5\n")
        << "Stable-Baselines3";
}

TEST(GeneralReader, ALineInABoxIsReadAsALine) {
    EXPECT_EQ(told({"--------", "| epoch 1 | loss 0.5 |", "--------", "| epoch 2 | loss 0.25 |", "--------"}),
              "1/1 loss=0.5\n2/2 loss=0.25\n");
}

TEST(GeneralReader, ValidationsWithoutAnyStepAllRemain) {
    EXPECT_EQ(told({"val loss 5.5", "val loss 5.25"}), "0/- val_loss=5.5\n-/- val_loss=5.25\n") << "llm.c";
}

TEST(GeneralReader, ATableOfSomethingElseIsNone) {
    EXPECT_EQ(told({"  Name    Type    Params", "0 net   Linear   7850", "1 loss  Loss      0"}), "");
    EXPECT_EQ(told({"layer   params   loss", "conv1   9408   0.5", "conv2   9408   0.25"}), "");
    EXPECT_EQ(told({"epoch one has begun", "3 files were found"}), "");
    EXPECT_EQ(told({"step   gpu   memory", "load   0   12 GiB"}), "");
    EXPECT_EQ(told({"epoch   loss   acc", "0.1   0.2   0.3"}), "") << "no row: nothing counts";
}

TEST(GeneralReader, LinesBelowTheLineOfTheirStepBelongToIt) {
    EXPECT_EQ(told({"[batch=128/12000]:", "     Train time/batch: 127", "     Train loss/train/total: 9.5",
                    "[batch=256/12000]:", "     Train time/batch: 255", "     Train loss/train/total: 8.25"}),
              "128/- Train_loss/train/total=9.5 steps=12000\n256/- Train_loss/train/total=8.25\n")
        << "Composer";
}

TEST(GeneralReader, TheWordOfACounterMayStandBehindItsNumber) {
    EXPECT_EQ(told({"INFO: 1epoch:train:1-420batch: loss=148.5, acc=0.25",
                    "INFO: 1epoch:train:421-840batch: loss=81.5, acc=0.5"}),
              "420/1 loss=148.5 acc1=0.25\n840/1 loss=81.5 acc1=0.5\n")
        << "ESPnet";
    EXPECT_EQ(told({"s:0 trl:10.5 lr:0.5", "s:1 trl:10.25 lr:0.5"}),
              "0/- loss=10.5 lr=0.5\n1/- loss=10.25 lr=0.5\n");
    EXPECT_EQ(told({"n:3 files:0.5", "n:4 files:0.25"}), "") << "no name of a training";
}

// A program that prints its validation first holds two statements back: they come in the order of their lines.
TEST(GeneralReader, HeldLinesKeepTheirOrder) {
    const auto lines = read({"step:125/1750 val_loss:4.45 train_time:12345ms step_avg:98.76ms",
                             "step:126/1750 train_time:12445ms step_avg:98.80ms",
                             "step:127/1750 train_time:12545ms step_avg:98.80ms",
                             "step:250/1750 val_loss:4.12 train_time:24345ms step_avg:98.76ms"});
    std::vector<std::int64_t> steps;
    for (const auto& line : lines) {
        steps.push_back(line.step.value_or(-1));
    }
    EXPECT_EQ(steps, (std::vector<std::int64_t>{125, 126, 127, 250}));
}

// The mean of a validation stands behind the value of its last batch.
TEST(GeneralReader, AValidationThatCountsGivesItsMeanAtItsEnd) {
    const auto lines = read({"Train: 12 [ 150/1251 ( 12%)]  Loss: 4.321 (4.567)  LR: 5.0e-04",
                             "Train: 12 [ 200/1251 ( 16%)]  Loss: 4.221 (4.467)  LR: 5.0e-04",
                             "Test: [  24/48]  Loss:   1.100 ( 1.400)  Acc@1:  70.1 ( 69.8)",
                             "Test: [  48/48]  Loss:   1.234 ( 1.345)  Acc@1:  71.1 ( 70.8)"});
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(Values(lines[2].values.begin(), lines[2].values.end()),
              (Values{{"val_loss", 1.345}, {"val_acc1", 0.708}}));
    EXPECT_EQ(lines[2].step, 200);
}

TEST(GeneralReader, SeveralLinesOfAnEpochAreCounted) {
    EXPECT_EQ(
        told({"Epoch 4 train Cls Loss: 0.5 Tot Loss: 0.75", "Epoch 4 train Cls Loss: 0.25 Tot Loss: 0.5",
              "Epoch 5 train Cls Loss: 0.125 Tot Loss: 0.25"}),
        "1/4 train_Cls_Loss=0.5 loss=0.75\n2/4 train_Cls_Loss=0.25 loss=0.5\n3/5 train_Cls_Loss=0.125 "
        "loss=0.25\n");
}

TEST(GeneralReader, ObjectsWithoutACountCountThemselves) {
    EXPECT_EQ(told({R"({"env/reward_mean": 0.5, "ppo/loss/total": 0.75})",
                    R"({"env/reward_mean": 0.25, "ppo/loss/total": 0.5})"}),
              "1/- env/reward_mean=0.5 ppo/loss/total=0.75\n2/- env/reward_mean=0.25 ppo/loss/total=0.5\n");
    EXPECT_EQ(told({R"({"lr": 0.5, "loss_scale": 0.75})", R"({"lr": 0.5, "loss_scale": 0.75})"}), "")
        << "settings";
}

TEST(GeneralReader, ReadsChineseWords) {
    EXPECT_EQ(told({"[训练] 第1轮 第100步 损失: 2.5 学习率: 0.5 准确率：50%",
                    "[训练] 第1轮 第200步 损失: 2.25 学习率: 0.25 准确率：75%"}),
              "100/1 loss=2.5 lr=0.5 acc1=0.5\n200/1 loss=2.25 lr=0.25 acc1=0.75\n");
}

TEST(GeneralReader, TwoStatementsMayShareACounter) {
    EXPECT_EQ(told({"I0417 09:06:51.2 139 logging_writer.py:35] [1248] eval_accuracy=0.25, eval_loss=5.5",
                    "I0417 09:07:18.8 139 logging_writer.py:35] [1300] steps_per_second=2.5, "
                    "train_accuracy=0.5, train_loss=4.5"}),
              "1248/- val_acc1=0.25 val_loss=5.5\n1300/- steps_per_second=2.5 acc1=0.5 loss=4.5\n");
    EXPECT_EQ(told({"[1248] loss=0.5", "[1300] accuracy=0.5"}), "")
        << "too little: may be numbers of processes";
}

TEST(GeneralReader, OneRankOfSeveralInOneOutput) {
    const auto lines = read({"[rank0]:step 1 loss 0.9", "[rank1]:step 1 loss 5.0", "[rank0]:step 2 loss 0.8",
                             "[rank1]:step 2 loss 4.0", "[rank0]:step 3 loss 0.7"});
    ASSERT_FALSE(lines.empty());
    for (const auto& line : lines) {
        EXPECT_LT(line.values[0].second, 1) << "of rank 1";
    }
}

TEST(LineMetrics, TheBarThatIsDrawnNextHasTheStepOfTrainersLine) {
    LineMetrics metrics({}, true);
    std::vector<MetricsLine> lines;
    const auto feed = [&](bool err, const std::string& text) {
        const auto some = metrics.feed(err, text);
        lines.insert(lines.end(), some.begin(), some.end());
    };
    feed(true, "\r  0%|          | 0/40 [00:00<?, ?it/s]\r 10%|#         | 4/40 [00:01<00:09,  3.9it/s]");
    feed(false,
         "{'loss': 0.9, 'grad_norm': 1.5, 'learning_rate': 4.5e-05, 'epoch': 0.04}\n{'loss': 0.8, 'epoch': "
         "0.08}\n");
    // tqdm wipes the bar, the line is printed, the bar is drawn again.
    feed(true, "\r                                        \r\r 12%|#2        | 5/40 [00:01<00:09,  3.9it/s]");
    feed(true, "\r 22%|##2       | 9/40 [00:02<00:08,  3.9it/s]");
    feed(true,
         "\r                                        \r\r 25%|##5       | 10/40 [00:02<00:08,  3.9it/s]\r");
    for (const auto& line : metrics.finish()) {
        lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].step, 5);
    EXPECT_EQ(lines[0].epoch, 0.04);
    EXPECT_EQ(lines[1].step, 10);
    EXPECT_EQ(lines[1].epoch, 0.08);
}

TEST(LineMetrics, OffersLinesThatNothingReads) {
    LineMetrics metrics({}, true);
    for (int i = 1; i < 20; ++i) {
        metrics.feed(false, "r " + std::to_string(i) + " -> 0." + std::to_string(100 + i) + " cost\n");
        EXPECT_FALSE(metrics.offer(1, false));
    }
    metrics.feed(false, "r 20 -> 0.120 cost\n");
    const auto offer = metrics.offer(2, false);
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->line, "r 20 -> 0.120 cost");
    ASSERT_EQ(offer->marks.size(), 2U);
    EXPECT_EQ(offer->marks[0].name, "step");
    EXPECT_EQ(offer->pattern, "r {step} -> {value}");
    EXPECT_EQ(offer->fields(), (std::vector<std::string>{"step=20", "value=0.120"}));
    EXPECT_FALSE(metrics.offer(3, false)) << "once";
    const UnreadNotice notice = offer->notice();
    EXPECT_EQ(notice.examples,
              (std::vector<std::string>{"r 18 -> 0.118 cost", "r 19 -> 0.119 cost", "r 20 -> 0.120 cost"}));
    EXPECT_EQ(notice.series(), std::vector<std::string>{"value"});
    EXPECT_EQ(UnreadNotice::of(notice.args()), notice);
}

TEST(UnreadNotice, ArgumentsOfAnotherFormAreNone) {
    using Args = std::vector<std::string>;
    for (const Args& args : {Args{}, Args{"p"}, Args{"p", "0"}, Args{"p", "x", "l"}, Args{"p", "2", "l"},
                             Args{"p", "99999999999999999999", "l"}}) {
        EXPECT_FALSE(UnreadNotice::of(args));
    }
    EXPECT_TRUE(UnreadNotice::of({"p", "1", "l"})->fields.empty());
}

// docs/own-program.md begins with this program: it is run as it stands there.
TEST(GeneralReader, ReadsTheFirstProgramOfThePage) {
    std::ifstream page(RANKSCOPE_OWN_PROGRAM_PAGE);
    const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
    const std::string fence = "```python\n";
    const auto begin = text.find(fence);
    ASSERT_NE(begin, std::string::npos);
    const auto program =
        text.substr(begin + fence.size(), text.find("```", begin + fence.size()) - begin - fence.size());
    std::string path = ::testing::TempDir() + "first-program-XXXXXX";
    const int file = ::mkstemp(path.data());
    ASSERT_GE(file, 0);
    ASSERT_EQ(::write(file, program.data(), program.size()), static_cast<ssize_t>(program.size()));
    ::close(file);
    FILE* const python = ::popen(("RANK=0 WORLD_SIZE=1 python3 " + path).c_str(), "r");
    ASSERT_NE(python, nullptr);
    LineMetrics metrics({}, true);
    std::vector<MetricsLine> lines;
    for (int c = std::fgetc(python); c != EOF; c = std::fgetc(python)) {
        const char byte = static_cast<char>(c);
        for (const auto& line : metrics.feed(false, {&byte, 1})) {
            lines.push_back(line);
        }
    }
    EXPECT_EQ(::pclose(python), 0);
    ::unlink(path.c_str());
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[2].step, 3);
    const Values values(lines[2].values.begin(), lines[2].values.end());
    EXPECT_EQ(values, (Values{{"loss", 0.333}, {"margin", 0.3}}));
}

TEST(LineMetrics, FewLinesAreOfferedAfterAMinuteAndAtTheEnd) {
    for (const bool ended : {false, true}) {
        LineMetrics metrics({}, true);
        for (const char* line : {"r 1 -> 0.5\n", "r 2 -> 0.4\n", "r 3 -> 0.3\n"}) {
            metrics.feed(false, line);
        }
        EXPECT_FALSE(metrics.offer(10, false));
        EXPECT_FALSE(metrics.offer(69, false));
        EXPECT_TRUE(metrics.offer(ended ? 69 : 70, ended));
    }
}

TEST(LineMetrics, OffersNothingWhereSomethingIsRead) {
    LineMetrics metrics({}, true);
    for (int i = 1; i < 30; ++i) {
        metrics.feed(false, "r " + std::to_string(i) + " -> 0.5\nstep " + std::to_string(i) + " loss 0.5\n");
    }
    EXPECT_FALSE(metrics.offer(100, true));
}

}  // namespace
}  // namespace rankscope::metric_lines
