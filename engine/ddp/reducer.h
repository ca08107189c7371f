// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/ddp/buckets.h>

#include <span>
#include <vector>

namespace rankscope::engine {

/// Averages gradients over the ranks while the backward pass is still going on. A bucket is multiplied by 1 /
/// world and handed to the process group as soon as it and all before it are complete: in the same order on
/// every rank.
class Reducer {
public:
    Reducer(ProcessGroup& group, std::vector<Bucket> buckets, std::span<float> gradients);

    /// Begins a step.
    void reset();
    /// The parameter's gradient is complete.
    void ready(ParameterId id);
    /// Returns when every gradient is the average; throws PeerLostError.
    void wait();

private:
    void launch(std::size_t bucket);

    ProcessGroup& group_;
    std::vector<Bucket> buckets_;
    std::span<float> gradients_;
    std::vector<std::size_t> bucket_of_;  ///< by ParameterId
    std::vector<std::size_t> missing_;    ///< by bucket
    std::size_t next_ = 0;                ///< first bucket not launched
    std::vector<Work> works_;
};

}  // namespace rankscope::engine
