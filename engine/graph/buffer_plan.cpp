// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/buffer_plan.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace rankscope::engine {
namespace {

std::size_t rounded(std::size_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace

BufferPlan plan_buffers(const std::vector<BufferLifetime>& buffers) {
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
    BufferPlan plan;
    plan.offsets.assign(buffers.size(), 0);
    std::vector<std::size_t> placed;
    for (const std::size_t id : order) {
        const BufferLifetime& buffer = buffers[id];
        std::vector<std::pair<std::size_t, std::size_t>>
            taken;  // [begin, end) of those alive at the same time
        for (const std::size_t other : placed) {
            if (buffers[other].first <= buffer.last && buffer.first <= buffers[other].last) {
                taken.emplace_back(plan.offsets[other], plan.offsets[other] + rounded(buffers[other].bytes));
            }
        }
        std::sort(taken.begin(), taken.end());
        std::size_t offset = 0;
        for (const auto& [begin, end] : taken) {
            if (offset + rounded(buffer.bytes) <= begin) {
                break;
            }
            offset = std::max(offset, end);
        }
        plan.offsets[id] = offset;
        plan.total = std::max(plan.total, offset + rounded(buffer.bytes));
        placed.push_back(id);
    }
    return plan;
}

}  // namespace rankscope::engine
