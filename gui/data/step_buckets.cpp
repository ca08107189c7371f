// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_buckets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr int kMostLevels = 62;
constexpr int kFinestRatio = 24;    ///< far below a pixel
constexpr double kMostStep = 9e18;  ///< as a whole number of 64 bits

std::int64_t whole(double step) {
    return std::int64_t(std::floor(std::clamp(step, -kMostStep, kMostStep)));
}

}  // namespace

StepBuckets StepBuckets::equal(double first, double last, int most) {
    StepBuckets buckets;
    while (buckets.level < kMostLevels &&
           (last - first) / double(std::int64_t(1) << buckets.level) > double(most)) {
        ++buckets.level;
    }
    return buckets;
}

StepBuckets StepBuckets::of_ratio(double first, double last, int most) {
    StepBuckets buckets{kFinestRatio, true};
    while (buckets.level > 0 && buckets.bucket_of(last) - buckets.bucket_of(first) > most) {
        --buckets.level;
    }
    return buckets;
}

std::int64_t StepBuckets::bucket_of(double step) const {
    const std::int64_t at = whole(step);
    if (!log) {
        return at >> level;
    }
    if (at < std::int64_t(2) << level) {
        return at;
    }
    const int shift = int(std::bit_width(std::uint64_t(at))) - 1 - level;
    return (std::int64_t(shift) << level) + (at >> shift);
}

std::int64_t StepBuckets::first_step(std::int64_t bucket) const {
    if (!log) {
        return bucket << level;
    }
    if (bucket < std::int64_t(2) << level) {
        return bucket;
    }
    const std::int64_t shift = (bucket >> level) - 1;
    const std::uint64_t first = std::uint64_t(bucket - (shift << level)) << shift;
    return std::int64_t(std::min(first, std::uint64_t(std::numeric_limits<std::int64_t>::max())));
}

}  // namespace rankscope::gui
