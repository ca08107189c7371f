// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <cstddef>
#include <vector>

namespace rankscope::engine {

/// Gradients that are reduced together: a contiguous range of the flat storage.
struct Bucket {
    std::size_t offset = 0;  ///< floats
    std::size_t size = 0;    ///< floats
    std::vector<ParameterId> parameters;
};

/// Fills buckets in the order in which gradients arrive (that of storage). A bucket closes with the parameter
/// that makes it reach its limit, as in PyTorch's DDP: `first_limit` bytes for the first, `limit` for the
/// others.
std::vector<Bucket> plan_buckets(const ParameterLayout& layout, std::size_t first_limit, std::size_t limit);

/// The limit in bytes used when the configuration names none: a sixth of the gradients, at least 64 KiB
/// (below that an all-reduce costs its latency), at most DDP's 25 MiB. DDP's own rule puts a small network
/// into one bucket, so that nothing overlaps.
std::size_t default_bucket_limit(std::size_t gradient_bytes);

}  // namespace rankscope::engine
