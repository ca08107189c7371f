// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/metrics_line.h>
#include <engine/comm/rank_env.h>
#include <engine/error.h>
#include <engine/train/metrics_sink.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tests/engine/temporary_folder.h>
#include <unistd.h>

#include <map>
#include <string>

namespace rankscope::engine::test {
namespace {

using config::check_train_config;
using nlohmann::json;

json good() {
    return json::parse(R"({"model": "convnet", "dataset": {"name": "mnist", "root": "~/datasets/mnist"},
                           "epochs": 2, "batch_size": 100, "optimizer": {"name": "sgd", "lr": 1.0e-4, "momentum": 0}})");
}

TEST(TrainConfig, TheDesignsExampleIsRead) {
    EXPECT_TRUE(check_train_config(good()).empty());
    const config::TrainConfig config = config::parse_train_config(good());
    EXPECT_EQ(config.model, "convnet");
    EXPECT_EQ(config.dataset.root, "~/datasets/mnist");
    EXPECT_EQ(config.epochs, 2);
    EXPECT_DOUBLE_EQ(config.optimizer.lr, 1e-4);
    EXPECT_FALSE(config.ddp.bucket_mb.has_value());
    EXPECT_EQ(config::parse_train_config(config::to_json(config)), config);
}

TEST(TrainConfig, EveryFaultNamesItsKeyAndWhatWouldBeRight) {
    struct Fault {
        const char* patch;
        const char* path;
        const char* says;
    };
    const std::vector<Fault> faults{
        {R"({"model": null})", "model", "convnet, mlp"},
        {R"({"model": "convnett"})", "model", "Did you mean \"convnet\""},
        {R"({"model": 3})", "model", "\"3\" is not known"},
        {R"({"dataset": null})", "dataset", "synthetic-digits"},
        {R"({"dataset": []})", "dataset", "a list is not a mapping"},
        {R"({"dataset": {"name": "cifar"}})", "dataset.name", "mnist"},
        {R"({"dataset": {"rot": "x"}})", "dataset.rot", "Did you mean \"root\""},
        {R"({"dataset": {"limit": 0}})", "dataset.limit", "from 1"},
        {R"({"dataset": {"normalize": {"std": 0}}})", "dataset.normalize.std", "greater than 0"},
        {R"({"dataset": {"normalize": {"mean": [0.1, "x"]}}})", "dataset.normalize.mean", "one per channel"},
        {R"({"dataset": {"normalize": {"mean": [0.1, 0.2]}}})", "dataset.normalize", "1 channels"},
        {R"({"dataset": {"normalize": "imagenett"}})", "dataset.normalize", "Did you mean \"imagenet\""},
        {R"({"dataset": {"normalize": "cifar10"}})", "dataset.normalize", "3 values"},
        {R"({"dataset": {"augment": "much"}})", "dataset.augment", "standard"},
        {R"({"dataset": {"augment": ["random_crp"]}})", "dataset.augment", "Did you mean \"random_crop\""},
        {R"({"dataset": {"augment": [7]}})", "dataset.augment", "entry 7"},
        {R"({"dataset": {"augment": ["random_crop", "random_resized_crop"]}})", "dataset.augment", "both"},
        {R"({"dataset": {"augment": [{"random_crop": {"padding": -1}}]}})",
         "dataset.augment.random_crop.padding", "from 0"},
        {R"({"dataset": {"augment": [{"random_crop": {"pad": 1}}]}})", "dataset.augment.random_crop.pad",
         "padding"},
        {R"({"dataset": {"augment": [{"random_resized_crop": {"scale": [0.5, 2]}}]}})",
         "dataset.augment.random_resized_crop.scale", "from, to"},
        {R"({"dataset": {"augment": [{"horizontal_flip": {"p": 2}}]}})", "dataset.augment.horizontal_flip.p",
         "\"2\" is out of range"},
        {R"({"dataset": {"shape": [3, 32, 32]}})", "dataset.shape", "only for random"},
        {R"({"dataset": {"shape": [3, 0, 32]}})", "dataset.shape", "whole numbers"},
        {R"({"dataset": {"shape": [3, 32]}})", "dataset.shape", "[features]"},
        {R"({"dataset": {"classes": 5}})", "dataset.classes", "image-folder"},
        {R"({"dataset": {"train_split": "train2"}})", "dataset.train_split", "only for image-folder"},
        {R"({"dataset": {"sequence": 8}})", "dataset.sequence", "only for tokens"},
        {R"({"dataset": {"name": "text", "root": "a.txt"}})", "dataset.name", "gpt2-mini"},
        {R"({"model": "gpt2"})", "dataset.name", "mnist has no tokens"},
        {R"({"model": "gpt2", "dataset": {"name": "tokens", "root": ""}})", "dataset.root", "train.bin"},
        {R"({"model": "gpt2", "dataset": {"name": "text", "root": ""}})", "dataset.root", "text file"},
        {R"({"model": "gpt2", "dataset": {"name": "synthetic-text", "normalize": "mnist"}})",
         "dataset.normalize", "tokens"},
        {R"({"model": "gpt2", "dataset": {"name": "synthetic-text", "image_size": 8}})", "dataset.image_size",
         "tokens"},
        {R"({"dataset": {"otherwise": "mnist"}})", "dataset.otherwise", "the same as name"},
        {R"({"dataset": {"workers": 0}})", "dataset.workers", "from 1"},
        {R"({"dataset": {"name": "random", "image_size": 8}})", "dataset.image_size", "shape: [3, 224, 224]"},
        {R"({"dataset": {"name": "dummy", "normalize": "imagenet"}})", "dataset.normalize", "deviation 1"},
        {R"({"dataset": {"name": "random", "shape": [5], "augment": ["horizontal_flip"]}})",
         "dataset.augment", "three numbers"},
        {R"({"dataset": {"otherwise": "random"}})", "dataset.otherwise", "same shape and classes"},
        {R"({"dataset": {"augment": ["random_crop"], "image_size": 40, "resize": 28}})", "dataset.resize",
         "too small"},
        {R"({"epochs": 0})", "epochs", "from 1"},
        {R"({"epochs": 1.5})", "epochs", "whole number"},
        {R"({"epochs": "2"})", "epochs", "\"2\" in quotes"},
        {R"({"epochs": true})", "epochs", "whole number"},
        {R"({"batch_size": 1e12})", "batch_size", "to 1000000"},
        {R"({"optimizer": {"lr": -1}})", "optimizer.lr", "from 0"},
        {R"({"optimizer": {"lr": 1e300}})", "optimizer.lr", "less than 1e+38"},
        {R"({"optimizer": {"lr": "fast"}})", "optimizer.lr", "\"fast\" is not a number"},
        {R"({"optimizer": {"momentum": 1}})", "optimizer.momentum", "less than 1"},
        {R"({"optimizer": {"nesterov": true}})", "optimizer.nesterov", "momentum greater than 0"},
        {R"({"optimizer": {"name": "adagrad"}})", "optimizer.name", "sgd, adam, adamw"},
        {R"({"optimizer": {"beta1": 0.9}})", "optimizer.beta1", "optimizer.name: sgd"},
        {R"({"optimizer": {"name": "adam", "momentum": 0.9}})", "optimizer.momentum",
         "set optimizer.name to sgd"},
        {R"({"optimizer": {"name": "adamw", "eps": 0, "momentum": 0}})", "optimizer.eps", "greater than 0"},
        {R"({"optimizer": "adam"})", "optimizer", "{ name: sgd"},
        {R"({"model": {"classes": 10}})", "model.name", "missing"},
        {R"({"model": {"name": "mlp", "classes": 0}})", "model.classes", "from 1"},
        {R"({"model": {"name": "mlp", "clases": 10}})", "model.clases", "Did you mean \"classes\""},
        {R"({"schedule": "cosine"})", "schedule", "Did you mean \"cos\""},
        {R"({"schedule": "steps"})", "schedule.milestones", "milestones: [30, 60, 90]"},
        {R"({"schedule": 3})", "schedule", "constant, cos"},
        {R"({"schedule": {"name": "steps"}})", "schedule.milestones", "missing"},
        {R"({"schedule": {"name": "steps", "milestones": [3, 3]}})", "schedule.milestones", "ascending"},
        {R"({"schedule": {"name": "steps", "milestones": 3}})", "schedule.milestones", "\"3\" is not a list"},
        {R"({"schedule": {"name": "cos", "gamma": 0.1}})", "schedule.gamma", "set schedule.name to steps"},
        {R"({"schedule": {"name": "cos", "warmup": {}}})", "schedule.warmup", "either epochs or steps"},
        {R"({"schedule": {"name": "cos", "warmup": {"epochs": 5, "steps": 3}}})", "schedule.warmup",
         "either"},
        {R"({"schedule": {"name": "cos", "warmup": 5}})", "schedule.warmup", "epochs: 5"},
        {R"({"schedule": {"name": "onecycle", "pct_start": 1}})", "schedule.pct_start", "less than 1"},
        {R"({"schedule": {"name": "onecycle", "warmup": {"epochs": 5}}})", "schedule.warmup.epochs",
         "no effect"},
        {R"({"dropout": 0.1})", "dropout", "the model convnet has no dropout"},
        {R"({"model": "gpt2-mini", "dataset": "synthetic-text", "drop_path": 0.1})", "drop_path",
         "the model gpt2-mini has no stochastic depth"},
        {R"({"label_smoothing": 1})", "label_smoothing", "less than 1"},
        {R"({"clip_norm": 1, "clip_value": 1})", "clip_value", "Keep one"},
        {R"({"accumulate_steps": 0})", "accumulate_steps", "from 1"},
        {R"({"precision": "fp8"})", "precision", "fp32, tf32, bf16, fp16"},
        {R"({"bucket_mb": 1, "ddp": {"bucket_mb": 2}})", "ddp.bucket_mb", "older name"},
        {R"({"ddp": {"compression": "zip"}})", "ddp.compression", "bf16"},
        {R"({"ddp": {"collective_timeout_s": 0}})", "ddp.collective_timeout_s", "greater than 0"},
        {R"({"device": "cuda", "parallel": {"tensor": 2}})", "parallel.tensor", "is not available on GPUs"},
        {R"({"parallel": {"zero": 4}})", "parallel.zero", "from 0 to 3"},
        {R"({"parallel": {"zero": 3, "pipeline": {"stages": 2}}})", "parallel.zero",
         "A stage keeps its weights"},
        {R"({"checkpoint": {"every_steps": 10}})", "checkpoint.folder", "every_steps is set"},
        {R"({"checkpoint": {"resume": ""}})", "checkpoint.resume", "auto, never"},
        {R"({"validation": {"batch": 3}})", "validation.batch", "Did you mean \"batch_size\""},
        {R"({"drop_last": "yes"})", "drop_last", "true or false"},
        {R"({"bucket_mb": 0})", "bucket_mb", "greater than 0"},
        {R"({"threads": 0})", "threads", "from 1"},
        {R"({"batchsize": 3})", "batchsize", "Did you mean \"batch_size\""},
        {R"({"seed": -1})", "seed", "from 0"},
    };
    for (const Fault& fault : faults) {
        json section = good();
        section.merge_patch(json::parse(fault.patch));
        if (fault.says == std::string("synthetic-digits")) {
            section.erase("dataset");
        }
        const auto problems = check_train_config(section);
        ASSERT_EQ(problems.size(), 1U)
            << fault.patch << (problems.empty() ? "" : config::to_sentence(problems[0]));
        EXPECT_EQ(problems[0].path, fault.path);
        EXPECT_NE(to_sentence(problems[0]).find(fault.says), std::string::npos) << to_sentence(problems[0]);
        EXPECT_THROW(config::parse_train_config(section), std::invalid_argument);
    }
    EXPECT_EQ(check_train_config(json::parse("[1]")).size(), 1U);
}

TEST(TrainConfig, AugmentationAndNormalisationAreReadAndWrittenBack) {
    json section = good();
    section["dataset"].merge_patch(json::parse(R"({
        "augment": [{"random_resized_crop": {"scale": [0.25, 1]}}, "horizontal_flip"],
        "normalize": {"mean": 0.5, "std": [0.25]}, "image_size": 24, "resize": 30, "workers": 3, "train_size": 7})"));
    const config::TrainConfig config = config::parse_train_config(section);
    const config::AugmentConfig& augment = config.dataset.augment;
    ASSERT_TRUE(augment.random_resized_crop.has_value());
    EXPECT_DOUBLE_EQ(augment.random_resized_crop->scale_min, 0.25);
    EXPECT_DOUBLE_EQ(augment.random_resized_crop->ratio_max, 4.0 / 3.0);
    EXPECT_EQ(augment.horizontal_flip, 0.5);
    EXPECT_EQ(config.dataset.normalize->mean, std::vector<double>{0.5});
    EXPECT_EQ(sample_kind(config.dataset), (config::SampleKind{{1, 24, 24}, 10}));
    EXPECT_EQ(config::parse_train_config(config::to_json(config)), config);
    section["dataset"]["normalize"] = "mnist";
    EXPECT_DOUBLE_EQ(config::parse_train_config(section).dataset.normalize->std[0], 0.3081);
}

TEST(TrainConfig, EverySectionSurvivesTheRoundTrip) {
    for (
        const char* patch : {
            R"({})",
            R"({"model": {"name": "mlp", "classes": 7}, "accumulate_steps": 4, "label_smoothing": 0.1})",
            R"({"optimizer": {"name": "adamw", "beta2": 0.95, "no_decay_norm_bias": true, "momentum": 0}})",
            R"({"optimizer": {"name": "adam"}})",
            R"({"schedule": "cos", "clip_norm": 1.5, "sync_bn": true, "precision": "bf16", "topk": 3})",
            R"({"schedule": {"name": "steps", "milestones": [0.5, 3, 9], "gamma": 0.2, "by": "step",
                 "warmup": {"steps": 100, "factor": 0}, "reference_batch": 256}})",
            R"({"schedule": {"name": "onecycle", "anneal": "linear", "three_phase": true, "base_momentum": 0.8}})",
            R"({"schedule": {"name": "cos", "min_lr_factor": 0.1, "warmup": {"epochs": 5}}, "clip_value": 0.1})",
            R"({"ddp": {"first_bucket_mb": 1, "bucket_mb": 25, "compression": "bf16", "broadcast_buffers": false,
                 "find_unused_parameters": true, "collective_timeout_s": 30, "heartbeat_s": 0.5, "rendezvous_timeout_s": 20}})",
            R"({"parallel": {"zero": 2, "recompute": "blocks"}})",
            R"({"parallel": {"zero": 3, "tensor": 4}})",
            R"({"parallel": {"pipeline": {"stages": 4, "micro_batches": 8, "schedule": "gpipe"}}})",
            R"({"bucket_mb": 3, "ddp": {"bucket_mb": 3}, "deterministic": false, "metrics_every": 1, "order_seed": 0,
                 "drop_short_batch": true})",
            R"({"checkpoint": {"folder": "c", "every_steps": 7, "every_epochs": 0, "keep": 0, "resume": "never",
                 "init_from": "w.safetensors"}, "validation": {"batch_size": 200, "pad": true, "report_every": 10}})",
        }) {
        json section = good();
        section.merge_patch(json::parse(patch));
        ASSERT_TRUE(check_train_config(section).empty()) << patch << check_train_config(section)[0].message;
        const config::TrainConfig config = config::parse_train_config(section);
        EXPECT_EQ(config::parse_train_config(config::to_json(config)), config) << patch;
    }
}

