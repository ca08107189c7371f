// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/step_figures.h>
#include <engine/backend/cuda/step_plan.h>

namespace rankscope::engine::cuda {

StepFigures figures_of(const std::vector<const StepOperation*>& operations) {
    StepFigures figures;
    std::vector<LaneOperation> lanes;
    for (const StepOperation* operation : operations) {
        StepFigures::OfLane& lane = figures.lanes[static_cast<std::size_t>(operation->lane)];
        lane.kernels += operation->kernels;
        lane.bytes += operation->bytes;
        lanes.push_back({operation->lane, operation->touches});
    }
    for (const std::vector<std::size_t>& waits : lane_waits(lanes)) {
        figures.waits += waits.size();
    }
    return figures;
}

}  // namespace rankscope::engine::cuda
