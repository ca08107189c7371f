// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_series.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();

void break_line(double x, std::vector<PlotPoint>& out) {
    if (!out.empty() && std::isfinite(out.back().y)) {
        out.push_back({x, kBreak});
    }
}

void add_point(const MetricColumn& column, std::size_t i, std::vector<PlotPoint>& out) {
    const auto x = double(column.steps().at(i));
    if (const float value = column.at(i); std::isfinite(value)) {
        out.push_back({x, double(value)});
    } else {
        break_line(x, out);
    }
}

/// Values [from, to) share one pixel column, whose middle is x.
void add_pixel_column(const MetricColumn& column, std::size_t from, std::size_t to, double x,
                      std::vector<PlotPoint>& out) {
    const MinMax extremes = column.values().range(from, to);
    if (extremes.empty()) {
        break_line(x, out);
        return;
    }
    // Enter the pixel column at the end nearer to where the line is: it saves a stroke across it.
    const bool down = !out.empty() && out.back().y - extremes.min > extremes.max - out.back().y;
    out.push_back({x, double(down ? extremes.max : extremes.min)});
    if (extremes.min < extremes.max) {
        out.push_back({x, double(down ? extremes.min : extremes.max)});
    }
}

template <typename Edge, typename Middle>
void decimate_at(const MetricColumn& column, double x0, double x1, int columns, Edge edge, Middle middle,
                 std::vector<PlotPoint>& out) {
    out.clear();
    const StepAxis& steps = column.steps();
    if (steps.empty() || columns <= 0 || !(x1 > x0)) {
        return;
    }
    const std::size_t begin = steps.lower_bound(x0);
    const std::size_t end = steps.lower_bound(std::nextafter(x1, INFINITY));
    if (begin > 0) {
        add_point(column, begin - 1, out);
    }
    if (end - begin <= std::size_t(columns) * 2) {
        for (std::size_t i = begin; i < end; ++i) {
            add_point(column, i, out);
        }
    } else {
        std::size_t from = begin;
        for (int c = 0; c < columns && from < end; ++c) {
            const std::size_t to = c + 1 == columns ? end : std::min(end, steps.lower_bound(edge(c + 1)));
            if (to > from) {
                add_pixel_column(column, from, to, middle(c), out);
            }
            from = std::max(from, to);
        }
    }
    if (end < column.size()) {
        add_point(column, end, out);
    }
    if (!out.empty() && std::isnan(out.back().y)) {
        out.pop_back();
    }
}

}  // namespace

bool MetricColumn::add(std::int64_t step, float value) {
    bool back = false;
    if (!steps_.empty() && step <= steps_.last()) {
        back = step < steps_.last();
        if (!back && !std::isfinite(value)) {
            return false;  // a second line about the same step adds values, it takes none away
        }
        truncate(steps_.lower_bound(double(step)));
    }
    if (!std::isfinite(value)) {
        if (!gaps_.empty() && gaps_.back().end == size()) {
            ++gaps_.back().end;
        } else {
            gaps_.push_back({size(), size() + 1});
        }
    }
    steps_.append(step);
    values_.append(value);
    return back;
}

void MetricColumn::truncate_from(std::int64_t step) {
    truncate(steps_.lower_bound(double(step)));
}

void MetricColumn::truncate(std::size_t size) {
    steps_.truncate(size);
    values_.truncate(size);
    while (!gaps_.empty() && gaps_.back().begin >= size) {
        gaps_.pop_back();
    }
    if (!gaps_.empty()) {
        gaps_.back().end = std::min(gaps_.back().end, size);
    }
}

MinMax MetricColumn::range(double x0, double x1) const {
    return values_.range(steps_.lower_bound(x0), steps_.lower_bound(std::nextafter(x1, INFINITY)));
}

bool MetricSeries::add(MetricId metric, std::int64_t step, float value) {
    if (metric.value() >= columns_.size()) {
        columns_.resize(metric.value() + 1);
    }
    bool back = false;
    if (restarted_) {
        restarted_ = false;
        back = !empty() && double(step) <= last_step();
        for (MetricColumn& column : columns_) {
            column.truncate_from(step);
        }
    }
    return columns_[metric.value()].add(step, value) || back;
}

bool MetricSeries::truncate_from(MetricId metric, std::int64_t step) {
    if (metric.value() >= columns_.size() || columns_[metric.value()].empty() ||
        columns_[metric.value()].steps().last() < step) {
        return false;
    }
    columns_[metric.value()].truncate_from(step);
    return true;
}

void MetricSeries::append(MetricId metric, MetricColumn values) {
    if (metric.value() >= columns_.size()) {
        columns_.resize(metric.value() + 1);
    }
    MetricColumn& column = columns_[metric.value()];
    if (column.empty()) {
        column = std::move(values);
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        column.add(values.steps().at(i), values.at(i));
    }
}

const MetricColumn& MetricSeries::column(MetricId metric) const {
    static const MetricColumn none;
    return metric.value() < columns_.size() ? columns_[metric.value()] : none;
}

bool MetricSeries::empty() const {
    return std::all_of(columns_.begin(), columns_.end(),
                       [](const MetricColumn& column) { return column.empty(); });
}

double MetricSeries::first_step() const {
    double first = std::numeric_limits<double>::infinity();
    for (const MetricColumn& column : columns_) {
        first = column.empty() ? first : std::min(first, double(column.steps().at(0)));
    }
    return first;
}

double MetricSeries::last_step() const {
    double last = 0;
    for (const MetricColumn& column : columns_) {
        last = column.empty() ? last : std::max(last, double(column.steps().last()));
    }
    return last;
}

void decimate(const MetricColumn& column, double x0, double x1, int columns, std::vector<PlotPoint>& out) {
    const double width = (x1 - x0) / columns;
    decimate_at(
        column, x0, x1, columns, [&](int c) { return x0 + c * width; },
        [&](int c) { return x0 + (c + 0.5) * width; }, out);
}

void decimate(const MetricColumn& column, const std::vector<double>& edges, std::vector<PlotPoint>& out) {
    const double x0 = edges.empty() ? 0 : edges.front();
    const double x1 = edges.empty() ? 0 : edges.back();
    const auto edge = [&](int c) { return edges[std::size_t(c)]; };
    // What spans many steps has its value nearer to the first: the middle by their ratio.
    const auto middle = [&](int c) {
        const double low = edge(c);
        const double high = edge(c + 1);
        return low > 0 ? std::sqrt(low * high) : (low + high) / 2;
    };
    decimate_at(column, x0, x1, int(edges.size()) - 1, edge, middle, out);
}

}  // namespace rankscope::gui
