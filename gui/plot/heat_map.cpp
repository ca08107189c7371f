// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/heat_map.h>
#include <gui/style/contrast.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kColors = 129;                ///< odd: the middle one is the median's
constexpr std::int64_t kRoom = 64;          ///< buckets: the image is as wide as the next multiple
constexpr std::int64_t kMostWidth = 4096;   ///< pixels
constexpr std::size_t kAtOnce = 32 * 1024;  ///< cells: a tenth of a millisecond

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

bool HeatKey::same_place(const HeatKey& other) const {
    return view.buckets == other.view.buckets && view.begin == other.view.begin && width == other.width &&
           rows == other.rows && ranks == other.ranks && scale_end == other.scale_end &&
           palette == other.palette;
}

void paint_heat_column(HeatImage& target, std::int64_t bucket, const GridColumn& column) {
    const HeatKey& key = target.key;
    const std::int64_t x = bucket - key.view.begin;
    if (target.image.isNull() || x < 0 || x >= key.width) {
        return;
    }
    const std::vector<float>& values = *column.values;
    const float median = column.point.median;
    const int middle = int(key.palette.size() / 2);
    const float unit = key.scale_end > 0 ? float(middle) / key.scale_end : 0;
    for (int row = 0; row < key.rows; ++row) {
        const int first = int(std::int64_t(row) * key.ranks / key.rows);
        const int last = std::max(int(std::int64_t(row + 1) * key.ranks / key.rows), first + 1);
        float away = 0;
        bool any = false;
        for (int rank = first; rank < std::min(last, int(values.size())); ++rank) {
            const float distance = values[std::size_t(rank)] - median;
            if (std::isfinite(distance)) {
                any = true;
                away = std::abs(distance) > std::abs(away) ? distance : away;
            }
        }
        QRgb color = qRgba(0, 0, 0, 0);
        if (any) {
            const float place = std::clamp(away * unit, float(-middle), float(middle));
            color = key.palette[std::size_t(middle + int(std::lround(place)))];
        }
        reinterpret_cast<QRgb*>(target.image.scanLine(row))[x] = color;
    }
}

HeatImage paint_heat(const HeatRequest& request) {
    HeatImage painted{request.key,
                      QImage(request.key.width, request.key.rows, QImage::Format_ARGB32_Premultiplied)};
    painted.image.fill(Qt::transparent);
    for (const auto& [bucket, column] : request.columns) {
        paint_heat_column(painted, bucket, column);
    }
    return painted;
}

HeatMap::HeatMap(QCPAxis* x, QCPAxis* y, const XScale* scale, const RankView* view, QThreadPool* pool)
    : PanelPlottable(x, y),
      scale_(scale),
      view_(view),
      job_(this, pool, &paint_heat, [this](HeatImage image) {
          last_ = std::move(image);
          emit painted();
      }) {
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
}

int HeatMap::rank_at(double y) const {
    return std::clamp(int(std::floor(y + 0.5)), 0, std::max(ranks_ - 1, 0));
}

std::optional<HeatKey> HeatMap::key_for(int rows) {
    const GridView view = view_->shown();
    const std::uint64_t revision = view_->grid().revision();
    if (view.empty() || ranks_ == 0 || palette_.empty()) {
        return {};
    }
    if (scaled_ != revision || scaled_view_ != view) {
        std::vector<float> spreads;
        const auto& columns = view_->grid().columns();
        for (auto at = columns.lower_bound(view.begin); at != columns.end() && at->first < view.end; ++at) {
            if (at->second.point.ranks > 0) {
                spreads.push_back(at->second.spread);
            }
        }
        scale_end_ = spreads.empty() ? 0 : rounded_up(quantile(spreads, 0.75));
        scaled_ = revision;
        scaled_view_ = view;
    }
    const std::int64_t width = (view.end - view.begin + kRoom - 1) / kRoom * kRoom;
    return HeatKey{view,
                   int(std::min(width, kMostWidth)),
                   std::clamp(std::min(rows, ranks_), 1, 4096),
                   ranks_,
                   scale_end_,
                   palette_,
                   revision};
}

