// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/min_max_pyramid.h>
#include <gui/data/step_axis.h>
#include <remote/desk/runs/run/metric_names.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

struct PlotPoint {
    double x = 0;
    double y = 0;  ///< NaN: the line breaks here
    bool operator==(const PlotPoint&) const = default;
};

/// One metric of one rank: a value at each step where it was reported. 4.4 bytes a value, of which 0.1 are memory,
/// while the steps are regular, whatever else the rank reports at other steps.
class MetricColumn {
public:
    /// Consecutive values that are NaN or infinite: indices [begin, end).
    struct Gap {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool operator==(const Gap&) const = default;
    };

    /// An earlier step replaces what came after it (the rank was restarted); returns true then. The last step
    /// again replaces its value by a finite one.
    bool add(std::int64_t step, float value);
    /// Removes the values at `step` and after it.
    void truncate_from(std::int64_t step);

    bool empty() const { return steps_.empty(); }
    std::size_t size() const { return steps_.size(); }
    const StepAxis& steps() const { return steps_; }
    const MinMaxPyramid& values() const { return values_; }
    const std::vector<Gap>& gaps() const { return gaps_; }
    float at(std::size_t i) const { return values_.at(i); }

    /// Smallest and largest finite value at steps in [x0, x1].
    MinMax range(double x0, double x1) const;

private:
    void truncate(std::size_t size);

    StepAxis steps_;
    MinMaxPyramid values_;
    std::vector<Gap> gaps_;
};

/// All that one rank has measured: a column for each metric that it reports.
class MetricSeries {
public:
    /// True: the rank returned to an earlier step of this metric.
    bool add(MetricId metric, std::int64_t step, float value);
    /// Removes the metric's values at `step` and after it. False: there were none.
    bool truncate_from(MetricId metric, std::int64_t step);
    /// Values that follow those of the column. An empty one takes them without a copy.
    void append(MetricId metric, MetricColumn values);
    /// The rank was started again: the next step it reports replaces what any of its metrics has from there.
    void restart() { restarted_ = true; }
    /// Nothing was reported since restart().
    bool restarted() const { return restarted_; }

    /// An empty column for what this rank has not reported.
    const MetricColumn& column(MetricId metric) const;
    bool empty() const;
    double first_step() const;  ///< smallest of all columns; infinite when empty
    double last_step() const;   ///< largest of all columns; 0 when empty

private:
    std::vector<MetricColumn> columns_;  ///< by MetricId
    bool restarted_ = false;
};

/// What a curve needs for a picture `columns` pixels wide of the steps [x0, x1]: all points while they are
/// few, else the minimum and maximum of every pixel column; plus one point on either side, so that the line
/// reaches the edges. The envelope is exactly that of all points. Where values are not finite, a point with a
/// NaN breaks the line.
void decimate(const MetricColumn& column, double x0, double x1, int columns, std::vector<PlotPoint>& out);
/// The same where pixel columns are not of equal numbers of steps: `edges` are theirs, one more than columns, rising.
void decimate(const MetricColumn& column, const std::vector<double>& edges, std::vector<PlotPoint>& out);

}  // namespace rankscope::gui
