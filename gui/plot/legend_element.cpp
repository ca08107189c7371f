// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/legend_element.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kLegendGap = 6;  ///< between swatch and text
constexpr int kEdge = 8;       ///< beside the legend
constexpr int kAbove = 4;

}  // namespace

std::vector<LegendPlace> legend_places(const QStringList& texts, const QFontMetrics& metrics, int width,
                                       int widest, int most_lines) {
    const int line = metrics.height() + 4;
    std::vector<LegendPlace> places;
    int x = 0;
    int y = 0;
    for (const QString& each : texts) {
        const QString text = metrics.elidedText(each, Qt::ElideMiddle, widest);
        const int needed = kLegendSwatch + kLegendGap + metrics.horizontalAdvance(text);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        if (y / line >= most_lines) {
            break;
        }
        places.push_back({QRect(x, y, needed, line), text});
        x += needed + kLegendApart;
    }
    return places;
}

void draw_legend_place(QPainter& painter, const LegendPlace& place, const QColor& swatch,
                       const QColor& text) {
    const QRect& rect = place.rect;
    painter.fillRect(QRect(rect.left(), rect.top() + rect.height() / 2 - 1, kLegendSwatch, 3), swatch);
    painter.setPen(text);
    painter.drawText(rect.adjusted(kLegendSwatch + kLegendGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     place.text);
}

LegendElement::LegendElement(QCustomPlot* plot, QStringList titles, std::vector<QColor> colors,
                             const QFont& font, const QColor& text)
    : QCPLayoutElement(plot),
      titles_(std::move(titles)),
      colors_(std::move(colors)),
      font_(font),
      text_(text) {}

std::vector<LegendPlace> LegendElement::places(int width) const {
    const int inside = width - 2 * kEdge;
    return legend_places(titles_, QFontMetrics(font_), inside,
                         std::max(40, inside - kLegendSwatch - kLegendGap), std::numeric_limits<int>::max());
}

int LegendElement::height_for(int width) const {
    const auto all = places(width);
    return kAbove + (all.empty() ? QFontMetrics(font_).height() + 4 : all.back().rect.bottom() + 1);
}

QSize LegendElement::minimumOuterSizeHint() const {
    return {0, height_for(parentPlot() ? parentPlot()->width() : 0)};
}

QSize LegendElement::maximumOuterSizeHint() const {
    return {QWIDGETSIZE_MAX, minimumOuterSizeHint().height()};
}

void LegendElement::draw(QCPPainter* painter) {
    painter->setFont(font_);
    painter->translate(outerRect().topLeft() + QPoint(kEdge, kAbove));
    const auto all = places(outerRect().width());
    for (std::size_t i = 0; i < all.size(); ++i) {
        draw_legend_place(*painter, all[i], colors_[i], text_);
    }
}

}  // namespace rankscope::gui
