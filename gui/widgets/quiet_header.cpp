// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/theme.h>
#include <gui/widgets/quiet_header.h>

#include <QPainter>

namespace rankscope::gui {

QuietHeader::QuietHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setHighlightSections(false);
}

QSize QuietHeader::sizeHint() const {
    return {QHeaderView::sizeHint().width(), fontMetrics().height() + 12};
}

void QuietHeader::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const ThemeColors colors = theme_colors(palette());
    painter.fillRect(viewport()->rect(), colors.chrome);
    painter.fillRect(QRect(0, height() - 1, width(), 1), colors.line);
    painter.end();
    QHeaderView::paintEvent(event);
}

void QuietHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const ThemeColors colors = theme_colors(palette());
    painter->save();
    painter->fillRect(rect, colors.chrome);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), colors.line);
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    const auto alignment =
        Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
    const QString text = model()->headerData(section, Qt::Horizontal).toString();
    const QRect inner = rect.adjusted(4, 2, -4, -1);
    painter->setPen(sorted ? colors.text : colors.muted);
    painter->drawText(inner, int(alignment | Qt::AlignVCenter),
                      fontMetrics().elidedText(text, Qt::ElideRight, inner.width()));
    if (sorted) {
        const double middle = rect.center().x();
        const bool up = sortIndicatorOrder() == Qt::AscendingOrder;
        const double base = rect.top() + (up ? 5.0 : 2.0);
        const double tip = rect.top() + (up ? 2.0 : 5.0);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(colors.accent);
        painter->drawPolygon(QPolygonF{{middle - 4, base}, {middle + 4, base}, {middle, tip}});
    }
    painter->restore();
}

}  // namespace rankscope::gui
