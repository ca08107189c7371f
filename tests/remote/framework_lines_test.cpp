// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What programs printed into a pipe (Lightning 2.6, Ignite 0.5, SpeechBrain 1.1, Accelerate 1.15, sentence-transformers 6.2,
// Stable-Baselines3 2.9, Poutyne 1.19, LightGBM, CatBoost, spaCy 3.8, GluonTS 0.17), shortened.

#include <base/number_text.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {
namespace {

// "step/epoch name=value …" a line; what the run has once (its number of steps, …) is left out.
std::string told_of(std::string_view text) {
    LineMetrics metrics({}, true);
    std::string all;
    const auto tell = [&all](const std::vector<MetricsLine>& lines) {
        for (const auto& line : lines) {
            std::string values;
            for (const auto& [name, value] : line.values) {
                if (name != "steps_per_epoch" && name != "epochs" && name != "steps") {
                    values += ' ' + name + '=' + number_text(value);
                }
            }
            all += (line.step ? std::to_string(*line.step) : "-") + '/' +
                   (line.epoch ? std::to_string(static_cast<int>(*line.epoch)) : "-") + values + '\n';
        }
    };
    while (!text.empty()) {
        const auto end = std::min(text.size(), text.find_first_of("\r\n") + 1);
        tell(metrics.feed(true, text.substr(0, end == 0 ? text.size() : end)));
        text.remove_prefix(end == 0 ? text.size() : end);
    }
    tell(metrics.finish());
    return all;
}

std::string told_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) {
        text += line + '\n';
    }
    return told_of(text);
}

// The bar moves on with the values before, then has its own; the last validation stays through the next epoch.
TEST(BarValues, WaitForTheDrawingOfTheirCount) {
    EXPECT_EQ(
        told_of("\rEpoch 0:   0%|          | 0/32 [00:00<?, ?it/s]"
                "\rEpoch 0:  50%|#####     | 16/32 [00:00<00:00, 120.7it/s]"
                "\rEpoch 0:  50%|#####     | 16/32 [00:00<00:00, 120.7it/s, v_num=0, train_loss=1.400]"
                "\rEpoch 0: 100%|##########| 32/32 [00:00<00:00, 63.55it/s, v_num=0, train_loss=1.400]"
                "\rEpoch 0: 100%|##########| 32/32 [00:00<00:00, 63.52it/s, v_num=0, train_loss=1.270]"
                "\rEpoch 0: 100%|##########| 32/32 [00:00<00:00, 55.8it/s, v_num=0, train_loss=1.270, "
                "val_loss=1.430]"
                "\rEpoch 0:   0%|          | 0/32 [00:00<?, ?it/s, v_num=0, train_loss=1.270, val_loss=1.430]"
                "\rEpoch 1:   0%|          | 0/32 [00:00<?, ?it/s, v_num=0, train_loss=1.270, val_loss=1.430]"
                "\rEpoch 1:  50%|#####     | 16/32 [00:00<00:00, 42.6it/s, v_num=0, train_loss=1.270, "
                "val_loss=1.430]"
                "\rEpoch 1:  50%|#####     | 16/32 [00:00<00:00, 42.6it/s, v_num=0, train_loss=1.130, "
                "val_loss=1.430]"
                "\rEpoch 1: 100%|##########| 32/32 [00:00<00:00, 41.6it/s, v_num=0, train_loss=1.130, "
                "val_loss=1.430]"
                "\rEpoch 1: 100%|##########| 32/32 [00:00<00:00, 40.6it/s, v_num=0, train_loss=1.130, "
                "val_loss=1.310]"
                "\n"),
        "16/1 loss=1.4\n32/1 loss=1.27\n32/1 val_loss=1.43\n48/2 loss=1.13\n64/2 val_loss=1.31\n64/2 "
        "loss=1.13\n");
}

