// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_node.h>
#include <base/config/config_problem.h>
#include <base/config/dataset_config.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The `train:` section of a job file: what rankscope-worker trains. The desk checks it before anything starts
/// and the worker checks it again, both with this code; the worker gets it as JSON (`--config FILE`). What each
/// key means, its range and its default: train_keys.cpp, and docs/job-keys.md, which is made from it.
namespace rankscope::config {

struct OptimizerConfig {
    std::string name = "sgd";
    double lr = 1e-4;
    double momentum = 0.0;
    double dampening = 0.0;
    double weight_decay = 0.0;
    bool nesterov = false;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    bool no_decay_norm_bias = false;
    bool operator==(const OptimizerConfig&) const = default;
};

struct WarmupConfig {
    std::optional<double> epochs;  ///< exactly one of epochs and steps
    std::optional<std::int64_t> steps;
    double factor = 0.1;
    bool operator==(const WarmupConfig&) const = default;
};

struct ScheduleConfig {
    std::string name = "constant";
    std::string by = "epoch";
    double min_lr_factor = 0.0;
    std::vector<double> milestones;
    double gamma = 0.1;
    std::optional<WarmupConfig> warmup;
    std::optional<std::int64_t> reference_batch;
    double pct_start = 0.3;
    std::string anneal = "cos";
    double div_factor = 25.0;
    double final_div_factor = 1e4;
    bool three_phase = false;
    bool cycle_momentum = true;
    double base_momentum = 0.85;
    double max_momentum = 0.95;
    bool operator==(const ScheduleConfig&) const = default;
};

struct DdpConfig {
    std::optional<double> first_bucket_mb;
    std::optional<double> bucket_mb;
    std::string compression = "none";
    bool broadcast_buffers = true;
    bool find_unused_parameters = false;
    std::optional<double> collective_timeout_s;
    std::optional<double> heartbeat_s;
    std::optional<double> rendezvous_timeout_s;
    bool operator==(const DdpConfig&) const = default;
};

struct PipelineConfig {
    std::int64_t stages = 1;
    std::optional<std::int64_t> micro_batches;
    std::string schedule = "1f1b";
    bool operator==(const PipelineConfig&) const = default;
};

/// What the ranks divide besides the samples.
struct ParallelConfig {
    std::int64_t zero = 0;
    std::string recompute = "none";
    PipelineConfig pipeline;
    std::int64_t tensor = 1;
    bool operator==(const ParallelConfig&) const = default;
};

struct ValidationConfig {
    std::optional<std::int64_t> batch_size;
    bool pad = false;
    std::optional<std::int64_t> report_every;
    bool operator==(const ValidationConfig&) const = default;
};

struct CheckpointConfig {
    std::string folder;
    std::int64_t every_epochs = 1;
    std::optional<std::int64_t> every_steps;
    std::int64_t keep = 3;
    std::string resume = "auto";
    std::string init_from;
    bool operator==(const CheckpointConfig&) const = default;
};

struct TrainConfig {
    std::string model;
    std::optional<std::int64_t> classes;  ///< model.classes
    DatasetConfig dataset;
    std::int64_t epochs = 1;
    std::int64_t batch_size = 100;
    std::int64_t accumulate_steps = 1;
    OptimizerConfig optimizer;
    ScheduleConfig schedule;
    double label_smoothing = 0.0;
    double dropout = 0.0;
    double drop_path = 0.0;
    std::optional<double> clip_norm;
    std::optional<double> clip_value;
    bool sync_bn = false;
    std::string device = "auto";  ///< left to the plan of a run; a worker started by hand takes the CPU
    std::string precision = "fp32";
    std::int64_t topk = 5;
    std::int64_t seed = 0;
    std::optional<std::int64_t> order_seed;
    bool deterministic = true;
    bool drop_last = false;
    bool drop_short_batch = false;
    bool shuffle = true;
    DdpConfig ddp;
    ParallelConfig parallel;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> max_steps;
    std::int64_t log_every = 50;
    std::int64_t metrics_every = 10;
    bool validate = true;
    ValidationConfig validation;
    CheckpointConfig checkpoint;
    bool operator==(const TrainConfig&) const = default;
};

/// Names that `model` may have.
const std::vector<std::string>& known_models();

/// Whether the model predicts each next token; all others take pictures or features.
bool is_language_model(const std::string& model);

/// Whether the model has an operation for train.dropout, and for train.drop_path.
bool has_dropout(const std::string& model);
bool has_drop_path(const std::string& model);

/// Every fault of the section; empty when it can be trained. Paths begin below `train`. Never throws.
ConfigProblems check_train_config(const nlohmann::json& section);
/// The same with the lines of the file; `path` ("train") stands before every key.
ConfigProblems check_train_config(const ConfigNode& section, const std::string& path);

/// Reads a section for which check_train_config() found nothing; absent keys take their defaults.
/// Precondition: check_train_config(section).empty(). Otherwise throws std::invalid_argument naming the first
/// fault.
TrainConfig parse_train_config(const nlohmann::json& section);

/// The section again, every key written out that means something there. parse_train_config(to_json(c)) == c
/// for every c that parse_train_config() gave.
nlohmann::json to_json(const TrainConfig& config);

}  // namespace rankscope::config
