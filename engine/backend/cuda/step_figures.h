// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/lane_schedule.h>

#include <array>
#include <cstddef>
#include <vector>

namespace rankscope::engine::cuda {

struct StepOperation;

/// What a step consists of, counted in its plan.
struct StepFigures {
    struct OfLane {
        std::size_t kernels = 0;  ///< launches; a library's call counts as one
        std::size_t bytes = 0;  ///< read and written, without scratch memory, as if nothing stayed in a cache
    };
    std::array<OfLane, kLanes> lanes{};  ///< in the order of Lane
    std::size_t waits = 0;               ///< between lanes
    std::size_t arena_bytes = 0;         ///< of activations, gradients of activations and scratch memory
};

/// `operations` in the order in which they are enqueued.
StepFigures figures_of(const std::vector<const StepOperation*>& operations);

}  // namespace rankscope::engine::cuda
