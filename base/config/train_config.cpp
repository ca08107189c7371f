// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <base/config/train_config.h>
#include <base/config/train_keys.h>

#include <stdexcept>

namespace rankscope::config {
namespace {

using nlohmann::json;

/// Faults of values that are right by themselves and wrong beside each other.
class TogetherCheck {
public:
    TogetherCheck(const TrainConfig& config, const ConfigNode& root, ConfigProblems& problems)
        : config_(config), root_(root), problems_(problems) {}

    void run() {
        check_optimizer();
        check_warmup();
        check_samples();
        check_dropout();
        if (config_.clip_norm && config_.clip_value) {
            add("clip_value", phrase("is set beside clip_norm"), phrase("Keep one of the two."));
        }
        if (config_.parallel.zero > 0 && config_.ddp.compression != "none") {
            add("ddp.compression", phrase("is set with parallel.zero, which sends gradients in fp32"),
                phrase("Keep one of the two."));
        }
        if (config_.parallel.zero > 0 && config_.device == "cuda") {
            add("parallel.zero", phrase("is not available on GPUs"),
                phrase("Set device: cpu, or leave parallel.zero out."));
        }
        if (config_.parallel.tensor > 1 && config_.device == "cuda") {
            add("parallel.tensor", phrase("is not available on GPUs"),
                phrase("Set device: cpu, or leave parallel.tensor out."));
        }
        check_pipeline();
        if (config_.checkpoint.resume.empty()) {
            add("checkpoint.resume", phrase("is empty"),
                phrase("Write auto, never or the path of a checkpoint."));
        }
        if (config_.checkpoint.folder.empty() && config_.checkpoint.every_steps) {
            add("checkpoint.folder", phrase("missing"),
                phrase("every_steps is set: add the folder for the checkpoints."));
        }
    }

private:
    void add(const char* path, std::string message, std::string remedy) {
        problems_.push_back({path, std::move(message), std::move(remedy)});
    }

    void check_pipeline() {
        const PipelineConfig& pipeline = config_.parallel.pipeline;
        if (pipeline.stages > 1 && config_.device == "cuda") {
            add("parallel.pipeline", phrase("is not available on GPUs"),
                phrase("Set device: cpu, or leave parallel.pipeline out."));
        }
        if (pipeline.stages > 1 && config_.parallel.zero == 3) {
            add("parallel.zero", phrase("is 3 with parallel.pipeline"),
                phrase("A stage keeps its weights: write zero: 1 or 2, or leave the pipeline out."));
        }
        if (pipeline.micro_batches && *pipeline.micro_batches > config_.batch_size) {
            add("parallel.pipeline.micro_batches", phrase("is greater than batch_size"),
                phrase("A micro-batch has at least one sample."));
        }
        if (pipeline.stages == 1 && pipeline.micro_batches) {
            add("parallel.pipeline.stages", phrase("missing"),
                phrase("micro_batches is set: add the number of stages."));
        }
    }

