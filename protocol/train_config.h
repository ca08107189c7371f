// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The `train:` section of a job file: what rankscope-worker is told to train. The desk checks it before
/// anything starts, the worker checks it again, both with this code. Written as JSON for the worker
/// (`--config FILE`).
///
///   model         name, one of known_models()                                               required
///   dataset       {name, root, limit, seed, train_size, test_size, normalize, otherwise}    name required
///                 or just the name
///   epochs        whole number ≥ 1                                                           1
///   batch_size    samples per rank and step, ≥ 1                                             100
///   optimizer     {name: sgd, lr, momentum, dampening, weight_decay, nesterov}               sgd, lr 1e-4
///   seed          ≥ 0: initial parameters and order of the samples                           0
///   drop_last     leave out the samples that do not fill all ranks, and the last short batch false
///   shuffle       new order every epoch (seed + epoch, as PyTorch's DistributedSampler)      true
///   bucket_mb     gradient bucket in MiB; absent: chosen from the size of the model          absent
///   threads       compute threads per rank; absent: OMP_NUM_THREADS, else 1                  absent
///   max_steps     stop after so many steps                                                   absent
///   log_every     steps between two lines of the human log                                   50
///   validate      validation over all ranks after every epoch                                true
namespace rankscope::protocol {

struct NormalizeConfig {
    double mean = 0.0;  ///< of the pixels after division by 255
    double std = 1.0;
    bool operator==(const NormalizeConfig&) const = default;
};

struct DatasetConfig {
    std::string name{};
    std::string root{};                   ///< folder with the files; empty: the user's cache; ~ is expanded
    std::optional<std::int64_t> limit{};  ///< use only the first N training samples
    std::int64_t seed = 0;                ///< synthetic-digits: which digits are drawn
    std::int64_t train_size = 20000;      ///< synthetic-digits
    std::int64_t test_size = 4000;        ///< synthetic-digits
    std::optional<NormalizeConfig> normalize{};  ///< absent: division by 255 only
    /// Data set that all ranks take together where `name` is not to be had on one of them; empty: that is an
    /// error.
    std::string otherwise{};
    bool operator==(const DatasetConfig&) const = default;
};

struct OptimizerConfig {
    std::string name = "sgd";
    double lr = 1e-4;
    double momentum = 0.0;
    double dampening = 0.0;
    double weight_decay = 0.0;
    bool nesterov = false;
    bool operator==(const OptimizerConfig&) const = default;
};

struct TrainConfig {
    std::string model;
    DatasetConfig dataset;
    std::int64_t epochs = 1;
    std::int64_t batch_size = 100;
    OptimizerConfig optimizer;
    std::int64_t seed = 0;
    bool drop_last = false;
    bool shuffle = true;
    std::optional<double> bucket_mb;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> max_steps;
    std::int64_t log_every = 50;
    bool validate = true;
    bool operator==(const TrainConfig&) const = default;
};

/// One fault of a configuration: where it is, what is wrong and what would be right.
struct ConfigProblem {
    std::string path;     ///< key below `train`, for example "optimizer.lr"; empty: the section itself
    std::string message;  ///< for the person
    bool operator==(const ConfigProblem&) const = default;
};

/// Names that `model` and `dataset.name` may have.
const std::vector<std::string>& known_models();
const std::vector<std::string>& known_datasets();

/// Every fault of the section, in the order of the keys; empty when it can be trained. Never throws.
std::vector<ConfigProblem> check_train_config(const nlohmann::json& section);

/// Reads a section for which check_train_config() found nothing; absent keys take their defaults.
/// Precondition: check_train_config(section).empty(). Otherwise throws std::invalid_argument naming the first
/// fault.
TrainConfig parse_train_config(const nlohmann::json& section);

/// The section again, every key written out. parse_train_config(to_json(c)) == c.
nlohmann::json to_json(const TrainConfig& config);

}  // namespace rankscope::protocol
