// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/tensor/parameter_layout.h>

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Gradients that are reduced together.
struct Bucket {
    std::vector<ParameterId> parameters{};
    /// Where they lie in the flat storage, ascending, neighbours joined (over alignment gaps, which are
    /// zero); one range as long as gradients arrive in the order of storage.
    std::vector<FlatRange> ranges{};
    /// The parts of it that are reduced: the others are zero on every rank.
    std::vector<FlatRange> live{};

    /// Floats that are reduced.
    std::size_t live_size() const;
};

/// Bytes to be reduced after which a bucket closes, with the parameter that reaches them.
struct BucketLimits {
    std::size_t first = std::size_t{1} << 20U;
    std::size_t others = std::size_t{25} << 20U;
};

/// Fills buckets in the order in which gradients arrive; `order` empty: that of storage. As PyTorch's DDP
/// does, but that elements which are always zero do not count.
std::vector<Bucket> plan_buckets(const ParameterLayout& layout, const BucketLimits& limits,
                                 std::span<const ParameterId> order = {});
/// The order in which the parameters are stored.
std::vector<ParameterId> storage_order(const ParameterLayout& layout);

/// The limits used when the configuration names none: a sixth of the gradients, at least 64 KiB (below that
/// an all-reduce costs its latency), at most DDP's 25 MiB, and for the first bucket at most its 1 MiB. DDP's
/// own rule puts a small network into one bucket, so that nothing overlaps.
BucketLimits default_bucket_limits(std::size_t gradient_bytes);

}  // namespace rankscope::engine
