// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::engine {

struct SamplerOptions {
    std::int64_t dataset_size = 0;
    int world_size = 1;
    int rank = 0;
    bool shuffle = true;
    bool drop_last = false;
    std::uint64_t seed = 0;
};

/// Which samples a rank sees: torch.utils.data.distributed.DistributedSampler, index for index. Every rank
/// gets the same number; short of that the head of the order is appended (or, with drop_last, the tail cut
/// off).
class DistributedSampler {
public:
    explicit DistributedSampler(const SamplerOptions& options);

    std::int64_t samples_per_rank() const { return samples_; }
    /// Indices of this rank in the order of an epoch, from 0. The order depends on seed + epoch alone.
    std::vector<std::int64_t> indices(std::int64_t epoch) const;

private:
    SamplerOptions options_;
    std::int64_t samples_ = 0;
};

}  // namespace rankscope::engine
