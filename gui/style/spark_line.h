// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QList>
#include <QRectF>

class QColor;
class QPainter;

namespace rankscope::gui {

/// A small curve in a cell, filled below: `values` 0…1, oldest first, `places` of them across the box, the newest at its
/// right end. Fewer than two draw nothing.
void draw_spark_line(QPainter* painter, const QRectF& box, const QList<float>& values, qsizetype places,
                     const QColor& ink);

}  // namespace rankscope::gui
