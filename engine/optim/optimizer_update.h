// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/optim/optimizer_step.h>

#include <span>

/// The optimizers' updates as loops over flat arrays. Every element is independent, so they work on any
/// storage order and on any range of it: a bucket can be updated as soon as it is reduced. All spans of one
/// call have the same size; state that an optimizer does not keep may be empty. Gradients are not changed.
/// Elements whose gradient, parameter and state are 0 (padding) stay 0.
namespace rankscope::engine {

/// The state arrays in the order of optimizer_state_name(); empty where the optimizer keeps none.
struct OptimizerState {
    std::span<float> first;
    std::span<float> second;
};

/// One step of `step.kind`. `decayed` false: weight decay is taken as 0 for this range. False when a gradient, after
/// `step.clip_value`, is not finite: parameters and state next to it are left as they are, so that they stay finite.
bool optimizer_update(const OptimizerStep& step, bool decayed, std::span<const float> gradients,
                      std::span<float> parameters, const OptimizerState& state);

/// torch.optim.SGD: d = g + wd·p; buffer = d on the first step, momentum·buffer + (1−dampening)·d later; d =
/// buffer, or d + momentum·buffer (Nesterov); p −= lr·d.
void sgd_update(const OptimizerStep& step, std::span<const float> gradients, std::span<float> parameters,
                std::span<float> momentum_buffer);

/// torch.optim.Adam and AdamW (amsgrad off): m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²; p −= lr/(1−β₁ᵗ) · m /
/// (√v/√(1−β₂ᵗ) + eps). AdamW first takes p·lr·wd off p, Adam adds wd·p to g.
void adam_update(const OptimizerStep& step, std::span<const float> gradients, std::span<float> parameters,
                 std::span<float> exp_avg, std::span<float> exp_avg_sq);

}  // namespace rankscope::engine
