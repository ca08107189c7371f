// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/series_plottables.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kBandBuckets = 300;    ///< across the picture: as many as an eye can use in a filled band
constexpr std::size_t kDense = 600;  ///< points from which on antialiasing is left out

}  // namespace

void smooth(std::vector<PlotPoint>& points, double alpha) {
    if (alpha <= 0 || points.empty()) {
        return;
    }
    // A dense column is its minimum and maximum: their middle stands for it.
    std::size_t kept = 0;
    for (const PlotPoint& point : points) {
        if (kept > 0 && points[kept - 1].x == point.x) {
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
        const double weight = std::pow(keep, point.x - x);
        value = weight * value + (1 - weight) * point.y;
        x = point.x;
        point.y = value;
    }
}

SeriesPlottable::SeriesPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, Metric metric, int rank)
    : QCPAbstractPlottable(x, y), live_(live), metric_(metric), rank_(rank) {
    setSelectable(QCP::stNone);
}

QCPRange SeriesPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
    const auto& series = live_->data().series;
    found = rank_ < int(series.size()) && !series[std::size_t(rank_)].empty();
    if (!found) {
        return {};
    }
    const StepAxis& steps = series[std::size_t(rank_)].steps();
    return {double(steps.at(0)), double(steps.last())};
}

QCPRange SeriesPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange& keys) const {
    const auto& series = live_->data().series;
    found = false;
    if (rank_ >= int(series.size())) {
        return {};
    }
    const QCPRange asked = keys == QCPRange() ? getKeyRange(found, QCP::sdBoth) : keys;
    const MinMax range = series[std::size_t(rank_)].range(metric_, asked.lower, asked.upper);
    found = !range.empty();
    return found ? QCPRange(double(range.min), double(range.max)) : QCPRange();
}

void SeriesPlottable::draw(QCPPainter* painter) {
    const auto& series = live_->data().series;
    if (rank_ >= int(series.size())) {
        return;
    }
    const QCPRange range = keyAxis()->range();
    const int columns = std::max(keyAxis()->axisRect()->width(), 2);
    decimate(series[std::size_t(rank_)], metric_, range.lower, range.upper, columns, points_);
    if (points_.empty()) {
        return;
    }
    smooth(points_, smoothing_);
    pixels_.resize(qsizetype(points_.size()));
    for (std::size_t i = 0; i < points_.size(); ++i) {
        pixels_[qsizetype(i)] = coordsToPixels(points_[i].x, points_[i].y);
    }
    painter->setAntialiasing(points_.size() < kDense);
    painter->setPen(mPen);
    painter->setBrush(Qt::NoBrush);
    if (pixels_.size() == 1) {
        painter->setBrush(mPen.color());
        painter->drawEllipse(pixels_.first(), 2, 2);
    } else {
        painter->drawPolyline(pixels_.constData(), int(pixels_.size()));
    }
}

void SeriesPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->setPen(mPen);
    painter->drawLine(QLineF(rect.left(), rect.center().y(), rect.right(), rect.center().y()));
}

BandPlottable::BandPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, Metric metric)
    : QCPAbstractPlottable(x, y), live_(live), aggregate_(metric) {
    setSelectable(QCP::stNone);
}

void BandPlottable::set_colors(const QColor& wide, const QColor& narrow, const QColor& median) {
    wide_ = wide;
    narrow_ = narrow;
    median_ = median;
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
    if (points_.empty()) {
        return;
    }
    painter->setAntialiasing(true);
    draw_band(painter, &AggregatePoint::min, &AggregatePoint::max, wide_);
    draw_band(painter, &AggregatePoint::p10, &AggregatePoint::p90, narrow_);
    QVector<QPointF> median;
    median.reserve(qsizetype(points_.size()));
    for (const AggregatePoint& point : points_) {
        median << coordsToPixels(point.x, double(point.median));
    }
    painter->setPen(QPen(median_, 1.6));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolyline(median.constData(), int(median.size()));
}

void BandPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->fillRect(rect, narrow_);
}

}  // namespace rankscope::gui
