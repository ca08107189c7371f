// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// Strictly rising step numbers, kept as runs of equal distance (first, first + stride, …). Reports every so
/// many steps, with a shorter last one in each epoch, cost two runs an epoch and nothing a step.
class StepAxis {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t at(std::size_t i) const;
    std::int64_t last() const { return at(size_ - 1); }
    /// `step` > last().
    void append(std::int64_t step);
    void truncate(std::size_t size);
    /// Index of the first step >= `step`.
    std::size_t lower_bound(double step) const;

private:
    struct Run {
        std::size_t begin = 0;  ///< index of its first step
        std::int64_t first = 0;
        std::int64_t stride = 0;  ///< 0: one step so far
    };
    std::int64_t last_of(std::size_t run) const;

    std::vector<Run> runs_;
    std::size_t size_ = 0;
};

}  // namespace rankscope::gui
