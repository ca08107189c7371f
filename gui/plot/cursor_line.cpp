// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/cursor_line.h>

#include <QFontMetricsF>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr double kAside = 4;   ///< pixels between the line and the values
constexpr double kInside = 3;  ///< pixels between the values and the edge of their box

}  // namespace

void CursorLine::draw(QCPPainter* painter) {
    const QRectF box(x_->axisRect()->rect());
    const double x = x_->coordToPixel(place_);
    if (!(x >= box.left() && x <= box.right())) {
        return;
    }
    painter->setAntialiasing(false);
    painter->setPen(QPen(colors_.muted, 1, Qt::DashLine));
    painter->drawLine(QLineF(x, box.top(), x, box.bottom()));
    const QFontMetricsF metrics(font_);
    double width = 0;
    for (const Value& value : values_) {
        width = std::max(width, metrics.horizontalAdvance(value.text));
    }
    if (width == 0) {
        return;
    }
    const double line = metrics.height();
    QRectF text(x + kAside, box.top() + kAside, width + 2 * kInside, line * double(values_.size()) + 2);
    if (text.right() > box.right()) {
        text.moveRight(x - kAside);
    }
    painter->setPen(QPen(colors_.line, 1));
    painter->setBrush(colors_.surface);
    painter->drawRect(text);
    painter->setFont(font_);
    QRectF row(text.left() + kInside, text.top() + 1, width, line);
    for (const Value& value : values_) {
        painter->setPen(value.color);
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, value.text);
        row.translate(0, line);
    }
}

}  // namespace rankscope::gui
