// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/heat_image.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

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

}  // namespace rankscope::gui
