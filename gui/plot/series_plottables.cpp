// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/series_plottables.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr std::size_t kDense = 600;  ///< points from which on antialiasing is left out

constexpr std::size_t kMostMarks = 200;  ///< crosses in one plottable
constexpr double kRawAlpha = 0.28;       ///< of the values behind their average
constexpr double kMedianWidth = 1.6;     ///< pixels

/// Crosses where values are not finite, and a line along the upper edge as long as that lasts.
void draw_gaps(QCPPainter* painter, const QCPAxis* x, const XScale& scale, const MetricColumn& column,
               int rank, const QColor& color, std::size_t& left) {
    const QRect box = x->axisRect()->rect();
    const QCPRange range = x->range();
    const double top = box.top() + 5.0;
    painter->setAntialiasing(true);
    painter->setPen(QPen(color, 1.5));
    for (const MetricColumn::Gap& gap : column.gaps()) {
        const double first = scale.of_step(double(column.steps().at(gap.begin)), rank);
        const double last = scale.of_step(double(column.steps().at(gap.end - 1)), rank);
        if (last < range.lower || first > range.upper || left == 0) {
            continue;
        }
        --left;
        const double begin = std::max(x->coordToPixel(first), double(box.left()) + 3);
        const double end = std::min(x->coordToPixel(last), double(box.right()) - 3);
        painter->drawLine(QLineF(begin - 3, top - 3, begin + 3, top + 3));
        painter->drawLine(QLineF(begin - 3, top + 3, begin + 3, top - 3));
        if (end > begin + 4) {
            painter->drawLine(QLineF(begin + 4, top, end, top));
        }
    }
}

}  // namespace

void smooth(std::vector<PlotPoint>& points, double alpha) {
    if (alpha <= 0 || points.empty()) {
        return;
    }
    // A dense pixel column is its minimum and maximum: their middle stands for it.
    std::size_t kept = 0;
    for (const PlotPoint& point : points) {
        if (kept > 0 && points[kept - 1].x == point.x && std::isfinite(points[kept - 1].y) &&
            std::isfinite(point.y)) {
            points[kept - 1].y = (points[kept - 1].y + point.y) / 2;
        } else {
            points[kept++] = point;
        }
    }
    points.resize(kept);
    // Weighted by the distance in steps, so that the picture does not depend on how many points stand for it.
    const double keep = std::clamp(alpha, 0.0, 0.999);
    double value = points.front().y;
    double x = points.front().x;
    for (PlotPoint& point : points) {
        if (!std::isfinite(point.y)) {
            continue;
        }
        const double weight = std::isfinite(value) ? std::pow(keep, point.x - x) : 0;
        value = weight > 0 ? weight * value + (1 - weight) * point.y : point.y;
        x = point.x;
        point.y = value;
    }
}

std::pair<double, double> steps_in_view(const QCPAxis* x, const XScale& scale, int rank) {
    return {scale.step_at(x->range().lower, rank), scale.step_at(x->range().upper, rank)};
}

SeriesPlottable::SeriesPlottable(QCPAxis* x, QCPAxis* y, const PanelValues* values, const XScale* scale,
                                 int rank)
    : PanelPlottable(x, y), values_(values), scale_(scale), rank_(rank) {}

void SeriesPlottable::set_smoothing(double alpha) {
    smoothing_ = alpha;
    prepared_ = {};
}

std::vector<double> SeriesPlottable::pixel_edges(double first, double last, int pixels) const {
    std::vector<double> edges;
    edges.reserve(std::size_t(pixels) + 1);
    const double lower = scale_->of_step(first, whose());
    const double width = (scale_->of_step(last, whose()) - lower) / pixels;
    for (int pixel = 0; pixel <= pixels; ++pixel) {
        edges.push_back(scale_->step_at(lower + pixel * width, whose()));
    }
    return edges;
}

void SeriesPlottable::prepare(double first, double last) {
    const Key key{first, last, std::max(keyAxis()->axisRect()->width(), 2), *values_->revision,
                  scale_->is_log()};
    if (key == prepared_) {
        return;
    }
    prepared_ = key;
    if (key.log) {
        decimate(column(), pixel_edges(first, last, key.pixels), points_);
        // What has no place on the axis would be a line from far away.
        const auto there = [&](const PlotPoint& point) {
            return scale_->value_of_step(point.x, whose()) > 0;
        };
        points_.erase(points_.begin(), std::find_if(points_.begin(), points_.end(), there));
    } else {
        decimate(column(), first, last, key.pixels, points_);
    }
    smoothed_.clear();
    if (smoothing_ > 0) {
        smoothed_ = points_;
        smooth(smoothed_, smoothing_);
    }
}

MinMax SeriesPlottable::range(double first, double last, bool positive) {
    if (smoothing_ <= 0 && !positive) {
        return column().range(first, last);
    }
    prepare(first, last);
    MinMax range;
    for (const PlotPoint& point : smoothing_ > 0 ? smoothed_ : points_) {
        if (!positive || point.y > 0) {
            range.add(float(point.y));
        }
    }
    return range;
}

