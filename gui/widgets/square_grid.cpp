// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/square_grid.h>

#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kEdge = 2;      ///< room for the frame of a selected square
constexpr int kTallest = 84;  ///< squares shrink before the strip gets taller than this
constexpr std::size_t kGapsUpTo = 512;

struct Size {
    int cell;
    int gap;
    int group_gap;
};
constexpr std::array<Size, 5> kSizes{{{16, 3, 6}, {12, 3, 5}, {9, 2, 4}, {7, 1, 2}, {5, 1, 0}}};

const Size& size_for(std::size_t count, int width) {
    const int squares = std::max(int(count), 1);
    const auto* const fits = std::find_if(kSizes.begin(), kSizes.end() - 1, [&](const Size& size) {
        const int columns = std::max(width / (size.cell + size.gap), 1);
        const int rows = (squares + columns - 1) / columns;
        return rows * (size.cell + size.gap) <= kTallest;
    });
    return *fits;
}

}  // namespace

QRect SquareGrid::square(int index) const {
    if (index < 0 || index >= int(places.size())) {
        return {};
    }
    return {places[std::size_t(index)], QSize(cell, cell)};
}

int SquareGrid::at(const QPoint& point) const {
    for (int index = 0; index < int(places.size()); ++index) {
        if (square(index).adjusted(-1, -1, 1, 1).contains(point)) {
            return index;
        }
    }
    return -1;
}

SquareGrid lay_out_squares(std::size_t count, int width,
                           const std::function<bool(std::size_t)>& begins_group) {
    const Size& size = size_for(count, width);
    const int pitch = size.cell + size.gap;
    SquareGrid grid;
    grid.cell = size.cell;
    int x = kEdge;
    int y = kEdge;
    for (std::size_t i = 0; i < count; ++i) {
        x += i > 0 && count <= kGapsUpTo && begins_group(i) ? size.group_gap : 0;
        if (x + size.cell + kEdge > width && x > kEdge) {
            x = kEdge;
            y += pitch;
        }
        grid.places.push_back({x, y});
        x += pitch;
    }
    grid.height = y + size.cell + kEdge;
    return grid;
}

}  // namespace rankscope::gui
