// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/shard_plan.h>
#include <engine/graph/buffer_plan.h>

#include <algorithm>
#include <array>
#include <limits>

namespace rankscope::engine {
namespace {

constexpr std::size_t kLine = 64 / sizeof(float);

/// Elements of the ranges that lie before this place of the flat array.
std::size_t elements_before(std::span<const FlatRange> ranges, std::size_t flat) {
    std::size_t sum = 0;
    for (const FlatRange& range : ranges) {
        sum += std::min(std::max(flat, range.offset) - range.offset, range.size);
    }
    return sum;
}

}  // namespace

ShardPlan::ShardPlan(const ParameterLayout& layout, const Sharding& sharding, const Graph& graph,
                     const Schedule& schedule)
    : stage_(sharding.stage),
      buckets_(plan_buckets(layout,
                            sharding.limits.value_or(default_bucket_limits(layout.total * sizeof(float))))),
      shards_(buckets_.size()) {
    bucket_of_.assign(layout.slots.size(), 0);
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        for (const ParameterId id : buckets_[bucket].parameters) {
            bucket_of_[id] = bucket;
        }
    }
    divide(sharding);
    if (windowed()) {
        find_gaps(layout);
        place_windows(graph, schedule);
    }
    if (gathers()) {
        plan_gatherings(graph, schedule);
    }
}

void ShardPlan::divide(const Sharding& sharding) {
    const auto ranks = static_cast<std::size_t>(sharding.ranks);
    const auto self = static_cast<std::size_t>(sharding.rank);
    for (std::size_t index = 0; index < buckets_.size(); ++index) {
        const Bucket& bucket = buckets_[index];
        Shard& shard = shards_[index];
        std::size_t total = 0;
        for (const FlatRange& range : bucket.ranges) {
            total += range.size;
        }
        const std::size_t share = ((total + ranks - 1) / ranks + kLine - 1) / kLine * kLine;
        for (std::size_t rank = 0; rank <= ranks; ++rank) {
            shard.weights.push_back(rank == ranks ? total : std::min(rank * share, total));
        }
        std::size_t before = 0;
        std::vector<std::size_t> places(shard.weights.size(), std::numeric_limits<std::size_t>::max());
        for (const FlatRange& range : bucket.ranges) {
            for (std::size_t rank = 0; rank <= ranks; ++rank) {
                const std::size_t begin = shard.weights[rank];
                if (begin >= before && begin < before + range.size) {
                    places[rank] = range.offset + begin - before;
                }
            }
            const std::size_t from = std::clamp(shard.weights[self], before, before + range.size);
            const std::size_t to = std::clamp(shard.weights[self + 1], before, before + range.size);
            if (from < to) {
                shard.owned.push_back({{range.offset + from - before, to - from}, owned_size_});
                owned_size_ += to - from;
            }
            before += range.size;
        }
        for (const std::size_t place : places) {
            shard.gradients.push_back(elements_before(bucket.live, place));
        }
        all_owned_.insert(all_owned_.end(), shard.owned.begin(), shard.owned.end());
    }
    std::sort(all_owned_.begin(), all_owned_.end(),
              [](const Owned& a, const Owned& b) { return a.flat.offset < b.flat.offset; });
}

std::size_t ShardPlan::place_of(std::size_t flat) const {
    const auto next =
        std::upper_bound(all_owned_.begin(), all_owned_.end(), flat,
                         [](std::size_t place, const Owned& owned) { return place < owned.flat.offset; });
    const Owned& owned = *std::prev(next);
    return owned.at + flat - owned.flat.offset;
}

void ShardPlan::find_gaps(const ParameterLayout& layout) {
    for (std::size_t index = 0; index < buckets_.size(); ++index) {
        std::vector<FlatRange> written;
        for (const ParameterId id : buckets_[index].parameters) {
            const ParameterSlot& slot = layout.slots[id];
            if (slot.live.empty()) {
                written.push_back({slot.offset, slot.size});
            }
            written.insert(written.end(), slot.live.begin(), slot.live.end());
        }
        std::sort(written.begin(), written.end(),
                  [](const FlatRange& a, const FlatRange& b) { return a.offset < b.offset; });
        for (const FlatRange& live : buckets_[index].live) {
            std::size_t at = live.offset;
            for (const FlatRange& range : written) {
                if (range.offset + range.size <= at || range.offset >= live.offset + live.size) {
                    continue;
                }
                if (range.offset > at) {
                    shards_[index].gaps.push_back({at, range.offset - at});
                }
                at = range.offset + range.size;
            }
        }
    }
}

