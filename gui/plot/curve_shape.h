// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>

#include <QColor>
#include <QPolygonF>
#include <cstddef>
#include <vector>

namespace rankscope::gui {

/// A line through points of rising x. Where y is NaN it breaks; a point alone is a dot.
struct CurveStroke {
    QPolygonF points;
    QColor color;
    double width = 1;
    bool antialiased = false;
};

/// What lies between two lines over the same x.
struct CurveFill {
    QPolygonF high;
    QPolygonF low;
    QColor color;
};

/// The band and the lines of one panel as they are painted, in pixels of the widget. Values only: a worker may paint
/// them.
struct CurveShape {
    std::vector<CurveFill> fills;  ///< below the strokes
    std::vector<CurveStroke> strokes;

    bool empty() const { return fills.empty() && strokes.empty(); }
    std::size_t points() const;
    /// The largest x.
    double end() const;
};

/// Where two shapes begin to differ, as the x of what is painted: infinite where they are equal, -infinite where
/// other colours, lines or widths make another picture.
double differ_from(const CurveShape& a, const CurveShape& b);

/// Paints what touches x >= `from`, and perhaps more to its left.
void paint(const CurveShape& shape, QCPPainter* painter, double from);
void paint(const CurveShape& shape, QCPPainter* painter);

}  // namespace rankscope::gui
