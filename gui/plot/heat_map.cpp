// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/heat_map.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kColors = 129;  ///< odd: the middle one is the median's

QColor blended(const QColor& from, const QColor& to, double share) {
    return QColor::fromRgbF(float(from.redF() + (to.redF() - from.redF()) * share),
                            float(from.greenF() + (to.greenF() - from.greenF()) * share),
                            float(from.blueF() + (to.blueF() - from.blueF()) * share));
}

/// 1, 2, 5, 10, 20 …: a scale that seldom changes.
float rounded_up(float value) {
    if (!(value > 0)) {
        return 0;
    }
    const double unit = std::pow(10.0, std::floor(std::log10(double(value))));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (double(value) <= step * unit) {
            return float(step * unit);
        }
    }
    return float(10 * unit);
}

}  // namespace

HeatMap::HeatMap(QCPAxis* x, QCPAxis* y, const XScale* scale, const RankView* view)
    : QCPAbstractPlottable(x, y), scale_(scale), view_(view) {
    setSelectable(QCP::stNone);
    setAntialiased(false);
}

void HeatMap::set_colors(const ThemeColors& colors) {
    colors_ = colors;
    // Blue and orange differ for colour-blind eyes, and both from the middle by their lightness.
    const QColor below = colors.dark ? QColor(90, 180, 255) : QColor(0, 90, 181);
    const QColor above = colors.dark ? QColor(255, 170, 60) : QColor(214, 94, 0);
    const QColor middle = blended(colors.surface, colors.text, colors.dark ? 0.10 : 0.06);
    palette_.resize(kColors);
    for (int i = 0; i < kColors; ++i) {
        const double away = 2.0 * i / (kColors - 1) - 1;
        const double share = std::pow(std::abs(away), 0.8);
        palette_[std::size_t(i)] = blended(middle, away < 0 ? below : above, share).rgb();
    }
    key_ = {};
}

int HeatMap::rank_at(double y) const {
    return std::clamp(int(std::floor(y + 0.5)), 0, std::max(ranks_ - 1, 0));
}

void HeatMap::paint_column(int x, const GridColumn& column) {
    const int rows = image_.height();
    const float median = column.point.median;
    const float unit = end_ > 0 ? float(kColors / 2) / end_ : 0;
    for (int row = 0; row < rows; ++row) {
        const int first = int(std::int64_t(row) * ranks_ / rows);
        const int last = std::max(int(std::int64_t(row + 1) * ranks_ / rows), first + 1);
        float away = 0;
        bool any = false;
        for (int rank = first; rank < std::min(last, int(column.values.size())); ++rank) {
            const float distance = column.values[std::size_t(rank)] - median;
            if (std::isfinite(distance)) {
                any = true;
                away = std::abs(distance) > std::abs(away) ? distance : away;
            }
        }
        QRgb color = qRgba(0, 0, 0, 0);
        if (any) {
            const float place = std::clamp(away * unit, float(-kColors / 2), float(kColors / 2));
            color = palette_[std::size_t(kColors / 2 + int(std::lround(place)))];
        }
        reinterpret_cast<QRgb*>(image_.scanLine(row))[x] = color;
    }
}

void HeatMap::prepare(int rows) {
    const GridView view = view_->shown();
    const Key key{view, view_->grid().revision(), std::clamp(std::min(rows, ranks_), 1, 4096), ranks_,
                  colors_.dark};
    if (key == key_ || palette_.empty()) {
        return;
    }
    std::vector<float> spreads;
    const auto& columns = view_->grid().columns();
    const auto begin = columns.lower_bound(view.begin);
    const auto end = columns.lower_bound(view.end);
    for (auto at = begin; at != end; ++at) {
        if (at->second.point.ranks > 0) {
            spreads.push_back(at->second.spread);
        }
    }
    const float scale_end = spreads.empty() ? 0 : rounded_up(quantile(spreads, 0.75));
    Key same = key;
    same.revision = key_.revision;
    const bool only_new = same == key_ && scale_end == end_;
    end_ = scale_end;
    const int width = int(std::clamp<std::int64_t>(view.end - view.begin, 1, 4096));
    if (!only_new) {
        image_ = QImage(width, key.rows, QImage::Format_ARGB32_Premultiplied);
        image_.fill(Qt::transparent);
    }
    for (auto at = begin; at != end; ++at) {
        const std::int64_t x = at->first - view.begin;
        const bool paint = !only_new || at->second.revision > key_.revision;
        if (paint && x >= 0 && x < width && at->second.point.ranks > 0) {
            paint_column(int(x), at->second);
        }
    }
    key_ = key;
}

