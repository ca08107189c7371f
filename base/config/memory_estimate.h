// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>

#include <cstdint>
#include <optional>

namespace rankscope::config {

/// What a rank of the native engine keeps in the memory of its GPU, bytes.
struct MemoryEstimate {
    std::uint64_t activations = 0;  ///< with their gradients, grows with the batch
    std::uint64_t parameters = 0;   ///< with gradients and the state of the optimizer
    std::uint64_t libraries = 0;    ///< CUDA, cuDNN and NCCL themselves: a usual figure
    std::uint64_t total() const { return activations + parameters + libraries; }
};

/// Of ResNets, whose activations grow with batch and pixels; within a quarter of the engine's own plan of a step for
/// images of 28 pixels and more. Nothing for the small models, which fit into any GPU, and for sets that are no images.
/// Precondition: `config` came through check_train_config().
std::optional<MemoryEstimate> memory_estimate(const TrainConfig& config);

}  // namespace rankscope::config
