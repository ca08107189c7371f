// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/bucket_limits.h>
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

/// Fills buckets in the order in which gradients arrive; `order` empty: that of storage. As PyTorch's DDP
/// does, but that elements which are always zero do not count.
std::vector<Bucket> plan_buckets(const ParameterLayout& layout, const BucketLimits& limits,
                                 std::span<const ParameterId> order = {});
/// The order in which the parameters are stored.
std::vector<ParameterId> storage_order(const ParameterLayout& layout);

}  // namespace rankscope::engine
