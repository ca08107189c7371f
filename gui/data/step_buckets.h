// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::gui {

/// How steps are put into numbered buckets, in order and without a gap: 2^level steps each; or, for a logarithmic axis,
/// 2^level buckets for each doubling of the step, as a floating-point number of that many bits would round it. A bucket
/// has at least one step, so that steps below 2^(level + 1), and those below 0, have one each.
struct StepBuckets {
    int level = 0;
    bool log = false;

    /// The finest that need at most `most` buckets, about, for the steps [first, last].
    static StepBuckets equal(double first, double last, int most);
    static StepBuckets of_ratio(double first, double last, int most);

    std::int64_t bucket_of(double step) const;
    std::int64_t first_step(std::int64_t bucket) const;

    bool operator==(const StepBuckets&) const = default;
};

}  // namespace rankscope::gui
