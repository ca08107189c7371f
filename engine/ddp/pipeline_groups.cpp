// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/pipeline_groups.h>

#include <utility>

namespace rankscope::engine {

PipelineGroups::PipelineGroups(ProcessGroup& world, int stages)
    : stages_(stages),
      pipelines_(world.size() / stages),
      stage_(world.rank() / pipelines_),
      pipeline_(world.rank() % pipelines_),
      same_stage_(world.split(pipelines_ > 1 ? stage_ : -1)),
      chain_(world.split(pipeline_)),
      ends_(world.split(first() || last() ? pipeline_ : -1)) {
    // Each rank is in at most one of the pairs (0, 1), (2, 3) …, and in at most one of (1, 2), (3, 4) …
    for (const int begin : {0, 1}) {
        const bool leads = stage_ % 2 == begin && !last();
        const bool follows = stage_ % 2 != begin && stage_ > begin;
        const int colour = leads || follows ? (stage_ - (follows ? 1 : 0)) * pipelines_ + pipeline_ : -1;
        std::unique_ptr<ProcessGroup> forward = world.split(colour);
        std::unique_ptr<ProcessGroup> backward = world.split(colour);
        if (leads) {
            to_next_ = std::move(forward);
            from_next_ = std::move(backward);
        } else if (follows) {
            from_before_ = std::move(forward);
            to_before_ = std::move(backward);
        }
    }
}

void PipelineGroups::send(ProcessGroup& pair, std::span<const float> values, int to) {
    pair.send(std::as_bytes(values), to);
}

void PipelineGroups::receive(ProcessGroup& pair, std::span<float> values, int from) {
    pair.receive(std::as_writable_bytes(values), from);
}

std::uint64_t PipelineGroups::sent() const {
    std::uint64_t bytes = 0;
    for (const auto* group :
         {&same_stage_, &chain_, &ends_, &to_next_, &from_before_, &to_before_, &from_next_}) {
        bytes += *group ? (*group)->traffic().total() : 0;
    }
    return bytes;
}

}  // namespace rankscope::engine