TEST(TrainConfig, OtherOptimizersHavePyTorchsDefaults) {
    json section = good();
    section["optimizer"] = {{"name", "adam"}};
    EXPECT_EQ(config::parse_train_config(section).optimizer.lr, 1e-3);
    EXPECT_EQ(config::parse_train_config(section).optimizer.weight_decay, 0.0);
    section["optimizer"] = {{"name", "adamw"}};
    EXPECT_EQ(config::parse_train_config(section).optimizer.weight_decay, 0.01);
}

TEST(TrainConfig, TheOlderNameOfTheBucketSizeIsRead) {
    json section = good();
    section["bucket_mb"] = 0.5;
    EXPECT_EQ(config::parse_train_config(section).ddp.bucket_mb, 0.5);
}

TEST(TrainConfig, SeveralFaultsAreAllReported) {
    const auto problems =
        check_train_config(json::parse(R"({"dataset": "mnist", "epochs": -1, "x": 1, "lr": 2})"));
    EXPECT_EQ(problems.size(), 4U);  // model missing, epochs, x, lr
}

RankEnv from(const std::map<std::string, std::string>& variables) {
    return read_rank_env([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

TEST(RankEnv, NothingSetIsAWorldOfOne) {
    const RankEnv env = from({});
    EXPECT_EQ(env.rank, 0);
    EXPECT_EQ(env.world_size, 1);
}

TEST(RankEnv, TorchrunsVariables) {
    const RankEnv env = from({{"RANK", "3"},
                              {"WORLD_SIZE", "4"},
                              {"LOCAL_RANK", "1"},
                              {"LOCAL_WORLD_SIZE", "2"},
                              {"MASTER_ADDR", "10.0.0.1"},
                              {"MASTER_PORT", "1234"},
                              {"RANKSCOPE_TOKEN", "t"}});
    EXPECT_EQ(env.rank, 3);
    EXPECT_EQ(env.local_world_size, 2);
    EXPECT_EQ(env.master_port, 1234);
    EXPECT_EQ(env.token, "t");
}

TEST(RankEnv, FaultsNameTheVariable) {
    const auto message = [](const std::map<std::string, std::string>& variables) -> std::string {
        try {
            from(variables);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({{"RANK", "x"}, {"WORLD_SIZE", "2"}}).find("RANK=x"), std::string::npos);
    EXPECT_NE(message({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).find("WORLD_SIZE"), std::string::npos);
    EXPECT_NE(message({{"RANK", "1"}}).find("WORLD_SIZE is not"), std::string::npos);
    EXPECT_NE(message({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).find("MASTER_ADDR"), std::string::npos);
    EXPECT_NE(message({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "70000"}})
                  .find("65535"),
              std::string::npos);
}

MetricsLine numbered(std::int64_t step) {
    MetricsLine line;
    line.step = step;
    line.values = {{"loss", 0.5}};
    return line;
}

TEST(MetricsSink, KeepsWhatASlowReaderDoesNotTakeAndLosesNothing) {
    const TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    MetricsSink sink(pipe);       // no reader yet
    constexpr int kLines = 5000;  // more than a pipe holds
    for (int i = 1; i <= kLines / 2; ++i) {
        sink.write(numbered(i));
    }
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    std::string text;
    const auto take = [&] {
        std::array<char, 65536> piece{};
        for (ssize_t got = 0; (got = read(reader, piece.data(), piece.size())) > 0;) {
            text.append(piece.data(), static_cast<std::size_t>(got));
        }
    };
    for (int i = kLines / 2 + 1; i <= kLines; ++i) {
        sink.write(numbered(i));
        if (i % 100 == 0) {
            take();
        }
    }
    for (int i = 0; i < 20; ++i) {
        sink.stage(StageName::Train);  // each write also sends what is left over
        take();
    }
    std::int64_t expected = 1;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const auto line = parse_metrics_line(std::string_view(text).substr(at, end - at));
        ASSERT_TRUE(line.has_value());
        if (line->step) {
            EXPECT_EQ(*line->step, expected++);
        }
        at = end + 1;
    }
    EXPECT_EQ(expected, kLines + 1);
    close(reader);
}

TEST(MetricsSink, AReaderThatIsGoneEndsTheWritingNotTheTraining) {
    const TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    signal(SIGPIPE, SIG_IGN);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    MetricsSink sink(pipe);
    sink.write(numbered(1));
    close(reader);
    sink.write(numbered(2));
    sink.write(numbered(3));
}

TEST(MetricsSink, LongDetailsStayWithinOneAtomicWrite) {
    const TemporaryFolder folder;
    write_file(folder / "file", "");
    {
        MetricsSink sink((folder / "file").string());
        sink.stage(StageName::Data, std::string(20000, 'x'));
    }
    EXPECT_LE(read_file(folder / "file").size(), 4096U);
}

}  // namespace
}  // namespace rankscope::engine::test
