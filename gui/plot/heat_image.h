// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/rank_grid.h>

#include <QImage>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Which image of a heat map: a pixel column for each bucket from view.begin on, with room for those to come.
struct HeatKey {
    GridView view;
    int width = 0;
    int rows = 0;
    int ranks = 0;
    float scale_end = 0;        ///< the distance that has the full colour, in the metric's unit
    std::vector<QRgb> palette;  ///< from far below to far above the median
    std::uint64_t revision = 0;

    /// Columns of the one can be painted into the other.
    bool same_place(const HeatKey& other) const;
    bool operator==(const HeatKey&) const = default;
};

/// Values only: a worker may paint it.
struct HeatRequest {
    HeatKey key;
    std::vector<std::pair<std::int64_t, GridColumn>> columns;  ///< by bucket
};

struct HeatImage {
    HeatKey key;
    QImage image;
};

/// Where ranks share a row, the one that is furthest from the median has it.
void paint_heat_column(HeatImage& target, std::int64_t bucket, const GridColumn& column);
HeatImage paint_heat(const HeatRequest& request);

}  // namespace rankscope::gui
