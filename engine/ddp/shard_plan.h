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
    gradients = 2,  ///< and the optimizer's state
    parameters = 3  ///< and the other two
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
    /// The schedule is read from ZeroStage::gradients on.
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

    // From ZeroStage::gradients on: a bucket's gradients are computed in a window of memory that other buckets use before
    // and after it.

    bool windowed() const { return stage_ >= ZeroStage::gradients; }
    /// Floats of all windows.
    std::size_t window_size() const { return window_size_; }
    /// Where an element of the bucket lies in them.
    std::size_t window_place(std::size_t bucket, std::size_t flat) const {
        return shards_[bucket].window + flat - buckets_[bucket].ranges.front().offset;
    }
    std::size_t bucket_of(ParameterId id) const { return bucket_of_[id]; }
    /// What lies between the gradients of the bucket within its live ranges: another bucket may have left something there.
    std::span<const FlatRange> gaps(std::size_t bucket) const { return shards_[bucket].gaps; }

    // ZeroStage::parameters: a bucket's weights are gathered into a window before the operations that read them, for the
    // forward pass and again for the backward pass.

    bool gathers() const { return stage_ == ZeroStage::parameters; }
    struct Gathering {
        std::size_t bucket = 0;
        std::size_t first = 0;   ///< operation of the schedule that reads it
        std::size_t last = 0;    ///< of those, before it is dropped
        std::size_t window = 0;  ///< where it begins, floats
        bool backward = false;   ///< it is first read in the backward pass
    };
    /// By first operation; the next one may begin once this one is complete, if it is of the same pass.
    std::span<const Gathering> gatherings() const { return gatherings_; }
    /// Of a parameter's bucket, for operations of the forward or the backward pass.
    const Gathering& gathering(ParameterId id, bool backward) const;
    /// Floats of all windows of weights.
    std::size_t weight_window_size() const { return weight_window_size_; }
    /// Where an element of the flat array lies in them.
    std::size_t weight_place(const Gathering& gathering, std::size_t flat) const {
        return gathering.window + flat - buckets_[gathering.bucket].ranges.front().offset;
    }

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
    void plan_gatherings(const Graph& graph, const Schedule& schedule);
    std::size_t window_bytes(std::size_t bucket) const;

    ZeroStage stage_;
    std::vector<Bucket> buckets_;
    std::vector<Shard> shards_;  ///< by bucket
    IndexedVector<ParameterId, std::size_t> bucket_of_;
    std::vector<Owned> all_owned_;  ///< of all buckets, ascending
    std::size_t owned_size_ = 0;
    std::size_t window_size_ = 0;
    std::vector<Gathering> gatherings_;
    std::size_t weight_window_size_ = 0;
};

}  // namespace rankscope::engine
