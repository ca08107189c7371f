// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/curve_shape.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kReach = 3;  ///< pixels from a point: half a pen, a dot

bool same(const QPointF& a, const QPointF& b) {
    const bool same_y = a.y() == b.y() || (std::isnan(a.y()) && std::isnan(b.y()));
    return a.x() == b.x() && same_y;
}

double differ_from(const QPolygonF& a, const QPolygonF& b) {
    const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), same);
    if (in_a == a.end() && in_b == b.end()) {
        return kInfinity;
    }
    double x = kInfinity;
    if (in_a != a.end()) {
        x = std::min(x, in_a->x());
    }
    if (in_b != b.end()) {
        x = std::min(x, in_b->x());
    }
    if (in_a != a.begin()) {
        x = std::min(x, std::prev(in_a)->x());  // the edge that leads there
    }
    return x - kReach;
}

/// The first point that an edge to x >= `from` needs, and one more for the join there.
qsizetype first_for(const QPolygonF& points, double from) {
    const auto at = std::lower_bound(points.begin(), points.end(), from - kReach,
                                     [](const QPointF& point, double x) { return point.x() < x; });
    return std::max<qsizetype>(at - points.begin() - 2, 0);
}

void paint_fill(const CurveFill& fill, QCPPainter* painter, double from) {
    const qsizetype first = first_for(fill.high, from);
    QPolygonF area = fill.high.mid(first);
    area.reserve(area.size() * 2);
    for (qsizetype i = fill.low.size(); i-- > first;) {
        area << fill.low[i];
    }
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(fill.color);
    painter->drawPolygon(area);
}

void paint_stroke(const CurveStroke& stroke, QCPPainter* painter, double from) {
    painter->setAntialiasing(stroke.antialiased);
    painter->setPen(QPen(stroke.color, stroke.width));
    const QPointF* begin = stroke.points.constData() + first_for(stroke.points, from);
    const QPointF* const end = stroke.points.constData() + stroke.points.size();
    while (begin != end) {
        const QPointF* const gap =
            std::find_if(begin, end, [](const QPointF& point) { return std::isnan(point.y()); });
        if (gap - begin == 1) {
            painter->setBrush(stroke.color);
            painter->drawEllipse(*begin, 2, 2);
        } else if (gap != begin) {
            painter->setBrush(Qt::NoBrush);
            painter->drawPolyline(begin, int(gap - begin));
        }
        begin = gap == end ? end : gap + 1;
    }
}

}  // namespace

std::size_t CurveShape::points() const {
    qsizetype count = 0;
    for (const CurveFill& fill : fills) {
        count += fill.high.size() + fill.low.size();
    }
    for (const CurveStroke& stroke : strokes) {
        count += stroke.points.size();
    }
    return std::size_t(count);
}

double CurveShape::end() const {
    double x = -kInfinity;
    for (const CurveFill& fill : fills) {
        x = fill.high.isEmpty() ? x : std::max(x, fill.high.last().x());
    }
    for (const CurveStroke& stroke : strokes) {
        x = stroke.points.isEmpty() ? x : std::max(x, stroke.points.last().x());
    }
    return x + kReach;
}

double differ_from(const CurveShape& a, const CurveShape& b) {
    if (a.fills.size() != b.fills.size() || a.strokes.size() != b.strokes.size()) {
        return -kInfinity;
    }
    double x = kInfinity;
    for (std::size_t i = 0; i < a.fills.size(); ++i) {
        if (a.fills[i].color != b.fills[i].color) {
            return -kInfinity;
        }
        x = std::min(
            {x, differ_from(a.fills[i].high, b.fills[i].high), differ_from(a.fills[i].low, b.fills[i].low)});
    }
    for (std::size_t i = 0; i < a.strokes.size(); ++i) {
        const CurveStroke& one = a.strokes[i];
        const CurveStroke& other = b.strokes[i];
        if (one.color != other.color || one.width != other.width || one.antialiased != other.antialiased) {
            return -kInfinity;
        }
        x = std::min(x, differ_from(one.points, other.points));
    }
    return x;
}

void paint(const CurveShape& shape, QCPPainter* painter, double from) {
    for (const CurveFill& fill : shape.fills) {
        paint_fill(fill, painter, from);
    }
    for (const CurveStroke& stroke : shape.strokes) {
        paint_stroke(stroke, painter, from);
    }
}

void paint(const CurveShape& shape, QCPPainter* painter) {
    paint(shape, painter, -kInfinity);
}

}  // namespace rankscope::gui
