// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/axis_look.h>

#include <algorithm>

namespace rankscope::gui {

void place_panel(QCPLayoutGrid* grid, int row, int column, QCPTextElement* title, QCPAxisRect* rect) {
    title->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    title->setMargins(QMargins(8, 2, 0, 0));
    rect->setMinimumMargins(QMargins(44, 6, 8, 4));
    grid->addElement(2 * row, column, title);
    grid->addElement(2 * row + 1, column, rect);
    grid->setRowStretchFactor(2 * row, 0.001);
}

void set_panel_look(QCPTextElement* title, QCPAxisRect* rect, const ThemeColors& colors, const QFont& font) {
    QFont bold = font;
    bold.setBold(true);
    title->setFont(bold);
    title->setTextColor(colors.muted);
    const QFont small = axis_font(font);
    for (QCPAxis* axis : {rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)}) {
        axis->setBasePen(QPen(colors.line, 1));
        axis->setTickPen(QPen(colors.line, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colors.muted);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->setLabelColor(colors.muted);
        axis->grid()->setPen(QPen(colors.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
}

QFont axis_font(QFont font) {
    font.setPointSizeF(std::max(7.0, font.pointSizeF() * 0.88));
    return font;
}

}  // namespace rankscope::gui
