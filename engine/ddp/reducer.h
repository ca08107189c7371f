// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/ddp/buckets.h>
#include <engine/ddp/gradient_hook.h>
#include <engine/ddp/shard_plan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

struct ReducerOptions {
    std::optional<BucketLimits> limits{};  ///< absent: default_bucket_limits()
    std::unique_ptr<GradientHook> hook{};  ///< null: plain all-reduce in f32
    const ShardPlan* shards = nullptr;     ///< set: ZeRO; it must outlive the reducer
    /// From ZeroStage::gradients on: takes the averages that this rank owns.
    std::span<float> owned{};
    /// For messages and for the check across ranks; may be empty.
    IndexedVector<ParameterId, std::string> names{};
};

/// Of one synchronised step.
struct ReducerStatistics {
    double exposed_ms = 0;    ///< spent in wait(): communication that the backward pass did not hide
    std::uint64_t bytes = 0;  ///< of gradients that this rank handed to collectives
    std::uint64_t collectives = 0;
};

/// Averages gradients over the ranks while the backward pass still runs: PyTorch's DDP reducer. A
/// bucket is reduced as soon as it and all before it are complete, in the same order on every rank, scaled by
/// 1 / world before it is added. After the first step the buckets are planned again in the order in which rank
/// 0's gradients were ready.
///
/// With ZeRO each rank gets the averages of what it owns (ShardPlan), by reduce-scatters of buckets that stay the same. From
/// stage 2 on, the flat array consists of windows, and a bucket's averages are copied, or with `accumulate` added, to
/// `owned` before its window is used again: while the next bucket is computed.
///
/// A step: reset(); ready(id) for every parameter, by the backward pass; wait(). With gradient accumulation
/// only the last backward pass of a step is synchronised, and reduces the accumulated sum.
class Reducer {
public:
    enum class Sync {
        yes,
        no  ///< DDP's no_sync: gradients stay this rank's own
    };

    /// `gradients`: the flat array that `layout` describes; best in memory of group.allocate(). Called by all
    /// ranks together: throws Error naming the first rank whose parameters, order or settings differ.
    Reducer(ProcessGroup& group, const ParameterLayout& layout, std::span<float> gradients,
            ReducerOptions options = {});

    /// Begins a backward pass. `accumulate`: of what `owned` has.
    void reset(Sync sync = Sync::yes, bool accumulate = false);
    /// The parameter's gradient is complete.
    void ready(ParameterId id);
    /// Returns when every gradient is the average. `done` is called with the number of each bucket as soon as it is, in
    /// order, so that its weights can be updated while others are being reduced. Throws PeerLostError; Error
    /// naming the parameters that were not reported.
    void wait(const std::function<void(std::size_t bucket)>& done = nullptr);

    const std::vector<Bucket>& buckets() const { return buckets_; }
    const ReducerStatistics& last_step() const { return statistics_; }

private:
    void plan(std::span<const ParameterId> order);
    void compare_across_ranks();
    std::string description() const;
    std::string name_of_parameter(ParameterId id) const;
    void launch(std::size_t bucket);
    void finish_bucket(std::size_t bucket);
    float* address(std::size_t bucket, std::size_t flat) const;
    bool windowed() const;
    void check_complete() const;
    void rebuild();

    ProcessGroup& group_;
    ParameterLayout layout_;
    std::span<float> gradients_;
    ReducerOptions options_;
    BucketLimits limits_;
    std::vector<Bucket> buckets_;
    std::vector<std::vector<Piece>> pieces_;  ///< by bucket
    IndexedVector<ParameterId, std::size_t> bucket_of_;
    bool rebuilt_ = false;

    Sync sync_ = Sync::yes;
    bool accumulate_ = false;
    std::vector<ParameterId> arrived_;  ///< in this backward pass, in order
    IndexedVector<ParameterId, bool> is_ready_;
    std::vector<std::size_t> missing_;  ///< by bucket
    std::size_t next_ = 0;              ///< first bucket not launched
    std::size_t finished_ = 0;          ///< first bucket whose averages are not there yet
    std::vector<Work> works_;
    ReducerStatistics statistics_;
};

}  // namespace rankscope::engine