void HeatMap::draw(QCPPainter* painter) {
    const QRect box = keyAxis()->axisRect()->rect();
    const double top = valueAxis()->coordToPixel(-0.5);
    const double bottom = valueAxis()->coordToPixel(ranks_ - 0.5);
    prepare(int(std::abs(bottom - top)));
    const GridView& view = key_.view;
    if (view.empty() || ranks_ == 0) {
        return;
    }
    const auto left_of = [&](std::int64_t bucket) {
        const double step = double(view.first_step(bucket)) - 0.5;
        return keyAxis()->coordToPixel(scale_->of_step(step));
    };
    painter->setAntialiasing(false);
    if (scale_->unit() == XUnit::Step || scale_->unit() == XUnit::Epoch) {
        painter->drawImage(QRectF(QPointF(left_of(view.begin), top), QPointF(left_of(view.end), bottom)),
                           image_);
    } else {
        for (int x = 0; x < image_.width(); ++x) {  // time does not pass evenly
            const double left = left_of(view.begin + x);
            const double right = std::max(left_of(view.begin + x + 1), left + 1);
            painter->drawImage(QRectF(QPointF(left, top), QPointF(right, bottom)), image_,
                               QRectF(x, 0, 1, image_.height()));
        }
    }
    painter->setPen(QPen(colors_.text, 1));
    painter->setBrush(colors_.text);
    painter->setAntialiasing(true);
    for (const int rank : selected_) {
        const double y = valueAxis()->coordToPixel(rank);
        if (y < box.top() || y > box.bottom()) {
            continue;
        }
        for (const int side : {1, -1}) {
            const double edge = side > 0 ? box.left() : box.right();
            painter->drawPolygon(QPolygonF{{edge, y - 4}, {edge + side * 6, y}, {edge, y + 4}});
        }
    }
}

std::optional<HeatMap::Cell> HeatMap::cell_at(const QPointF& place) const {
    const QRectF box(keyAxis()->axisRect()->rect());
    if (!box.contains(place) || ranks_ == 0) {
        return {};
    }
    const double y = valueAxis()->pixelToCoord(place.y());
    const double step = scale_->step_at(keyAxis()->pixelToCoord(place.x()));
    const GridView view = view_->shown();
    if (y < -0.5 || y > ranks_ - 0.5 || view.empty()) {
        return {};
    }
    const auto bucket = std::int64_t(std::floor((step + 0.5) / double(view.first_step(1))));
    const auto found = view_->grid().columns().find(bucket);
    if (found == view_->grid().columns().end()) {
        return {};
    }
    // Of the ranks under the pixel, the one that is seen there.
    const GridColumn& column = found->second;
    const double half = std::abs(valueAxis()->pixelToCoord(place.y() + 0.5) - y);
    int best = -1;
    for (int rank = rank_at(y - half); rank <= rank_at(y + half) && rank < int(column.values.size());
         ++rank) {
        const auto away = [&](int at) {
            return std::abs(column.values[std::size_t(at)] - column.point.median);
        };
        if (std::isfinite(column.values[std::size_t(rank)]) && (best < 0 || away(rank) > away(best))) {
            best = rank;
        }
    }
    if (best < 0) {
        return {};
    }
    return Cell{best, double(view.first_step(bucket)), double(view.first_step(bucket + 1) - 1),
                column.values[std::size_t(best)], column.point.median};
}

QCPRange HeatMap::getKeyRange(bool& found, QCP::SignDomain) const {
    const auto& points = view_->points();
    found = !points.empty();
    return found ? QCPRange(scale_->of_step(points.front().x), scale_->of_step(points.back().x)) : QCPRange();
}

QCPRange HeatMap::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = ranks_ > 0;
    return QCPRange(-0.5, std::max(ranks_, 1) - 0.5);
}

void HeatMap::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->fillRect(rect, colors_.accent);
}

}  // namespace rankscope::gui