TEST(BarValues, AreOfTheNextStepWhereTheCountFollows) {
    EXPECT_EQ(told_of("\r  0%|          | 0/32 [00:00<?, ?it/s]"
                      "\r  0%|          | 0/32 [00:00<?, ?it/s, train_loss=1.54]"
                      "\r  0%|          | 0/32 [00:00<?, ?it/s, train_loss=1.5]"
                      "\r  0%|          | 0/32 [00:00<?, ?it/s, train_loss=1.5]"
                      "\r  9%|#         | 3/32 [00:00<00:00, 38.19it/s, train_loss=1.5]"
                      "\r  9%|#         | 3/32 [00:00<00:00, 38.19it/s, train_loss=1.2]"
                      "\r  9%|#         | 3/32 [00:00<00:00, 38.19it/s, train_loss=1.1]\n"),
              "1/1 loss=1.54\n2/1 loss=1.5\n3/1 loss=1.5\n4/1 loss=1.2\n5/1 loss=1.1\n");
    // Each tenth step writes them: only the first of a count has a step for certain.
    EXPECT_EQ(told_of("\r  0%|          | 0/90 [00:00<?, ?it/s, loss=1.54]"
                      "\r 33%|###       | 30/90 [00:00<00:00, 38.19it/s, loss=1.54]"
                      "\r 33%|###       | 30/90 [00:00<00:00, 38.19it/s, loss=1.2]"
                      "\r 33%|###       | 30/90 [00:00<00:00, 38.19it/s, loss=1.1]\n"),
              "1/1 loss=1.54\n31/1 loss=1.2\n");
}

TEST(BarValues, AreOfTheSameStepWhereTheCountComesFirst) {
    EXPECT_EQ(
        told_of("\r  0%|          | 0/96 [00:00<?, ?it/s]"
                "\r  1%|          | 1/96 [00:00<00:09, 9.9it/s, loss=1.4, lr=0.1]"
                "\r  2%|          | 2/96 [00:00<00:09, 9.9it/s, loss=1.4, lr=0.1]"
                "\r  2%|          | 2/96 [00:00<00:09, 9.9it/s, loss=1.3, lr=0.1]"
                "\r  3%|          | 3/96 [00:00<00:09, 9.9it/s, loss=1.3, lr=0.1]"
                "\r  4%|          | 4/96 [00:00<00:09, 9.9it/s, loss=1.2, lr=0.1]\n"),
        "1/1 loss=1.4 lr=0.1\n2/1 loss=1.3\n2/1 lr=0.1\n3/1 loss=1.3 lr=0.1\n4/1 loss=1.2\n4/1 lr=0.1\n");
}

// Its bar begins at 1.
TEST(BarValues, OfIgniteAreAStepAhead) {
    EXPECT_EQ(told_of("\r[1/32]   3%|#          [00:00<?]"
                      "\rEpoch [1/2]: [1/32]   3%|#          [00:00<?]"
                      "\rEpoch [1/2]: [1/32]   3%|#         , loss=1.38 [00:00<?]"
                      "\rEpoch [1/2]: [1/32]   3%|#         , loss=1.37 [00:00<?]"
                      "\rEpoch [1/2]: [2/32]   6%|#         , loss=1.37 [00:00<?]"
                      "\rEpoch [1/2]: [2/32]   6%|#         , loss=1.36 [00:00<?]"
                      "\rEpoch [1/2]: [31/32]  97%|######### , loss=1.36 [00:00<?]"
                      "\rEpoch [1/2]: [31/32]  97%|######### , loss=1.16 [00:00<?]"
                      "\r                                                    \r"
                      "\rEpoch [2/2]: [1/32]   3%|#         , loss=1.15 [00:00<?]\n"),
              "1/1 loss=1.38\n2/1 loss=1.37\n3/1 loss=1.36\n32/1 loss=1.16\n33/2 loss=1.15\n");
}

// "Computing widget examples" is wiped when it ends, and not drawn again.
TEST(BarValues, OfAnEndedBarBelongToNoLine) {
    EXPECT_EQ(
        told_of("\rComputing widget examples:   0%|          | 0/1 [00:00<?, ?example/s]"
                "\r                                                                     \r"
                "\r  0%|          | 0/50 [00:00<?, ?it/s]\r 10%|#         | 5/50 [00:00<00:02, 15.15it/s]"
                "\r                                              \r"
                "{'loss': '1.001', 'epoch': '0.2'}\n\r 10%|#         | 5/50 [00:00<00:02, 15.15it/s]"
                "\r 18%|##        | 9/50 [00:00<00:03, 11.56it/s]"
                "\r                                              \r"
                "{'loss': '0.9549', 'epoch': '0.4'}\n\r 20%|##        | 10/50 [00:00<00:03, 11.56it/s]"
                "\r                                              \r"
                "{'eval_loss': '0.8', 'epoch': '0.4'}\n\r 20%|##        | 10/50 [00:00<00:03, 11.56it/s]\n"),
        "5/0 loss=1.001\n10/0 loss=0.9549\n10/0 val_loss=0.8\n");
}

