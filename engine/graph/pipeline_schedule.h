// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// In which order a stage of a pipeline makes the forward and backward passes of its micro-batches.
enum class PipelineOrder {
    gpipe,                    ///< all forward passes, then all backward passes (Huang et al., 2019)
    one_forward_one_backward  ///< in turns as soon as possible (PipeDream-Flush; Narayanan et al., 2021): less memory
};

struct PipelineAction {
    bool forward = true;
    std::int64_t micro_batch = 0;
    bool operator==(const PipelineAction&) const = default;
};

/// Of stage `stage` of `stages`, for this many micro-batches. The backward passes are in the order of the micro-batches, so
/// that gradients are added in the order of gradient accumulation.
std::vector<PipelineAction> pipeline_actions(PipelineOrder order, int stage, int stages,
                                             std::int64_t micro_batches);

/// Micro-batches between whose forward and backward pass the stage makes another forward pass, with that one: so many
/// activations it keeps.
std::int64_t kept_micro_batches(PipelineOrder order, int stage, int stages, std::int64_t micro_batches);

/// Four for each stage, or as many as there are samples.
std::int64_t default_micro_batches(std::int64_t stages, std::int64_t batch_size);

/// The sizes of the parts that a batch is divided into: equal, the last one may be smaller. At most `micro_batches`.
std::vector<std::int64_t> micro_batch_sizes(std::int64_t batch_size, std::int64_t micro_batches);

/// The part of a step in which a stage waits for others, when all stages take equally long: (stages − 1) of
/// (micro-batches + stages − 1).
double pipeline_bubble(int stages, std::int64_t micro_batches);

}  // namespace rankscope::engine