    void check_optimizer() {
        const OptimizerConfig& optimizer = config_.optimizer;
        if (optimizer.name == "sgd" && optimizer.nesterov &&
            (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
            add("optimizer.nesterov", phrase("is true without a momentum"),
                phrase("Nesterov needs a momentum greater than 0 and dampening 0."));
        }
    }

    void check_samples() {
        const bool tokens = is_token_set(config_.dataset.name);
        if (tokens && !is_language_model(config_.model)) {
            add("dataset.name",
                phrase("%1 has sequences of tokens, which the model %2 does not take",
                       {config_.dataset.name, config_.model}),
                phrase("Choose the model gpt2 or gpt2-mini, or another data set."));
        } else if (!tokens && is_language_model(config_.model)) {
            add("dataset.name",
                phrase("%1 has no tokens, which the model %2 needs", {config_.dataset.name, config_.model}),
                phrase("Choose the data set tokens, text or synthetic-text, or another model."));
        }
    }

    void check_dropout() {
        if (config_.dropout > 0 && !has_dropout(config_.model)) {
            add("dropout", phrase("the model %1 has no dropout", {config_.model}),
                phrase("Leave it out, or choose another model."));
        }
        if (config_.drop_path > 0 && !has_drop_path(config_.model)) {
            add("drop_path", phrase("the model %1 has no stochastic depth", {config_.model}),
                phrase("Leave it out, or choose another model."));
        }
    }

    void check_warmup() {
        const ConfigNode* schedule = root_.find("schedule");
        const ConfigNode* warmup = schedule == nullptr ? nullptr : schedule->find("warmup");
        const bool one = config_.schedule.warmup && config_.schedule.warmup->epochs.has_value() !=
                                                        config_.schedule.warmup->steps.has_value();
        if (warmup != nullptr && config_.schedule.name != "onecycle" && !one) {
            add("schedule.warmup", phrase("needs either epochs or steps"),
                phrase("Write for example: %1", {"warmup: { epochs: 5 }"}));
        }
    }

    const TrainConfig& config_;
    const ConfigNode& root_;
    ConfigProblems& problems_;
};

TrainConfig read(const ConfigNode& root, ConfigProblems& problems) {
    TrainConfig config;
    if (!root.is_mapping()) {
        problems.push_back({"", phrase("%1 is not a section of keys", {shown(root)}),
                            phrase("Write for example: %1", {"train: { model: convnet, dataset: mnist }"}),
                            root.line});
        return config;
    }
    read_keys(train_keys(), root, config, problems);
    if (problems.empty()) {
        check_dataset(config.dataset, problems);
        TogetherCheck(config, root, problems).run();
    }
    return config;
}

}  // namespace

const std::vector<std::string>& known_models() {
    static const std::vector<std::string> names{"convnet",
                                                "mlp",
                                                "linear",
                                                "toy",
                                                "paddle-cnn",
                                                "cifarnet",
                                                "resnet18",
                                                "resnet34",
                                                "resnet50",
                                                "resnet101",
                                                "resnet152",
                                                "resnext50_32x4d",
                                                "resnext101_32x8d",
                                                "wide_resnet50_2",
                                                "wide_resnet101_2",
                                                "regnetx_002",
                                                "regnetx_160",
                                                "regnety_002",
                                                "regnety_160",
                                                "regnety_320",
                                                "densenet121",
                                                "densenet161",
                                                "densenet169",
                                                "densenet201",
                                                "efficientnet_b0",
                                                "botnet50",
                                                "vit_tiny_patch16_224",
                                                "vit_small_patch16_224",
                                                "gpt2",
                                                "gpt2-mini"};
    return names;
}

bool is_language_model(const std::string& model) {
    return model == "gpt2" || model == "gpt2-mini";
}

bool has_drop_path(const std::string& model) {
    return model == "efficientnet_b0" || model.starts_with("vit_");
}

bool has_dropout(const std::string& model) {
    return has_drop_path(model) || is_language_model(model);
}

ConfigProblems check_train_config(const json& section) {
    ConfigProblems problems;
    read(from_json(section), problems);
    return problems;
}

ConfigProblems check_train_config(const ConfigNode& section, const std::string& path) {
    ConfigProblems problems;
    read(section, problems);
    for (ConfigProblem& problem : problems) {
        problem.line = problem.line > 0 ? problem.line : line_of(section, problem.path);
        problem.path = problem.path.empty() ? path : path + '.' + problem.path;
    }
    return problems;
}

TrainConfig parse_train_config(const json& section) {
    ConfigProblems problems;
    TrainConfig config = read(from_json(section), problems);
    if (!problems.empty()) {
        const std::string& path = problems.front().path;
        throw std::invalid_argument("train" + (path.empty() ? "" : "." + path) + ": " +
                                    to_sentence(problems.front()));
    }
    return config;
}

json to_json(const TrainConfig& config) {
    json section = write_keys(train_keys(), config);
    if (!config.classes) {
        section["model"] = config.model;
    }
    return section;
}

}  // namespace rankscope::config