/// A window lives from the first write of a gradient until the next bucket is complete: then the reducer has waited for
/// this one (Reducer::launch).
void ShardPlan::place_windows(const Graph& graph, const Schedule& schedule) {
    std::vector<std::size_t> first(buckets_.size(), schedule.ops.size());
    std::vector<std::size_t> complete(buckets_.size(), 0);
    for (std::size_t i = schedule.backward_begin; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        if (op.phase != Phase::backward_weights) {
            continue;
        }
        for (const ParameterId id : graph.nodes[op.node].parameters) {
            first[bucket_of_[id]] = std::min(first[bucket_of_[id]], i);
        }
        for (const ParameterId id : op.finished) {
            complete[bucket_of_[id]] = std::max(complete[bucket_of_[id]], i);
        }
    }
    std::vector<BufferLifetime> lives;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        complete[bucket] = std::max(complete[bucket], bucket == 0 ? 0 : complete[bucket - 1]);
        lives.push_back({window_bytes(bucket), first[bucket], schedule.ops.size()});
    }
    for (std::size_t bucket = 0; bucket + 1 < buckets_.size(); ++bucket) {
        lives[bucket].last = complete[bucket + 1];
    }
    const BufferPlan plan = plan_buffers(lives);
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        shards_[bucket].window = plan.offsets[bucket] / sizeof(float);
    }
    window_size_ = plan.total / sizeof(float);
}

std::size_t ShardPlan::window_bytes(std::size_t bucket) const {
    const std::vector<FlatRange>& ranges = buckets_[bucket].ranges;
    return (ranges.back().offset + ranges.back().size - ranges.front().offset) * sizeof(float);
}

void ShardPlan::plan_gatherings(const Graph& graph, const Schedule& schedule) {
    constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
    struct Uses {
        std::size_t first = kNever;
        std::size_t last = 0;
    };
    std::vector<std::array<Uses, 2>> uses(buckets_.size());  // in the forward and the backward pass
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        for (const ParameterId id : graph.nodes[schedule.ops[i].node].parameters) {
            Uses& of_pass = uses[bucket_of_[id]][i < schedule.backward_begin ? 0 : 1];
            of_pass.first = std::min(of_pass.first, i);
            of_pass.last = i;
        }
    }
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        auto& [forward, backward] = uses[bucket];
        // What ends one pass and begins the other stays: nothing would use its window.
        const bool stays = std::none_of(uses.begin(), uses.end(), [&](const auto& others) {
            return others[0].last > forward.last || others[1].first < backward.first;
        });
        gatherings_.push_back(
            {.bucket = bucket, .first = forward.first, .last = stays ? backward.last : forward.last});
        if (!stays) {
            gatherings_.push_back(
                {.bucket = bucket, .first = backward.first, .last = backward.last, .backward = true});
        }
    }
    std::stable_sort(gatherings_.begin(), gatherings_.end(),
                     [](const Gathering& a, const Gathering& b) { return a.first < b.first; });
    std::vector<BufferLifetime> lives;
    for (std::size_t i = 0; i < gatherings_.size(); ++i) {
        const Gathering& one = gatherings_[i];
        const bool follows = i > 0 && gatherings_[i - 1].backward == one.backward;
        lives.push_back({window_bytes(one.bucket), follows ? gatherings_[i - 1].first : one.first, one.last});
    }
    const BufferPlan plan = plan_buffers(lives);
    for (std::size_t i = 0; i < gatherings_.size(); ++i) {
        gatherings_[i].window = plan.offsets[i] / sizeof(float);
    }
    weight_window_size_ = plan.total / sizeof(float);
}

const ShardPlan::Gathering& ShardPlan::gathering(ParameterId id, bool backward) const {
    const Gathering* found = nullptr;
    for (const Gathering& one : gatherings_) {
        if (one.bucket == bucket_of_[id] && (found == nullptr || one.backward == backward)) {
            found = &one;
        }
    }
    return *found;
}

}  // namespace rankscope::engine
