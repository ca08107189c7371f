// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/pipeline_schedule.h>

#include <algorithm>

namespace rankscope::engine {

std::int64_t kept_micro_batches(PipelineOrder order, int stage, int stages, std::int64_t micro_batches) {
    return order == PipelineOrder::gpipe ? micro_batches
                                         : std::min<std::int64_t>(micro_batches, stages - stage);
}

std::vector<PipelineAction> pipeline_actions(PipelineOrder order, int stage, int stages,
                                             std::int64_t micro_batches) {
    const std::int64_t ahead = kept_micro_batches(order, stage, stages, micro_batches);
    std::vector<PipelineAction> actions;
    for (std::int64_t i = 0; i < micro_batches + ahead - 1; ++i) {
        if (i < micro_batches) {
            actions.push_back({.forward = true, .micro_batch = i});
        }
        if (i + 1 >= ahead) {
            actions.push_back({.forward = false, .micro_batch = i + 1 - ahead});
        }
    }
    return actions;
}

std::int64_t default_micro_batches(std::int64_t stages, std::int64_t batch_size) {
    constexpr std::int64_t kForEachStage = 4;
    return std::min(kForEachStage * stages, batch_size);
}

std::vector<std::int64_t> micro_batch_sizes(std::int64_t batch_size, std::int64_t micro_batches) {
    const std::int64_t size = (batch_size + micro_batches - 1) / micro_batches;
    std::vector<std::int64_t> sizes;
    for (std::int64_t begin = 0; begin < batch_size; begin += size) {
        sizes.push_back(std::min(size, batch_size - begin));
    }
    return sizes;
}

double pipeline_bubble(int stages, std::int64_t micro_batches) {
    return static_cast<double>(stages - 1) / static_cast<double>(micro_batches + stages - 1);
}

}  // namespace rankscope::engine
