// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_section.h>
#include <base/config/dataset_config.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The `train:` section of a job file: what rankscope-worker is told to train. The desk checks it before
/// anything starts, the worker checks it again, both with this code. Written as JSON for the worker
/// (`--config FILE`).
///
///   model         name, one of known_models(), or {name, classes}                            required
///                 classes: outputs of the last layer; absent: the data set's
///   dataset       see dataset_config.h                                                       required
///   epochs        whole number ≥ 1                                                           1
///   batch_size    samples per rank and forward pass, ≥ 1                                     100
///   accumulate_steps  batches per update; the gradient is that of the mean loss over them    1
///   optimizer     {name: sgd, lr, weight_decay, momentum, dampening, nesterov}               sgd, lr 1e-4
///                 {name: adam | adamw, lr, weight_decay, beta1, beta2, eps}                  PyTorch's
///                 defaults no_decay_norm_bias: biases and normalisation layers are not decayed        false
///   schedule      name, or {name, …}                                                         constant
///                 cos: min_lr_factor (end as a share of lr; 0) · steps: milestones (epochs), gamma (0.1) ·
///                 onecycle: pct_start, anneal cos | linear, div_factor, final_div_factor, three_phase,
///                 cycle_momentum, base_momentum, max_momentum (all as torch's OneCycleLR; lr is its max_lr)
///                 · all but onecycle: by epoch | step (epoch), warmup {epochs or steps, factor (0.1)} · all:
///                 reference_batch: lr is for so many samples per update, and is scaled linearly to
///                 batch_size · world size · accumulate_steps
///   label_smoothing  0 ≤ x < 1                                                               0
///   clip_norm     gradients' largest total norm; clip_value: largest absolute value of one   absent
///   sync_bn       batch norms use the statistics of all ranks' batches                       false
///   device        cpu | cuda: what computes; cuda takes one GPU per rank and NCCL            cpu
///   precision     fp32 | tf32 | bf16 | fp16: what multiplies; weights stay fp32              fp32
///   topk          the k of the second accuracy                                               5
///   seed          ≥ 0: initial parameters and order of the samples                           0
///   order_seed    ≥ 0: order of the samples; absent: seed                                    absent
///   deterministic only kernels that give the same bits in every run                          true
///   drop_last     leave out the samples that do not fill all ranks, and the last short batch false
///   drop_short_batch  leave out only the last short batch (PyTorch's DataLoader(drop_last=True))  false
///   shuffle       new order every epoch (seed + epoch, as PyTorch's DistributedSampler)      true
///   ddp           {first_bucket_mb, bucket_mb: gradient buckets in MiB; absent: chosen from the size of the
///                 model, compression none | bf16 | fp16 (of gradients on the wire), broadcast_buffers
///                 (true), find_unused_parameters (false), collective_timeout_s, heartbeat_s (absent:
///                 the process group's own), rendezvous_timeout_s: for all ranks to arrive (120)}. `bucket_mb` beside ddp is the older name of ddp.bucket_mb
///   threads       compute threads per rank; absent: OMP_NUM_THREADS, else 1                  absent
///   max_steps     stop after so many updates                                                 absent
///   log_every     updates between two lines of the human log                                 50
///   metrics_every updates between two metric lines over all ranks (rank 0 writes them)       10
///   validate      validation over all ranks after every epoch                                true
///   validation    {batch_size (absent: the training's), pad: repeat samples until all ranks have as many, as
///                 PyTorch's sampler does, so that some count twice (false), report_every: batches between
///                 two results over all ranks (absent: only the whole)}
///   checkpoint    {folder: empty: none are written, every_epochs (1; 0: not by epoch), every_steps (absent),
///                 keep: newest so many; 0: all (3), resume: auto (the newest good one, if there is one) |
///                 never | path of one (auto), init_from: safetensors file with initial weights}
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
    std::optional<double> epochs;  ///< one of the two
    std::optional<std::int64_t> steps;
    double factor = 0.1;  ///< what it starts from, as a share of the schedule's rate
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
    std::optional<double> clip_norm;
    std::optional<double> clip_value;
    bool sync_bn = false;
    std::string device = "cpu";
    std::string precision = "fp32";
    std::int64_t topk = 5;
    std::int64_t seed = 0;
    std::optional<std::int64_t> order_seed;
    bool deterministic = true;
    bool drop_last = false;
    bool drop_short_batch = false;
    bool shuffle = true;
    DdpConfig ddp;
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

/// Every fault of the section, in the order of the keys; empty when it can be trained. Never throws.
std::vector<ConfigProblem> check_train_config(const nlohmann::json& section);

/// Reads a section for which check_train_config() found nothing; absent keys take their defaults.
/// Precondition: check_train_config(section).empty(). Otherwise throws std::invalid_argument naming the first
/// fault.
TrainConfig parse_train_config(const nlohmann::json& section);

/// The section again, every key written out that means something there. parse_train_config(to_json(c)) == c
/// for every c that parse_train_config() gave.
nlohmann::json to_json(const TrainConfig& config);

}  // namespace rankscope::config
