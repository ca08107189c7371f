// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/series_plottables.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kBandBuckets = 300;    ///< across the picture: as many as an eye can use in a filled band
constexpr std::size_t kDense = 600;  ///< points from which on antialiasing is left out

constexpr std::size_t kMostMarks = 200;  ///< crosses in one plottable
constexpr double kRawAlpha = 0.28;       ///< of the values behind their average

/// Crosses where values are not finite, and a line along the upper edge as long as that lasts.
void draw_gaps(QCPPainter* painter, const QCPAxis* x, const MetricColumn& column, const QColor& color,
               std::size_t& left) {
    const QRect box = x->axisRect()->rect();
    const QCPRange range = x->range();
    const double top = box.top() + 5.0;
    painter->setAntialiasing(true);
    painter->setPen(QPen(color, 1.5));
    for (const MetricColumn::Gap& gap : column.gaps()) {
        const auto first = double(column.steps().at(gap.begin));
        const auto last = double(column.steps().at(gap.end - 1));
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

SeriesPlottable::SeriesPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, MetricId metric, int rank)
    : QCPAbstractPlottable(x, y), live_(live), metric_(metric), rank_(rank) {
    setSelectable(QCP::stNone);
}

const MetricColumn& SeriesPlottable::column() const {
    static const MetricColumn none;
    const auto& series = live_->data().series;
    return rank_ < int(series.size()) ? series[std::size_t(rank_)].column(metric_) : none;
}

void SeriesPlottable::set_smoothing(double alpha) {
    smoothing_ = alpha;
    prepared_ = {};
}

void SeriesPlottable::prepare(double x0, double x1) {
    const Key key{x0, x1, std::max(keyAxis()->axisRect()->width(), 2), live_->data().events};
    if (key == prepared_) {
        return;
    }
    prepared_ = key;
    decimate(column(), x0, x1, key.pixels, points_);
    smoothed_.clear();
    if (smoothing_ > 0) {
        smoothed_ = points_;
        smooth(smoothed_, smoothing_);
    }
}

MinMax SeriesPlottable::range(double x0, double x1) {
    if (smoothing_ <= 0) {
        return column().range(x0, x1);
    }
    prepare(x0, x1);
    MinMax range;
    for (const PlotPoint& point : smoothed_) {
        range.add(float(point.y));
    }
    return range;
}

QCPRange SeriesPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
    const StepAxis& steps = column().steps();
    found = !steps.empty();
    return found ? QCPRange(double(steps.at(0)), double(steps.last())) : QCPRange();
}

QCPRange SeriesPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange& keys) const {
    const QCPRange asked = keys == QCPRange() ? getKeyRange(found, QCP::sdBoth) : keys;
    const MinMax range = column().range(asked.lower, asked.upper);
    found = !range.empty();
    return found ? QCPRange(double(range.min), double(range.max)) : QCPRange();
}

void SeriesPlottable::draw_line(QCPPainter* painter, const std::vector<PlotPoint>& points,
                                const QColor& color) {
    painter->setAntialiasing(points.size() < kDense);
    QPen pen = mPen;
    pen.setColor(color);
    painter->setPen(pen);
    const auto flush = [&] {
        if (pixels_.size() == 1) {
            painter->setBrush(color);
            painter->drawEllipse(pixels_.first(), 2, 2);
        } else if (!pixels_.isEmpty()) {
            painter->setBrush(Qt::NoBrush);
            painter->drawPolyline(pixels_.constData(), int(pixels_.size()));
        }
        pixels_.resize(0);
    };
    pixels_.resize(0);
    pixels_.reserve(qsizetype(points.size()));
    for (const PlotPoint& point : points) {
        if (std::isfinite(point.y)) {
            pixels_.push_back(coordsToPixels(point.x, point.y));
        } else {
            flush();
        }
    }
    flush();
}

void SeriesPlottable::draw(QCPPainter* painter) {
    const QCPRange range = keyAxis()->range();
    prepare(range.lower, range.upper);
    if (smoothed_.empty()) {
        draw_line(painter, points_, mPen.color());
    } else {
        QColor faded = mPen.color();
        faded.setAlphaF(float(faded.alphaF() * kRawAlpha));
        draw_line(painter, points_, faded);
        draw_line(painter, smoothed_, mPen.color());
    }
    std::size_t marks = kMostMarks;
    draw_gaps(painter, keyAxis(), column(), mark_, marks);
}

void SeriesPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->setPen(mPen);
    painter->drawLine(QLineF(rect.left(), rect.center().y(), rect.right(), rect.center().y()));
}

BandPlottable::BandPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, MetricId metric)
    : QCPAbstractPlottable(x, y), live_(live), metric_(metric), aggregate_(metric) {
    setSelectable(QCP::stNone);
}

MinMax BandPlottable::update(double x0, double x1) {
    aggregate_.query(live_->data().series, x0, x1, kBandBuckets, points_);
    MinMax range;
    for (const AggregatePoint& point : points_) {
        range.add(point.min);
        range.add(point.max);
    }
    return range;
}

QCPRange BandPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
    found = !points_.empty();
    return found ? QCPRange(points_.front().x, points_.back().x) : QCPRange();
}

QCPRange BandPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    MinMax range;
    for (const AggregatePoint& point : points_) {
        range.add(point.min);
        range.add(point.max);
    }
    found = !range.empty();
    return found ? QCPRange(double(range.min), double(range.max)) : QCPRange();
}

void BandPlottable::draw_band(QCPPainter* painter, float AggregatePoint::*low, float AggregatePoint::*high,
                              const QColor& color) {
    QPolygonF area;
    area.reserve(qsizetype(points_.size()) * 2);
    for (const AggregatePoint& point : points_) {
        area << coordsToPixels(point.x, double(point.*high));
    }
    for (auto point = points_.rbegin(); point != points_.rend(); ++point) {
        area << coordsToPixels(point->x, double((*point).*low));
    }
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    painter->drawPolygon(area);
}

void BandPlottable::draw(QCPPainter* painter) {
    std::size_t marks = kMostMarks;
    for (const MetricSeries& rank : live_->data().series) {
        if (const MetricColumn& column = rank.column(metric_); !column.gaps().empty()) {
            draw_gaps(painter, keyAxis(), column, colors_.mark, marks);
        }
    }
    if (points_.empty()) {
        return;
    }
    painter->setAntialiasing(true);
    draw_band(painter, &AggregatePoint::min, &AggregatePoint::max, colors_.wide);
    draw_band(painter, &AggregatePoint::p10, &AggregatePoint::p90, colors_.narrow);
    QVector<QPointF> median;
    median.reserve(qsizetype(points_.size()));
    for (const AggregatePoint& point : points_) {
        median << coordsToPixels(point.x, double(point.median));
    }
    painter->setPen(QPen(colors_.median, 1.6));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolyline(median.constData(), int(median.size()));
}

void BandPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->fillRect(rect, colors_.narrow);
}

}  // namespace rankscope::gui
