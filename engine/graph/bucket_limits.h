// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <cstddef>

namespace rankscope::engine {

/// Bytes of gradients to be reduced after which a bucket closes, with the parameter that reaches them.
struct BucketLimits {
    std::size_t first = std::size_t{1} << 20U;
    std::size_t others = std::size_t{25} << 20U;
};

/// The limits used when the configuration names none: a sixth of the gradients, at least 64 KiB (below that
/// an all-reduce costs its latency), at most DDP's 25 MiB, and for the first bucket at most its 1 MiB. DDP's
/// own rule puts a small network into one bucket, so that nothing overlaps.
inline BucketLimits default_bucket_limits(std::size_t gradient_bytes) {
    constexpr std::size_t kLeast = std::size_t{64} << 10U;
    const BucketLimits most;
    const std::size_t limit = std::clamp(gradient_bytes / 6, kLeast, most.others);
    return {std::min(limit, most.first), limit};
}

}  // namespace rankscope::engine
