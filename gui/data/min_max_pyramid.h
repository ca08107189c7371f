// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/spooled_column.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace rankscope::gui {

/// The smallest and the largest of some values; empty (min > max) when none of them is finite.
struct MinMax {
    float min = std::numeric_limits<float>::infinity();
    float max = -std::numeric_limits<float>::infinity();

    bool empty() const { return !(min <= max); }
    void add(float value);
    void add(const MinMax& other);
    bool operator==(const MinMax&) const = default;
};

/// A column of float32 samples that only grows, with the minimum and maximum of blocks of 32, 128, 512, …
/// samples kept beside it, so that a picture of a million samples costs what its pixels cost (0.1 bytes of memory a
/// sample, and 4.3 of the disk). NaN stands for "not measured" and never counts.
class MinMaxPyramid {
public:
    std::size_t size() const { return values_.size(); }
    float at(std::size_t i) const { return values_[i]; }

    void append(float value);
    void truncate(std::size_t size);
    /// Over [begin, end).
    MinMax range(std::size_t begin, std::size_t end) const;
    /// The last finite value in [begin, end), or NaN.
    float last_finite(std::size_t begin, std::size_t end) const;

    static constexpr std::size_t kBaseBlock = 32;
    static constexpr std::size_t kFanOut = 4;

private:
    using Level = SpooledColumn<MinMax, 4, 32>;  // small pieces: a curve has several

    SpooledColumn<float, 256, 4> values_;
    std::vector<Level> levels_;  ///< levels_[k]: blocks of kBaseBlock * kFanOut^k; the last is partial
};

}  // namespace rankscope::gui
