// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/spark_line.h>

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace rankscope::gui {

void draw_spark_line(QPainter* painter, const QRectF& box, const QList<float>& values, qsizetype places,
                     const QColor& ink) {
    constexpr float kFill = 0.18F;
    constexpr double kWidth = 1.2;
    if (values.size() < 2 || places < 2) {
        return;
    }
    const double pitch = box.width() / double(places - 1);
    const double left = box.right() - pitch * double(values.size() - 1);
    QPainterPath line;
    for (qsizetype i = 0; i < values.size(); ++i) {
        const QPointF point(left + pitch * double(i),
                            box.bottom() - box.height() * std::clamp(double(values[i]), 0.0, 1.0));
        i == 0 ? line.moveTo(point) : line.lineTo(point);
    }
    QPainterPath area = line;
    area.lineTo(box.right(), box.bottom());
    area.lineTo(left, box.bottom());
    QColor fill = ink;
    fill.setAlphaF(kFill);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillPath(area, fill);
    painter->setPen(QPen(ink, kWidth));
    painter->drawPath(line);
    painter->restore();
}

}  // namespace rankscope::gui