// Stable-Baselines3 leaves out what it has no value for, and writes 0 for 0.0.
TEST(FrameworkLines, KeepsTheSeriesOfAStatementThatLeavesOutAName) {
    EXPECT_EQ(told_lines({"------------",
                          "| time/ | |",
                          "| total_timesteps | 512 |",
                          "| train/ | |",
                          "| clip_fraction | 0 |",
                          "| loss | 47.5 |",
                          "| value_loss | 102 |",
                          "------------",
                          "------------",
                          "| time/ | |",
                          "| total_timesteps | 768 |",
                          "| train/ | |",
                          "| clip_fraction | 0.00313 |",
                          "| loss | 43.4 |",
                          "| value_loss | 83.9 |",
                          "------------",
                          "------------",
                          "| time/ | |",
                          "| total_timesteps | 1024 |",
                          "| train/ | |",
                          "| clip_fraction | 0 |",
                          "| loss | 64 |",
                          "| value_loss | 141 |",
                          "------------"}),
              "512/- loss=47.5 train/value_loss=102\n768/- train/clip_fraction=0.00313 loss=43.4 "
              "train/value_loss=83.9\n"
              "1024/- train/clip_fraction=0 loss=64 train/value_loss=141\n");
}

// Poutyne counts through the validation with the words of the training, and says both sizes at the end of an epoch.
TEST(FrameworkLines, TellsValidationByItsNames) {
    EXPECT_EQ(told_lines({"Epoch: 1/2 Step:  1/2  50.00% |###   |ETA: 0.72s loss: 1.389195",
                          "Epoch: 1/2 Step:  2/2 100.00% |######|ETA: 0.71s loss: 1.428348",
                          "Epoch: 1/2 Step: 1/2  50.00% |###   |ETA: 0.00s val_loss: 1.5",
                          "Epoch: 1/2 Step: 2/2 100.00% |######|ETA: 0.00s val_loss: 1.6",
                          "Epoch: 1/2 Train steps: 2 Val steps: 2 0.15s loss: 1.408 val_loss: 1.55",
                          "Epoch: 2/2 Step:  1/2  50.00% |###   |ETA: 0.72s loss: 1.2",
                          "Epoch: 2/2 Step:  2/2 100.00% |######|ETA: 0.71s loss: 1.1",
                          "Epoch: 2/2 Step: 1/2  50.00% |###   |ETA: 0.00s val_loss: 1.3",
                          "Epoch: 2/2 Step: 2/2 100.00% |######|ETA: 0.00s val_loss: 1.2",
                          "Epoch: 2/2 Train steps: 2 Val steps: 2 0.15s loss: 1.15 val_loss: 1.25"}),
              "1/1 loss=1.389195\n2/1 loss=1.428348\n2/1 val_loss=1.5\n2/1 "
              "val_loss=1.6\n"
              "2/1 epoch_loss=1.408 val_loss=1.55\n3/2 loss=1.2\n4/2 loss=1.1\n4/2 val_loss=1.2\n"
              "4/2 epoch_loss=1.15 val_loss=1.25\n");
    // PyTorch's own tutorial says it a line before.
    EXPECT_EQ(told_lines({"Epoch 1", "-------", "loss: 1.41  [   16/  512]", "loss: 1.11  [  144/  512]",
                          "Test Error: ", " Accuracy: 27.3%, Avg loss: 1.616356 "}),
              "16/1 loss=1.41\n144/1 loss=1.11\n144/1 val_acc1=0.273 val_loss=1.616356\n");
}

TEST(FrameworkLines, KnowsWhatALineAnnouncesForTheNextLineAlone) {
    EXPECT_EQ(told_lines({"step 1 loss 0.5", "step 2 loss 0.4", "Evaluating:", "Testing:", "took 3 s",
                          "step 3 loss 0.3"}),
              "1/- loss=0.5\n2/- loss=0.4\n3/- loss=0.3\n");
}

