// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What is under the mouse: values at a step, the rank of a line, texts of marks.

#include <gui/plot/metric_panel.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kHoverRanks = 8;
constexpr std::size_t kCursorRanks = 3;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(MetricPlot)
};

}  // namespace

void MetricPanel::set_cursor(double x, bool visible) {
    cursor_->setVisible(visible);
    cursor_->set_place(x);
    cursor_->set_values(visible && !note_->visible() ? values_beside_cursor(x)
                                                     : std::vector<CursorLine::Value>());
}

std::optional<double> MetricPanel::median_at(double step) const {
    if (banded_ || draws_heat_map()) {
        const auto& points = view_.points();
        const auto point = std::lower_bound(points.begin(), points.end(), step,
                                            [](const AggregatePoint& a, double x) { return a.x < x; });
        return point == points.end() ? std::nullopt : std::optional(double(point->median));
    }
    std::vector<float> values;
    for (const SeriesPlottable* line : lines_) {
        const MetricColumn& column = line->column();
        const std::size_t i = column.steps().lower_bound(step);
        if (i < column.size() && std::isfinite(column.at(i))) {
            values.push_back(column.at(i));
        }
    }
    return values.empty() ? std::nullopt : std::optional(double(quantile(values, 0.5)));
}

std::vector<CursorLine::Value> MetricPanel::values_beside_cursor(double x) const {
    std::vector<CursorLine::Value> values;
    if (!values_.single) {
        for (const int rank : look_.selected) {
            const MetricColumn& column = values_.column(rank);
            const std::size_t i = column.steps().lower_bound(std::round(scale_->step_at(x, rank)));
            if (i < column.size() && values.size() < kCursorRanks) {
                values.push_back({Words::tr("rank %1: %2").arg(rank).arg(value_text(double(column.at(i)))),
                                  rank_color(rank, look_.colors.dark)});
            }
        }
    }
    if (values.empty()) {
        if (const auto median = median_at(std::round(scale_->step_at(x)))) {
            const QString text = value_text(*median);
            values.push_back({reporting_ > 1 ? Words::tr("median %1").arg(text) : text, look_.colors.text});
        }
    }
    return values;
}

QStringList MetricPanel::values_at(double step) const {
    QStringList lines;
    const auto value = [&](float number) { return value_text(double(number)); };
    if (banded_) {
        const auto& points = view_.points();
        const auto point = std::lower_bound(points.begin(), points.end(), step,
                                            [](const AggregatePoint& a, double x) { return a.x < x; });
        if (point != points.end()) {
            lines += Words::tr("median %1").arg(value(point->median));
            lines += Words::tr("p10–p90 %1 – %2").arg(value(point->p10), value(point->p90));
            lines += Words::tr("min–max %1 – %2").arg(value(point->min), value(point->max));
        }
    }
    int shown = 0;
    for (const SeriesPlottable* line : lines_) {
        const MetricColumn& column = line->column();
        const double of_rank = scale_->is_timed() && !values_.single
                                   ? std::round(scale_->step_at(scale_->of_step(step), line->rank()))
                                   : step;  // at that time
        const std::size_t i = column.steps().lower_bound(of_rank);
        if (i < column.size() && shown < kHoverRanks) {
            lines += values_.single ? value(column.at(i))
                                    : Words::tr("rank %1: %2").arg(line->rank()).arg(value(column.at(i)));
            ++shown;
        }
    }
    return lines;
}

QStringList MetricPanel::texts_at(const QPointF& place) const {
    QStringList lines = chips_->hidden_at(place);
    if (formula_ && !settings_.title.empty() && title_rect().contains(place.toPoint())) {
        lines += qs(name_.substr(1));
    }
    if (!rect_->rect().contains(place.toPoint())) {
        return lines;
    }
    if (const auto cell = draws_heat_map() ? heat_->cell_at(place) : std::nullopt) {
        lines += Words::tr("rank %1: %2").arg(cell->rank).arg(value_text(double(cell->value)));
        lines += Words::tr("median %1").arg(value_text(double(cell->median)));
    }
    if (const QString moment = moment_->text_at(place.x()); !moment.isEmpty()) {
        lines += moment;
    }
    return lines + marks_->texts_at(place.x());
}

std::optional<int> MetricPanel::rank_at(const QPointF& place) const {
    constexpr double kNear = 6;
    if (const int rank = chips_->rank_at(place); rank >= 0) {
        return rank;
    }
    if (!rect_->rect().contains(place.toPoint()) || values_.single) {
        return {};
    }
    if (draws_heat_map()) {
        const auto cell = heat_->cell_at(place);
        return cell ? std::optional(cell->rank) : std::nullopt;
    }
    std::optional<int> rank;
    double nearest = kNear;
    for (SeriesPlottable* line : lines_) {
        if (const double distance = line->distance(place); distance < nearest) {
            nearest = distance;
            rank = line->rank();
        }
    }
    return rank;
}

}  // namespace rankscope::gui
