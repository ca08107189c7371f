// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/step_figures.h>
#include <engine/optim/optimizer_step.h>

#include <cstdint>

namespace rankscope::engine::cuda {

/// A training step that is planned, not run.
struct PlanQuestion {
    std::int64_t batch = 1;
    Precision precision = Precision::fp32;
    bool deterministic = true;
    OptimizerStep optimizer{};
    bool averaged = false;   ///< over several ranks
    double clip_norm = 0.0;  ///< as StepRequest's
    bool recompute = false;  ///< differentiate_with_recomputation()
};

/// What the step would consist of on an NVIDIA H200. Needs cuDNN, no GPU: convolutions are those that cuDNN suggests,
/// matrix products are counted as one kernel each. Throws Error where cuDNN has no kernel.
StepFigures planned_step(const Graph& graph, const PlanQuestion& question);

}  // namespace rankscope::engine::cuda