TEST(FrameworkLines, ReadsTheNamesOfSets) {
    EXPECT_EQ(told_lines({"[1]\ttrain's multi_logloss: 1.25574\tvalid's multi_logloss: 1.40809",
                          "[2]\ttrain's multi_logloss: 1.15479\tvalid's multi_logloss: 1.42579"}),
              "1/- train_multi_logloss=1.25574 val_multi_logloss=1.40809\n"
              "2/- train_multi_logloss=1.15479 val_multi_logloss=1.42579\n");
    EXPECT_EQ(
        told_lines({"0:\tlearn: 1.2577\ttest: 1.4319\tbest: 1.4319 (0)\ttotal: 47ms\tremaining: 1.3s",
                    "1:\tlearn: 1.1656\ttest: 1.4456\tbest: 1.4319 (0)\ttotal: 48ms\tremaining: 674ms"}),
        "0/- loss=1.2577 val_loss=1.4319\n1/- loss=1.1656 val_loss=1.4456\n");
    EXPECT_EQ(told_lines({"E    #       LOSS TEXTCAT  CATS_SCORE  SCORE ",
                          "---  ------  ------------  ----------  ------",
                          "  0       0          0.25       36.17    0.36",
                          "  1      10          2.43       85.65    0.86"}),
              "0/1 LOSS_TEXTCAT=0.25 CATS_SCORE=36.17 SCORE=0.36\n10/2 LOSS_TEXTCAT=2.43 CATS_SCORE=85.65 "
              "SCORE=0.86\n");
    EXPECT_EQ(told_lines({"Epoch 0, global step 10: 'train_loss' reached 2.04 (best 2.04), saving model to "
                          "'/tmp/a.ckpt' as top 1",
                          "Epoch 1, global step 20: 'train_loss' reached 1.72 (best 1.72), saving model to "
                          "'/tmp/b.ckpt' as top 1"}),
              "");
}

// Lightning with a data set of unknown length, and a mean of the epoch, which the bar shows through all of the next one.
TEST(BarValues, AMeanOfAnEpochIsNoneOfTheNext) {
    EXPECT_EQ(told_of("\rEpoch 0: |          | 0/? [00:00<?, ?it/s]"
                      "\rEpoch 0: |          | 1/? [00:00<00:00, 14.15it/s, v_num=1]"
                      "\rEpoch 0: |          | 2/? [00:00<00:00, 15.79it/s, v_num=1]"
                      "\rEpoch 0: |          | 2/? [00:00<00:00, 15.75it/s, v_num=1, train_loss=1.460]"
                      "Epoch 0, global step 2: 'train_loss' reached 1.46238 (best 1.46238), saving model to "
                      "'csv_gluonts/lightning_logs/version_1/checkpoints/epoch=0-step=2.ckpt' as top 1\n"
                      "\rEpoch 1: |          | 0/? [00:00<?, ?it/s, v_num=1, train_loss=1.460]"
                      "\rEpoch 1: |          | 1/? [00:00<00:00, 47.32it/s, v_num=1, train_loss=1.460]"
                      "\rEpoch 1: |          | 2/? [00:00<00:00, 46.81it/s, v_num=1, train_loss=1.460]"
                      "\rEpoch 1: |          | 2/? [00:00<00:00, 46.79it/s, v_num=1, train_loss=1.030]\n"
                      "\rEpoch 2: |          | 0/? [00:00<?, ?it/s, v_num=1, train_loss=1.030]"
                      "\rEpoch 2: |          | 1/? [00:00<00:00, 47.32it/s, v_num=1, train_loss=1.030]"
                      "\rEpoch 2: |          | 2/? [00:00<00:00, 46.79it/s, v_num=1, train_loss=1.030]\n"),
              "2/1 loss=1.46\n4/2 loss=1.03\n");
}

TEST(FrameworkLines, ANameWithSlashesIsNoPath) {
    EXPECT_EQ(told_lines({"{'step': 1, 'eval/mmlu/law/acc': 0.25}", "{'step': 2, 'eval/mmlu/law/acc': 0.5}"}),
              "1/- val_mmlu/law/acc=0.25\n2/- val_mmlu/law/acc=0.5\n");
}

