// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/observe/throughput/stated_sizes.h>

#include <gtest/gtest.h>

namespace rankscope::throughput {
namespace {

std::string shown(const std::vector<StatedSize>& sizes) {
    constexpr const char* kSizes[]{"batch",      "micro", "accumulation", "length", "tokens",
                                   "parameters", "split", "experts",      "copies"};
    constexpr const char* kOf[]{"", " of a rank", " of all", " trainable", " frozen", " active"};
    std::string out;
    for (const auto& one : sizes) {
        out += (out.empty() ? "" : ", ") + std::string(kSizes[static_cast<int>(one.size)]) +
               (one.axis.empty() ? "" : " " + one.axis) + kOf[static_cast<int>(one.of)] + ' ' +
               number_text(one.value);
    }
    return out;
}

std::string of_command(const std::vector<std::string>& words) {
    return shown(sizes_of_command(words));
}

std::string of_line(const char* line) {
    return shown(sizes_of_line(line));
}

TEST(StatedSizes, OptionsNameTheBatch) {
    EXPECT_EQ(of_command({"python", "train.py", "--batch-size", "64"}), "batch 64");
    EXPECT_EQ(of_command({"python", "train.py", "--batch_size=64"}), "batch 64");
    EXPECT_EQ(of_command({"python", "train.py", "--train-batch-size", "32"}), "batch 32");
    EXPECT_EQ(of_command({"python", "main.py", "-b", "256", "/data"}), "batch 256");
    EXPECT_EQ(of_command({"python", "run.py", "--per_device_train_batch_size", "8",
                          "--gradient_accumulation_steps", "4", "--block_size", "1024"}),
              "batch of a rank 8, accumulation 4, length 1024");
    EXPECT_EQ(of_command({"python", "t.py", "--micro-batch-size", "4", "--global-batch-size", "32",
                          "--seq-length", "2048", "--tensor-model-parallel-size", "2"}),
              "micro of a rank 4, batch of all 32, length 2048, split tp 2");
    EXPECT_EQ(of_command({"python", "t.py", "train.batch_size=16", "model.block_size=128"}),
              "batch 16, length 128");
    EXPECT_EQ(of_command({"yolo", "train", "batch=16"}), "batch 16");
    EXPECT_EQ(of_command({"bash", "-c", "python t.py --batch-size 12 --lr 0.1"}), "batch 12");
    EXPECT_EQ(of_command({"python", "t.py", "--num_experts", "8"}), "experts 8");
    EXPECT_EQ(sizes_of_command({"t.py", "--batch-size", "64"})[0].text, "--batch-size 64");
}

TEST(StatedSizes, OtherOptionsAreNoBatch) {
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"t.py", "--eval-batch-size", "64"},
             {"t.py", "--test_batch_size=64"},
             {"t.py", "--per_device_eval_batch_size", "8"},
             {"t.py", "eval.batch_size=8"},
             {"t.py", "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8"},
             {"t.py", "--ppo_mini_batch_size=8"},
             {"t.py", "--max_seq_length", "2048"},
             {"t.py", "--batch-size", "auto"},
             {"t.py", "--batch-size", "0.5"},
             {"t.py", "--batch-size", "-1"},
             {"t.py", "--batch-size"},
             {"t.py", "--batches", "64"},
             {"t.py", "--num-batches", "64"},
             {"t.py", "--batch-size", "1048576"},
             {"t.py", "--tensor-parallel-size", "1"},
             {"t.py", "--image-size", "224", "--workers", "4", "--steps", "100", "--patch-size", "16"},
             {"t.py", "-B", "64"},
             {"t.py", "64", "batch", "32"}}) {
        EXPECT_EQ(of_command(words), "") << words[1];
    }
}

TEST(StatedSizes, SplitsNameTheirAxis) {
    EXPECT_EQ(
        of_command({"t.py", "--pipeline-model-parallel-size=4", "--context-parallel-size", "2", "--tp", "8"}),
        "split pp 4, split cp 2, split tp 8");
    EXPECT_EQ(of_command({"t.py", "--model-parallel-size", "2", "--expert_model_parallel_size", "4"}),
              "split mp 2, split ep 4");
    EXPECT_EQ(of_command({"t.py", "--expert-tensor-parallel-size", "4"}), "split 4") << "of two";
    EXPECT_EQ(of_command({"t.py", "--parallelism.data_parallel_shard_degree=8", "--dp_replicate", "2"}),
              "copies dp_shard 8, copies dp_replicate 2");
    EXPECT_EQ(of_line("> initializing pipeline model parallel with size 4"), "split pp 4");
    EXPECT_EQ(of_command({"t.py", "--virtual-pipeline-model-parallel-size", "4"}), "");
    EXPECT_EQ(of_command({"t.py", "--data-size", "64", "--shard-size", "8", "--replicate", "2"}), "");
}

