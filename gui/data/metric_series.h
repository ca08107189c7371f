// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/min_max_pyramid.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// The three that Live draws.
enum class Metric { Loss, Accuracy, Throughput };
inline constexpr std::size_t kMetricCount = 3;

/// Strictly rising step numbers. As long as they are regular (first, first + stride, …), which is nearly
/// always, they cost no memory.
class StepAxis {
public:
    std::size_t size() const { return size_; }
    std::int64_t at(std::size_t i) const {
        return explicit_.empty() ? first_ + std::int64_t(i) * stride_ : explicit_[i];
    }
    std::int64_t last() const { return at(size_ - 1); }
    void append(std::int64_t step);
    void truncate(std::size_t size);
    /// Index of the first step >= `step`.
    std::size_t lower_bound(double step) const;

private:
    std::int64_t first_ = 0;
    std::int64_t stride_ = 1;
    std::size_t size_ = 0;
    std::vector<std::int64_t> explicit_;  ///< filled from the first irregular step on
};

struct PlotPoint {
    double x = 0;
    double y = 0;
    bool operator==(const PlotPoint&) const = default;
};

/// All that one rank has measured, step by step.
class MetricSeries {
public:
    using Sample = std::array<float, kMetricCount>;  ///< by Metric; NaN: not measured

    /// A step seen before: the rank was restarted, and what came after that step is replaced. The same step
    /// again: its missing values are filled in.
    void add(std::int64_t step, const Sample& sample);

    const StepAxis& steps() const { return steps_; }
    const MinMaxPyramid& column(Metric metric) const { return columns_[std::size_t(metric)]; }
    bool empty() const { return steps_.size() == 0; }

    /// Smallest and largest value at steps in [x0, x1].
    MinMax range(Metric metric, double x0, double x1) const;

private:
    StepAxis steps_;
    std::array<MinMaxPyramid, kMetricCount> columns_;
};

/// What a curve needs for a picture `columns` pixels wide of the steps [x0, x1]: all points while they are
/// few, else the minimum and maximum of every pixel column; plus one point on either side, so that the line
/// reaches the edges. The envelope is exactly that of all points.
void decimate(const MetricSeries& series, Metric metric, double x0, double x1, int columns,
              std::vector<PlotPoint>& out);

}  // namespace rankscope::gui