// timm's train.py: "Train: 3" is the epoch, and the summary at its end is of epochs that have passed.
TEST(FrameworkLines, LeavesOutTheSummaryOfEpochsThatHavePassed) {
    EXPECT_EQ(told_lines({"Train: 0 [   0/10 (  0%)]  Loss: 2.31 (2.31)  LR: 1.000e-05",
                          "Train: 0 [   9/10 (100%)]  Loss: 2.21 (2.25)  LR: 1.000e-05",
                          "Test: [   9/9]  Loss:  2.0 (2.1)  Acc@1:  10.0 ( 12.0)",
                          "Train: 1 [   0/10 (  0%)]  Loss: 2.11 (2.11)  LR: 1.000e-05",
                          "Train: 1 [   9/10 (100%)]  Loss: 2.01 (2.05)  LR: 1.000e-05",
                          "Test: [   9/9]  Loss:  1.9 (2.0)  Acc@1:  20.0 ( 22.0)",
                          "--result",
                          "[",
                          "    {",
                          "        \"epoch\": 0,",
                          "        \"train\": {",
                          "            \"loss\": 2.25",
                          "        },",
                          "        \"validation\": {",
                          "            \"loss\": 2.1,",
                          "            \"top1\": 12.0",
                          "        }",
                          "    },",
                          "    {",
                          "        \"epoch\": 1,",
                          "        \"train\": {",
                          "            \"loss\": 2.05",
                          "        },",
                          "        \"validation\": {",
                          "            \"loss\": 2.0,",
                          "            \"top1\": 22.0",
                          "        }",
                          "    }",
                          "]"}),
              "0/1 loss=2.31 lr=1e-05\n9/1 loss=2.21 lr=1e-05\n9/1 val_loss=2.1 val_acc1=0.12\n"
              "10/2 loss=2.11 lr=1e-05\n19/2 loss=2.01 lr=1e-05\n19/2 val_loss=2 val_acc1=0.22\n");
}

TEST(FrameworkLines, AnEpochNextToABarBeginsWhereTheCountFalls) {
    EXPECT_EQ(told_of("\r 10%|#   | 5/50 [00:00<00:03, 12.1it/s, epoch=1/2, avg_loss=4.5]"
                      "\r100%|####| 50/50 [00:03<00:00, 13.1it/s, epoch=1/2, avg_loss=4.1]\n"
                      "\r 10%|#   | 5/50 [00:00<00:03, 12.1it/s, epoch=2/2, avg_loss=4]"
                      "\r100%|####| 50/50 [00:03<00:00, 13.1it/s, epoch=2/2, avg_loss=3.8]\n"),
              "5/1 avg_loss=4.5\n50/1 avg_loss=4.1\n55/2 avg_loss=4\n100/2 avg_loss=3.8\n");
    EXPECT_EQ(told_of("\r  3%|    | 5/150 [00:00<00:03, 12.1it/s, epoch=0, loss=4.5]"
                      "\r 33%|#   | 50/150 [00:03<00:00, 13.1it/s, epoch=0, loss=4.1]"
                      "\r 37%|#   | 55/150 [00:03<00:00, 13.1it/s, epoch=1, loss=3.7]"
                      "\r100%|####| 150/150 [00:03<00:00, 13.1it/s, epoch=1, loss=3.6]\n"),
              "5/1 loss=4.5\n50/1 loss=4.1\n55/2 loss=3.7\n150/2 loss=3.6\n");
}

TEST(FrameworkLines, CountsLinesThatSayHowMuchIsDone) {
    EXPECT_EQ(
        told_of(
            "\rProgress:  10.1% words/sec/thread:   70211 lr:  0.099899 avg.loss: 13.28125 ETA: 0h 0m12s"
            "\rProgress: 100.0% words/sec/thread:   70552 lr:  0.000000 avg.loss:  9.98125 ETA: 0h 0m 0s\n"),
        "1/- words/sec/thread=70211 lr=0.099899 loss=13.28125\n"
        "2/- words/sec/thread=70552 lr=0 loss=9.98125\n");
}

}  // namespace
}  // namespace rankscope::metric_lines