TEST(StatedSizes, LinesNameSizes) {
    EXPECT_EQ(of_line("  Instantaneous batch size per device = 8"), "batch of a rank 8");
    EXPECT_EQ(of_line("  Total train batch size (w. parallel, distributed & accumulation) = 64"),
              "batch of all 64");
    EXPECT_EQ(of_line("  Gradient Accumulation steps = 4"), "accumulation 4");
    EXPECT_EQ(of_line("  Number of trainable parameters = 124,439,808"), "parameters trainable 124439808");
    EXPECT_EQ(of_line("tokens per iteration will be: 491,520"), "tokens of all 491520");
    EXPECT_EQ(of_line("number of parameters: 123.59M"), "parameters 123590000");
    EXPECT_EQ(of_line("Namespace(batch_size=64, test_batch_size=1000, epochs=14, lr=1.0)"), "batch 64");
    EXPECT_EQ(of_line("{'batch_size': 32, 'lr': 0.1, 'seq_len': 512}"), "batch 32, length 512");
    EXPECT_EQ(of_line("  micro_batch_size ................................ 4"), "micro of a rank 4");
    EXPECT_EQ(of_line("  global_batch_size ............................... 32"), "batch of all 32");
    EXPECT_EQ(of_line("[titan] 2026-01-02 10:00:00,123 - root - INFO - Model llama3 debug size: 6,139,136 "
                      "total parameters"),
              "parameters 6139136");
    EXPECT_EQ(of_line("Training starts at step 1, with local batch size 8, global batch size 64, sequence "
                      "length 2048, total steps 10"),
              "batch of a rank 8, batch of all 64, length 2048");
    EXPECT_EQ(of_line("trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622"),
              "parameters trainable 4194304, parameters 6742609920");
    EXPECT_EQ(of_line("Batch size: 16 per GPU"), "batch of a rank 16");
    EXPECT_EQ(of_line("INFO:root:using batch size 128"), "batch 128");
    EXPECT_EQ(of_line("Model resnet50 created, param count:25557032"), "parameters 25557032");
    EXPECT_EQ(of_line("124 M     Total params"), "parameters 1.24e+08");
}

TEST(StatedSizes, OtherNumbersAreNoSizes) {
    for (const char* line : {"Epoch 3 batch 64 loss 0.5",
                             "batch 64/128 loss 0.3",
                             "batch size: 64/128",
                             "val batch size: 8",
                             "Evaluation batch size = 8",
                             "test batch size 1000",
                             "batch_size_2=64",
                             "Batch size 64 took 3.2 s",
                             "Loaded 50000 samples",
                             "Processing batch 64",
                             "batch time: 64 ms",
                             "size: 64",
                             "parameters: 3",
                             "num decayed parameter tensors: 50, with 124,354,560 parameters",
                             "Found 64 images in 8 batches",
                             "lr=64 batch_norm=1",
                             "batch size: 6.4",
                             "max batch size: 64",
                             "step 64 tokens 1024",
                             "Building 8 parallel workers",
                             "2026-11-27 12:00:00 64",
                             "batch size mismatch: expected 64, got 32",
                             ""}) {
        EXPECT_EQ(of_line(line), "") << line;
    }
}

TEST(StatedSizes, NamesOfSeriesSayWhatTheyCount) {
    EXPECT_EQ(rate_of_series("tokens_per_s"), Rate::Tokens);
    EXPECT_EQ(rate_of_series("images_per_s"), Rate::Images);
    EXPECT_EQ(rate_of_series("train_samples_per_second"), Rate::Samples);
    EXPECT_EQ(rate_of_series("train_steps_per_second"), Rate::Steps);
    EXPECT_EQ(rate_of_series("RunningAvgSamplesPerSec"), Rate::Samples);
    EXPECT_EQ(rate_of_series("throughput/samples_per_sec"), Rate::Samples);
    EXPECT_EQ(rate_of_series("train/mfu"), Rate::Mfu);
    EXPECT_EQ(rate_of_series("num_tokens"), Rate::TokensSeen);
    EXPECT_EQ(rate_of_series("num_input_tokens_seen"), Rate::TokensSeen);
    EXPECT_EQ(rate_of_series("consumed_samples"), Rate::SamplesSeen);
    for (const char* name :
         {"val_samples_per_second", "eval_tokens_per_s", "loss", "tokens", "samples", "steps", "t_step_ms",
          "tokens_per_step", "lr", "s", "generation/tokens_per_s", "cost_per_second", ""}) {
        EXPECT_FALSE(rate_of_series(name)) << name;
    }
}

TEST(StatedSizes, WordsOfLanguageModels) {
    EXPECT_TRUE(speaks_of_tokens("--tokenizer"));
    EXPECT_TRUE(speaks_of_tokens("found vocab_size = 65 (inside data/meta.pkl)"));
    EXPECT_TRUE(speaks_of_tokens("tokens per iteration will be: 491,520"));
    EXPECT_FALSE(speaks_of_tokens("--seq_len"));
}

}  // namespace
}  // namespace rankscope::throughput