// As a rule only the last columns are new: the steps that have come.
bool HeatMap::paint_new_columns(const HeatKey& key) {
    const auto& columns = view_->grid().columns();
    std::vector<std::map<std::int64_t, GridColumn>::const_iterator> changed;
    for (auto at = columns.lower_bound(key.view.begin); at != columns.end() && at->first < key.view.end;
         ++at) {
        if (at->second.revision > last_.key.revision) {
            changed.push_back(at);
        }
    }
    if (!at_once_ && changed.size() * std::size_t(key.ranks) > kAtOnce) {
        return false;
    }
    last_.key = key;
    for (const auto& at : changed) {
        paint_heat_column(last_, at->first, at->second);
    }
    return true;
}

void HeatMap::paint_all(const HeatKey& key) {
    const bool at_once =
        at_once_ || last_.image.isNull() || std::size_t(key.width) * std::size_t(key.ranks) <= kAtOnce;
    if (!at_once && job_.running() && asked_.same_place(key)) {
        return;  // what is new since then is painted at once
    }
    HeatRequest request{key, {}};
    const auto& columns = view_->grid().columns();
    for (auto at = columns.lower_bound(key.view.begin); at != columns.end() && at->first < key.view.end;
         ++at) {
        request.columns.emplace_back(*at);
    }
    if (at_once) {
        job_.cancel();
        last_ = paint_heat(request);
    } else {
        asked_ = key;
        job_.request(std::move(request));
    }
}

void HeatMap::prepare(int rows) {
    const std::optional<HeatKey> key = key_for(rows);
    if (!key) {
        job_.cancel();
        last_ = {};
    } else if (*key != last_.key && !(key->same_place(last_.key) && paint_new_columns(*key))) {
        paint_all(*key);
    }
}

void HeatMap::draw_image(QCPPainter* painter) const {
    const GridView& view = last_.key.view;
    const auto left_of = [&](std::int64_t bucket) {
        const double step = double(view.first_step(bucket)) - 0.5;
        return keyAxis()->coordToPixel(scale_->of_step(step));
    };
    const double top = valueAxis()->coordToPixel(-0.5);
    const double bottom = valueAxis()->coordToPixel(last_.key.ranks - 0.5);
    const int width = int(std::min<std::int64_t>(view.end - view.begin, last_.key.width));
    const double height = last_.image.height();
    const bool even = scale_->unit() == XUnit::Step || scale_->unit() == XUnit::Epoch;
    if (even && !scale_->is_log()) {
        painter->drawImage(QRectF(QPointF(left_of(view.begin), top), QPointF(left_of(view.end), bottom)),
                           last_.image, QRectF(0, 0, width, height));
        return;
    }
    for (int x = 0; x < width; ++x) {
        // Whole pixels: between parts of them the background is seen.
        const double left = std::floor(left_of(view.begin + x));
        const double right = std::max(std::ceil(left_of(view.begin + x + 1)), left + 1);
        painter->drawImage(QRectF(QPointF(left, top), QPointF(right, bottom)), last_.image,
                           QRectF(x, 0, 1, height));
    }
}

void HeatMap::draw(QCPPainter* painter) {
    const QRect box = keyAxis()->axisRect()->rect();
    prepare(int(std::abs(valueAxis()->coordToPixel(ranks_ - 0.5) - valueAxis()->coordToPixel(-0.5))));
    if (last_.image.isNull()) {
        return;
    }
    painter->setAntialiasing(false);
    draw_image(painter);
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
    const auto bucket = view.buckets.bucket_of(step + 0.5);
    const auto found = view_->grid().columns().find(bucket);
    if (found == view_->grid().columns().end()) {
        return {};
    }
    // Of the ranks under the pixel, the one that is seen there.
    const GridColumn& column = found->second;
    const std::vector<float>& values = *column.values;
    const double half = std::abs(valueAxis()->pixelToCoord(place.y() + 0.5) - y);
    int best = -1;
    for (int rank = rank_at(y - half); rank <= rank_at(y + half) && rank < int(values.size()); ++rank) {
        const auto away = [&](int at) { return std::abs(values[std::size_t(at)] - column.point.median); };
        if (std::isfinite(values[std::size_t(rank)]) && (best < 0 || away(rank) > away(best))) {
            best = rank;
        }
    }
    if (best < 0) {
        return {};
    }
    return Cell{best, double(view.first_step(bucket)), double(view.first_step(bucket + 1) - 1),
                values[std::size_t(best)], column.point.median};
}

}  // namespace rankscope::gui
