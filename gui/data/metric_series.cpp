// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_series.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

void StepAxis::append(std::int64_t step) {
    if (!explicit_.empty()) {
        explicit_.push_back(step);
    } else if (size_ == 0) {
        first_ = step;
        stride_ = 1;
    } else if (size_ == 1) {
        stride_ = step - first_;
    } else if (step != first_ + std::int64_t(size_) * stride_) {
        explicit_.reserve(size_ + 1);
        for (std::size_t i = 0; i < size_; ++i) {
            explicit_.push_back(first_ + std::int64_t(i) * stride_);
        }
        explicit_.push_back(step);
    }
    ++size_;
}

void StepAxis::truncate(std::size_t size) {
    size_ = std::min(size_, size);
    if (!explicit_.empty()) {
        explicit_.resize(size_);
    }
}

std::size_t StepAxis::lower_bound(double step) const {
    if (!explicit_.empty()) {
        const auto at = std::lower_bound(explicit_.begin(), explicit_.end(), step,
                                         [](std::int64_t a, double b) { return double(a) < b; });
        return std::size_t(at - explicit_.begin());
    }
    const double index = std::ceil((step - double(first_)) / double(stride_));
    return index <= 0 ? 0 : std::size_t(std::min(index, double(size_)));
}

void MetricSeries::add(std::int64_t step, const Sample& sample) {
    if (steps_.size() > 0 && step == steps_.last()) {
        for (std::size_t m = 0; m < kMetricCount; ++m) {
            if (std::isfinite(sample[m])) {
                columns_[m].replace_last(sample[m]);
            }
        }
        return;
    }
    if (steps_.size() > 0 && step < steps_.last()) {
        const std::size_t keep = steps_.lower_bound(double(step));
        steps_.truncate(keep);
        for (MinMaxPyramid& column : columns_) {
            column.truncate(keep);
        }
    }
    steps_.append(step);
    for (std::size_t m = 0; m < kMetricCount; ++m) {
        columns_[m].append(sample[m]);
    }
}

MinMax MetricSeries::range(Metric metric, double x0, double x1) const {
    const std::size_t begin = steps_.lower_bound(x0);
    const std::size_t end = steps_.lower_bound(std::nextafter(x1, INFINITY));
    return column(metric).range(begin, end);
}

namespace {

/// The nearest finite sample before `i`, or at or after it.
void add_neighbour(const MetricSeries& series, const MinMaxPyramid& values, std::size_t i, int direction,
                   std::vector<PlotPoint>& out) {
    constexpr int kReach = 64;  // farther away than this nothing was measured: the line may end
    for (int n = 0; n < kReach; ++n) {
        if (direction < 0 ? i == 0 : i >= values.size()) {
            return;
        }
        const std::size_t at = direction < 0 ? --i : i++;
        if (std::isfinite(values.at(at))) {
            out.push_back({double(series.steps().at(at)), double(values.at(at))});
            return;
        }
    }
}

}  // namespace

void decimate(const MetricSeries& series, Metric metric, double x0, double x1, int columns,
              std::vector<PlotPoint>& out) {
    out.clear();
    const StepAxis& steps = series.steps();
    const MinMaxPyramid& values = series.column(metric);
    if (steps.size() == 0 || columns <= 0 || !(x1 > x0)) {
        return;
    }
    const std::size_t begin = steps.lower_bound(x0);
    const std::size_t end = steps.lower_bound(std::nextafter(x1, INFINITY));
    add_neighbour(series, values, begin, -1, out);
    if (end - begin <= std::size_t(columns) * 2) {
        for (std::size_t i = begin; i < end; ++i) {
            if (std::isfinite(values.at(i))) {
                out.push_back({double(steps.at(i)), double(values.at(i))});
            }
        }
    } else {
        const double width = (x1 - x0) / columns;
        std::size_t from = begin;
        for (int c = 0; c < columns && from < end; ++c) {
            const std::size_t to =
                c + 1 == columns ? end : std::min(end, steps.lower_bound(x0 + (c + 1) * width));
            const MinMax column = values.range(from, to);
            from = to;
            if (column.empty()) {
                continue;
            }
            const double x = x0 + (c + 0.5) * width;
            // Enter the column at the end nearer to where the line is: it saves a stroke across the column.
            const bool down = !out.empty() && out.back().y - column.min > column.max - out.back().y;
            out.push_back({x, double(down ? column.max : column.min)});
            if (column.min < column.max) {
                out.push_back({x, double(down ? column.min : column.max)});
            }
        }
    }
    add_neighbour(series, values, end, +1, out);
}

}  // namespace rankscope::gui
