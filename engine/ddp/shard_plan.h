// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/pieces.h>
#include <engine/ddp/buckets.h>
#include <engine/graph/schedule.h>
#include <engine/tensor/parameter_layout.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::engine {

/// ZeRO's stages (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020), in
/// the numbers of the paper: what a rank keeps of its own share only.
enum class ZeroStage {
    none = 0,
    optimizer_state = 1,
    gradients = 2  ///< and the optimizer's state
};

struct Sharding {
    ZeroStage stage = ZeroStage::none;
    int rank = 0;
    int ranks = 1;
    std::optional<BucketLimits> limits{};  ///< absent: default_bucket_limits()
};

/// Which part of the flat arrays (ParameterLayout) each rank updates, and keeps the optimizer's state of. Every bucket is
/// divided among all ranks, so that all have the same work in each and none waits for another. Buckets are those of
/// storage and stay: where they change, state would have to travel.
class ShardPlan {
public:
    /// The schedule is read for ZeroStage::gradients only.
    ShardPlan(const ParameterLayout& layout, const Sharding& sharding, const Graph& graph,
              const Schedule& schedule);

    ZeroStage stage() const { return stage_; }
    const std::vector<Bucket>& buckets() const { return buckets_; }
    /// Of the bucket's ranges.
    Shares weight_shares(std::size_t bucket) const { return shards_[bucket].weights; }
    /// Of its live ranges.
    Shares gradient_shares(std::size_t bucket) const { return shards_[bucket].gradients; }

    /// A part of the flat arrays that this rank owns, and where it lies in arrays that hold nothing else.
    struct Owned {
        FlatRange flat;
        std::size_t at = 0;
    };
    std::span<const Owned> owned(std::size_t bucket) const { return shards_[bucket].owned; }
    /// Floats of an array of what this rank owns.
    std::size_t owned_size() const { return owned_size_; }
    /// Where an element lies in such an array. Precondition: this rank owns it.
    std::size_t place_of(std::size_t flat) const;

    // ZeroStage::gradients: a bucket's gradients are computed in a window of memory that other buckets use before and
    // after it.

    /// Floats of all windows.
    std::size_t window_size() const { return window_size_; }
    /// Where an element of the bucket lies in them.
    std::size_t window_place(std::size_t bucket, std::size_t flat) const {
        return shards_[bucket].window + flat - buckets_[bucket].ranges.front().offset;
    }
    std::size_t bucket_of(ParameterId id) const { return bucket_of_[id]; }
    /// What lies between the gradients of the bucket within its live ranges: another bucket may have left something there.
    std::span<const FlatRange> gaps(std::size_t bucket) const { return shards_[bucket].gaps; }

private:
    struct Shard {
        std::vector<std::size_t> weights;
        std::vector<std::size_t> gradients;
        std::vector<Owned> owned;
        std::vector<FlatRange> gaps;
        std::size_t window = 0;
    };
    void divide(const Sharding& sharding);
    void find_gaps(const ParameterLayout& layout);
    void place_windows(const Graph& graph, const Schedule& schedule);

    ZeroStage stage_;
    std::vector<Bucket> buckets_;
    std::vector<Shard> shards_;  ///< by bucket
    IndexedVector<ParameterId, std::size_t> bucket_of_;
    std::vector<Owned> all_owned_;  ///< of all buckets, ascending
    std::size_t owned_size_ = 0;
    std::size_t window_size_ = 0;
};

}  // namespace rankscope::engine