double SeriesPlottable::distance(const QPointF& place) {
    constexpr double kNear = 12;
    const auto [first, last] = steps_in_view(keyAxis(), *scale_, whose());
    prepare(first, last);
    double nearest = std::numeric_limits<double>::infinity();
    QPointF before;
    bool joined = false;
    for (const PlotPoint& point : smoothing_ > 0 ? smoothed_ : points_) {
        if (!std::isfinite(point.y)) {
            joined = false;
            continue;
        }
        const QPointF at = coordsToPixels(scale_->of_step(point.x, whose()), point.y);
        if (at.x() > place.x() + kNear && before.x() > place.x() + kNear) {
            break;
        }
        const QPointF along = joined ? at - before : QPointF();
        const double length = QPointF::dotProduct(along, along);
        const double share =
            length > 0 ? std::clamp(QPointF::dotProduct(place - before, along) / length, 0.0, 1.0) : 0;
        const QPointF away = place - (length > 0 ? before + share * along : at);
        nearest = std::min(nearest, std::hypot(away.x(), away.y()));
        before = at;
        joined = true;
    }
    return nearest;
}

CurveStroke SeriesPlottable::stroke(const std::vector<PlotPoint>& points, const QColor& color) const {
    CurveStroke stroke{{}, color, mPen.widthF(), points.size() < kDense};
    stroke.points.reserve(qsizetype(points.size()));
    for (const PlotPoint& point : points) {
        stroke.points << coordsToPixels(scale_->of_step(point.x, whose()), point.y);
    }
    return stroke;
}

void SeriesPlottable::add_to(CurveShape& shape) {
    const auto [first, last] = steps_in_view(keyAxis(), *scale_, whose());
    prepare(first, last);
    if (smoothed_.empty()) {
        shape.strokes.push_back(stroke(points_, mPen.color()));
    } else {
        QColor faded = mPen.color();
        faded.setAlphaF(float(faded.alphaF() * kRawAlpha));
        shape.strokes.push_back(stroke(points_, faded));
        shape.strokes.push_back(stroke(smoothed_, mPen.color()));
    }
}

void SeriesPlottable::draw(QCPPainter* painter) {
    if (!is_screen(*painter)) {
        CurveShape shape;
        add_to(shape);
        paint(shape, painter);
    }
    std::size_t marks = kMostMarks;
    draw_gaps(painter, keyAxis(), *scale_, column(), whose(), mark_, marks);
}

BandPlottable::BandPlottable(QCPAxis* x, QCPAxis* y, const PanelValues* values, const XScale* scale,
                             const RankView* view)
    : PanelPlottable(x, y), values_(values), scale_(scale), view_(view) {}

MinMax BandPlottable::range(bool positive) const {
    MinMax range;
    for (const AggregatePoint& point : view_->points()) {
        for (const float value : {point.min, point.p10, point.median, point.max}) {
            if (!positive || value > 0) {
                range.add(value);
            }
        }
    }
    return range;
}

void BandPlottable::set_smoothing(double alpha) {
    smoothing_ = alpha;
}

bool BandPlottable::has_place(const AggregatePoint& point) const {
    return !scale_->is_log() || scale_->value_of_step(point.x) > 0;
}

QPolygonF BandPlottable::smoothed_median() const {
    std::vector<PlotPoint> points;
    points.reserve(view_->points().size());
    for (const AggregatePoint& point : view_->points()) {
        if (has_place(point)) {
            points.push_back({point.x, double(point.median)});
        }
    }
    smooth(points, smoothing_);
    QPolygonF line;
    line.reserve(qsizetype(points.size()));
    for (const PlotPoint& point : points) {
        line << coordsToPixels(scale_->of_step(point.x), point.y);
    }
    return line;
}

QPolygonF BandPlottable::line(float AggregatePoint::*value) const {
    QPolygonF line;
    line.reserve(qsizetype(view_->points().size()));
    for (const AggregatePoint& point : view_->points()) {
        if (has_place(point)) {
            line << coordsToPixels(scale_->of_step(point.x), double(point.*value));
        }
    }
    return line;
}

void BandPlottable::add_to(CurveShape& shape) {
    if (view_->points().empty()) {
        return;
    }
    shape.fills.push_back({line(&AggregatePoint::max), line(&AggregatePoint::min), colors_.wide});
    shape.fills.push_back({line(&AggregatePoint::p90), line(&AggregatePoint::p10), colors_.narrow});
    if (smoothing_ <= 0) {
        shape.strokes.push_back({line(&AggregatePoint::median), colors_.median, kMedianWidth, true});
        return;
    }
    QColor faded = colors_.median;
    faded.setAlphaF(float(faded.alphaF() * kRawAlpha));
    shape.strokes.push_back({line(&AggregatePoint::median), faded, 1, true});
    shape.strokes.push_back({smoothed_median(), colors_.median, kMedianWidth, true});
}

void BandPlottable::draw(QCPPainter* painter) {
    std::size_t marks = kMostMarks;
    for (const MetricSeries& rank : *values_->ranks) {
        if (const MetricColumn& column = rank.column(values_->metric); !column.gaps().empty()) {
            draw_gaps(painter, keyAxis(), *scale_, column, -1, colors_.mark, marks);
        }
    }
    if (!is_screen(*painter)) {
        CurveShape shape;
        add_to(shape);
        paint(shape, painter);
    }
}

}  // namespace rankscope::gui
