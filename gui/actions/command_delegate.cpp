// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/command_delegate.h>
#include <gui/actions/command_model.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QApplication>
#include <QPainter>
#include <QTextCharFormat>
#include <QTextLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kMargin = 8;
constexpr int kSpace = 16;

/// One line at the left edge of `room`, with these letters in bold.
void draw_text(QPainter& painter, const QRect& room, const QString& text, const QFont& font,
               const QColor& color, const QList<int>& bold) {
    QTextLayout layout(text, font);
    QList<QTextLayout::FormatRange> ranges;
    QTextCharFormat marked;
    marked.setFontWeight(QFont::Bold);
    marked.setFontUnderline(true);  // seen without the weight, too
    for (const int position : bold) {
        ranges += {position, 1, marked};
    }
    layout.setFormats(ranges);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid()) {
        line.setLineWidth(100000);
    }
    layout.endLayout();
    painter.setPen(color);
    layout.draw(&painter,
                QPointF(room.left(), room.top() + (room.height() - layout.boundingRect().height()) / 2));
}

QList<int> positions_below(const QModelIndex& index, qsizetype end) {
    QList<int> positions;
    for (const QVariant& position : index.data(CommandModel::PositionsRole).toList()) {
        if (position.toInt() < end) {
            positions += position.toInt();
        }
    }
    return positions;
}

}  // namespace

QSize CommandDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {100, option.fontMetrics.height() + 12};
}

void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const ThemeColors colors = theme_colors(option.palette);
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) {
        painter->fillRect(option.rect, colors.selection);
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()),
                          colors.accent);
    }
    const QRect room = option.rect.adjusted(kMargin, 0, -kMargin, 0);
    const bool blocked = !index.data(CommandModel::BlockedRole).toString().isEmpty();
    const QString keys = index.data(CommandModel::KeysRole).toString();
    const QString group = index.data(CommandModel::GroupRole).toString();
    const QString right = blocked ? tr("unavailable") : keys;
    int right_width = 0;
    if (!right.isEmpty()) {
        right_width = option.fontMetrics.horizontalAdvance(right) + kSpace;
        painter->setPen(blocked ? colors.muted : colors.text);
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, right);
    }
    const int group_width = std::min(option.fontMetrics.horizontalAdvance(group) + kSpace, room.width() / 4);
    painter->setPen(colors.muted);
    const QRect group_room(room.right() - right_width - group_width + kSpace, room.top(),
                           group_width - kSpace, room.height());
    painter->drawText(group_room, Qt::AlignRight | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(group, Qt::ElideRight, group_room.width() + 2));
    const QRect text_room = room.adjusted(0, 0, -right_width - group_width, 0);
    const QString text = index.data().toString();
    // Bold letters are a little wider.
    const QString shown = option.fontMetrics.elidedText(text, Qt::ElideRight, text_room.width() - kSpace);
    painter->setClipRect(text_room);
    draw_text(*painter, text_room, shown, option.font, blocked ? colors.muted : colors.text,
              positions_below(index, shown == text ? text.size() : shown.size() - 1));
    painter->restore();
}

}  // namespace rankscope::gui
