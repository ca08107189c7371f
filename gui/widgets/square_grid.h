// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QPoint>
#include <QRect>
#include <cstddef>
#include <functional>
#include <vector>

namespace rankscope::gui {

/// Squares in lines that wrap, a small gap before each group: as large as they can be without getting taller than a
/// strip. A thousand fit.
struct SquareGrid {
    int cell = 0;
    int height = 0;
    std::vector<QPoint> places;

    QRect square(int index) const;
    /// The square under a point, or -1.
    int at(const QPoint& point) const;
};

/// `begins_group`: whether the square of this index is the first of its group.
SquareGrid lay_out_squares(std::size_t count, int width,
                           const std::function<bool(std::size_t)>& begins_group);

}  // namespace rankscope::gui
