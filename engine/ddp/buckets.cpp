// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/buckets.h>

#include <algorithm>
#include <numeric>

namespace rankscope::engine {
namespace {

/// Reducing a gap this small costs less than a range of its own: what alignment leaves between parameters, a
/// dead tap.
constexpr std::size_t kGap = 32;

/// Joins neighbours over small gaps, but never over a gap in which a parameter begins: it belongs to another
/// bucket, and would be reduced twice.
void join(std::vector<FlatRange>& ranges, const std::vector<std::size_t>& slot_offsets) {
    std::sort(ranges.begin(), ranges.end(),
              [](const FlatRange& a, const FlatRange& b) { return a.offset < b.offset; });
    std::vector<FlatRange> joined;
    for (const FlatRange& range : ranges) {
        if (range.size == 0) {
            continue;
        }
        if (!joined.empty()) {
            const std::size_t end = joined.back().offset + joined.back().size;
            const auto next = std::lower_bound(slot_offsets.begin(), slot_offsets.end(), end);
            const bool empty_gap = next == slot_offsets.end() || *next >= range.offset;
            if (empty_gap && range.offset <= end + kGap) {
                joined.back().size = range.offset + range.size - joined.back().offset;
                continue;
            }
        }
        joined.push_back(range);
    }
    ranges = std::move(joined);
}

}  // namespace

std::size_t Bucket::live_size() const {
    return std::accumulate(live.begin(), live.end(), std::size_t{0},
                           [](std::size_t sum, const FlatRange& range) { return sum + range.size; });
}

std::vector<ParameterId> storage_order(const ParameterLayout& layout) {
    std::vector<ParameterId> order;
    for (const ParameterId id : layout.slots.indices()) {
        order.push_back(id);
    }
    std::sort(order.begin(), order.end(),
              [&](ParameterId a, ParameterId b) { return layout.slots[a].offset < layout.slots[b].offset; });
    return order;
}

std::vector<Bucket> plan_buckets(const ParameterLayout& layout, const BucketLimits& limits,
                                 std::span<const ParameterId> order) {
    const std::vector<ParameterId> stored =
        order.empty() ? storage_order(layout) : std::vector<ParameterId>(order.begin(), order.end());
    std::vector<Bucket> buckets;
    std::size_t bytes = 0;
    bool open = false;
    for (const ParameterId id : stored) {
        if (!open) {
            buckets.emplace_back();
            bytes = 0;
        }
        Bucket& bucket = buckets.back();
        const ParameterSlot& slot = layout.slots[id];
        bucket.parameters.push_back(id);
        bucket.ranges.push_back({slot.offset, slot.size});
        if (slot.live.empty()) {
            bucket.live.push_back({slot.offset, slot.size});
            bytes += slot.size * sizeof(float);
        }
        for (const FlatRange& live : slot.live) {
            bucket.live.push_back(live);
            bytes += live.size * sizeof(float);
        }
        open = bytes < (buckets.size() == 1 ? limits.first : limits.others);
    }
    std::vector<std::size_t> slot_offsets;
    for (const ParameterId id : storage_order(layout)) {
        slot_offsets.push_back(layout.slots[id].offset);
    }
    for (Bucket& bucket : buckets) {
        join(bucket.ranges, slot_offsets);
        join(bucket.live, slot_offsets);
    }
    return buckets;
}

}  // namespace rankscope::engine
