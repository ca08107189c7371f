// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/optim/optimizer_step.h>
#include <engine/tensor/element_type.h>
#include <engine/tensor/flat_range.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

/// A training step as one request on a CUDA stream, where every question of the host would cost more than a kernel.
namespace rankscope::engine::cuda {

/// Elements of the wire's type in GPU memory.
struct WirePart {
    void* data = nullptr;
    std::size_t count = 0;
};

/// The sum over the ranks of parts of the gradients; the update makes it their average.
struct StepReduction {
    ElementType wire = ElementType::f32;
    /// OptimizerStep::gradient_scale of an update after it contains 1 / divisor.
    std::int64_t divisor = 1;
    /// In the order in which the backward pass completes them: the live ranges of each (Bucket); the same on
    /// all ranks.
    std::vector<std::vector<FlatRange>> buckets;
    /// As EnqueueSum, but for a bucket's parts, and on a queue beside the main one, so that it overlaps the rest of the
    /// backward pass.
    std::function<void(std::span<const WirePart> parts, void* queue)> enqueue_sum;
};

/// Every distinct combination of these settings but `optimizer` may be recorded again at its first use.
struct StepRequest {
    GradientMode gradients = GradientMode::overwrite;
    /// False: gradients are only gathered (all but the last batch of an accumulation).
    bool update = true;
    /// Null: not summed (one rank, no_sync). Must stay alive and unchanged as long as the executable.
    const StepReduction* reduction = nullptr;
    /// Of the update. `step` counts the requested updates; those that the loss scale skipped are taken off
    /// by the backend. gradient_scale does not contain the loss scale.
    OptimizerStep optimizer{};
    double clip_norm = 0.0;   ///< greater than 0: the gradients' largest total norm
    bool want_norm = false;   ///< StepResult::gradient_norm although nothing is clipped
    bool scale_loss = false;  ///< with the model's loss scale (fp16); an update that overflows is left out
};

struct StepResult {
    BatchResult batch;
    bool updated = false;  ///< false: not requested, or skipped by the loss scale
    bool finite = true;    ///< false: the update met a gradient that is not finite
    /// Of the averaged gradients without loss scale, before clipping; NaN where it was not requested.
    double gradient_norm = std::numeric_limits<double>::quiet_NaN();
    double loss_scale = 1.0;  ///< with which this step was made
};

}  // namespace rankscope::engine::cuda
