// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::engine {

/// What a rank of the native engine keeps in the memory of its GPU, bytes.
struct MemoryEstimate {
    std::uint64_t activations = 0;  ///< with their gradients, grows with the batch
    std::uint64_t parameters = 0;   ///< with gradients and the state of the optimizer
    std::uint64_t libraries = 0;    ///< CUDA, cuDNN and NCCL themselves: a usual figure
    std::uint64_t total() const { return activations + parameters + libraries; }
};

/// What training a network takes, counted from its graph (graph_cost.h).
struct TrainingCost {
    std::string model;
    std::int64_t batch_size = 0;
    std::int64_t tokens = 0;  ///< of a sample, for networks that predict them
    std::int64_t parameters = 0;
    double forward_flops = 0;   ///< of a sample
    double training_flops = 0;  ///< of a sample, forward and backward pass
    /// On ImageNet-1k (model_registry.h), where the set is a folder of pictures.
    std::optional<double> published_accuracy{};
    MemoryEstimate memory;  ///< of a batch; activations within a quarter of the engine's own plan of a step
};

/// Precondition: `config` came through check_train_config(). Nothing where the samples do not fit the network. Where
/// the data decide on the classes, there are 1,000.
std::optional<TrainingCost> training_cost(const config::TrainConfig& config);

}  // namespace rankscope::engine
