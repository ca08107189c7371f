// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/legend_element.h>

#include <QFontMetrics>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kSwatch = 14;
constexpr int kLegendGap = 6;
constexpr int kApart = 16;
constexpr int kEdge = 8;

}  // namespace

LegendElement::LegendElement(QCustomPlot* plot, std::vector<Entry> entries, const QFont& font,
                             const QColor& text)
    : QCPLayoutElement(plot), entries_(std::move(entries)), font_(font), text_(text) {}

int LegendElement::lay_out(const QRect& in, QCPPainter* painter) const {
    const QFontMetrics metrics(font_);
    const int line = metrics.height() + 4;
    const int width = in.width() - 2 * kEdge;
    int x = 0;
    int y = 4;
    if (painter) {
        painter->setFont(font_);
    }
    for (const Entry& entry : entries_) {
        const QString text =
            metrics.elidedText(entry.text, Qt::ElideMiddle, std::max(40, width - kSwatch - kLegendGap));
        const int needed = kSwatch + kLegendGap + metrics.horizontalAdvance(text);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        if (painter) {
            const int left = in.left() + kEdge + x;
            const int top = in.top() + y;
            painter->setPen(QPen(entry.color, 3));
            painter->drawLine(QLineF(left, top + line / 2, left + kSwatch, top + line / 2));
            painter->setPen(text_);
            painter->drawText(QRect(left + kSwatch + kLegendGap, top, needed, line),
                              Qt::AlignVCenter | Qt::AlignLeft, text);
        }
        x += needed + kApart;
    }
    return y + line;
}

int LegendElement::height_for(int width) const {
    return lay_out(QRect(0, 0, width, 0), nullptr);
}

QSize LegendElement::minimumOuterSizeHint() const {
    return {0, height_for(parentPlot() ? parentPlot()->width() : 0)};
}

QSize LegendElement::maximumOuterSizeHint() const {
    return {QWIDGETSIZE_MAX, minimumOuterSizeHint().height()};
}

void LegendElement::draw(QCPPainter* painter) {
    lay_out(outerRect(), painter);
}

}  // namespace rankscope::gui
