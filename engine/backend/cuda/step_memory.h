// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/optimizer.h>
#include <engine/tensor/parameter_layout.h>

#include <cstddef>
#include <span>

namespace rankscope::engine::cuda {

/// Where the operations of a whole step find what the model keeps between steps.
struct StepMemory {
    const ParameterLayout* layout = nullptr;
    std::span<float> gradients{};
    float* kept_gradients = nullptr;  ///< null: nothing is accumulated
    std::byte* wire = nullptr;        ///< null: gradients travel as floats
    FlatParameters parameters{};      ///< all of them
    IdleUpdates* idle = nullptr;      ///< null: every parameter has a gradient
    NormScratch norm{};
    DeviceLossScale* loss_scale = nullptr;
};

}  // namespace rankscope::engine::cuda
