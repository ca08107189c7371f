// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/slots_delegate.h>
#include <gui/models/fleet_model.h>
#include <gui/models/node_use.h>
#include <gui/plain_text.h>
#include <gui/style/theme.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

struct Size {
    int cell;
    int gap;
};
constexpr std::array<Size, 5> kSizes{{{13, 4}, {10, 3}, {8, 2}, {6, 1}, {4, 1}}};
constexpr int kEdge = 6;
constexpr int kWidestSlots = 160;

std::vector<DeviceSlot> slots_of(const QModelIndex& index) {
    return index.data(FleetModel::SlotsRole).value<std::vector<DeviceSlot>>();
}

QRectF inner(const QRect& cell) {
    return QRectF(cell).adjusted(kEdge, 3, -kEdge, -3);
}

QColor colour_of(const DeviceSlot& slot, const ThemeColors& colors) {
    switch (slot.state) {
        case DeviceSlot::State::Faulty:
            return colors.bad;
        case DeviceSlot::State::Rank:
            return phase_color(slot.rank ? slot.rank->phase : RankPhase::Waiting, colors);
        case DeviceSlot::State::Used:
            return colors.warning;
        case DeviceSlot::State::Free:
            return colors.muted;
        case DeviceSlot::State::LeftOut:
        case DeviceSlot::State::Unknown:
            break;
    }
    return colors.line;
}

// The part of the square that is filled: its use, and enough to be seen where it is in use at all.
double level_of(const DeviceSlot& slot) {
    constexpr double kLeast = 0.2;
    if (slot.state != DeviceSlot::State::Rank && slot.state != DeviceSlot::State::Used) {
        return 0;
    }
    return slot.use >= 0 ? std::clamp(slot.use, kLeast, 1.0) : 1;
}

void draw_slot(QPainter& painter, const QRectF& box, const DeviceSlot& slot, const ThemeColors& colors) {
    const QColor color = colour_of(slot, colors);
    if (slot.state == DeviceSlot::State::Faulty) {
        painter.fillRect(box, color);
        if (box.width() >= 8) {
            const double width = std::max(1.0, box.width() / 7);
            const QRectF bar(box.center().x() - width / 2, box.top() + box.height() * 0.2, width,
                             box.height() * 0.4);
            painter.fillRect(bar, colors.surface);
            painter.fillRect(QRectF(bar.left(), box.top() + box.height() * 0.7, width, width),
                             colors.surface);
        }
        return;
    }
    const double level = level_of(slot);
    if (level > 0) {
        const double height = std::round(box.height() * level);
        painter.fillRect(QRectF(box.left(), box.bottom() - height, box.width(), height), color);
    }
    painter.setPen(QPen(color, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    if (slot.state == DeviceSlot::State::LeftOut) {
        painter.drawLine(box.bottomLeft() + QPointF(1, -1), box.topRight() + QPointF(-1, 1));
    } else if (slot.state == DeviceSlot::State::Unknown && box.width() >= 6) {
        const double size = std::max(2.0, std::floor(box.width() / 4));
        painter.fillRect(QRectF(box.center().x() - size / 2, box.center().y() - size / 2, size, size),
                         colors.muted);
    }
}

}  // namespace

std::vector<QRectF> slot_squares(const QRectF& cell, int count) {
    std::vector<QRectF> squares;
    if (count <= 0 || cell.width() < kSizes.back().cell || cell.height() < kSizes.back().cell) {
        return squares;
    }
    const auto columns = [&](const Size& size) {
        return std::max(1, int((cell.width() + size.gap) / (size.cell + size.gap)));
    };
    const auto rows = [&](const Size& size) {
        return std::max(1, int((cell.height() + size.gap) / (size.cell + size.gap)));
    };
    const auto* fits = std::find_if(kSizes.begin(), kSizes.end() - 1, [&](const Size& size) {
        return columns(size) * rows(size) >= count && size.cell <= cell.height();
    });
    const int across = columns(*fits);
    const int shown = std::min(count, across * rows(*fits));
    const int down = (shown + across - 1) / across;
    const double height = down * (fits->cell + fits->gap) - fits->gap;
    const double top = std::round(cell.top() + (cell.height() - height) / 2);
    for (int i = 0; i < shown; ++i) {
        const int column = i % across;
        const int row = i / across;
        squares.emplace_back(std::round(cell.left()) + column * (fits->cell + fits->gap),
                             top + row * (fits->cell + fits->gap), fits->cell, fits->cell);
    }
    return squares;
}

void SlotsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();
    const QStyle* style = plain.widget ? plain.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
    const std::vector<DeviceSlot> devices = slots_of(index);
    const ThemeColors colors = theme_colors(option.palette);
    const std::vector<QRectF> squares = slot_squares(inner(option.rect), int(devices.size()));
    painter->save();
    painter->setOpacity(index.data(FleetModel::AgedRole).toBool() ? 0.55 : 1);
    for (std::size_t i = 0; i < squares.size(); ++i) {
        draw_slot(*painter, squares[i], devices[i], colors);
    }
    painter->restore();
}

QSize SlotsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Size& largest = kSizes.front();
    const int count = int(slots_of(index).size());
    const int width = 2 * kEdge + count * (largest.cell + largest.gap);
    return {std::min(width, kWidestSlots), QStyledItemDelegate::sizeHint(option, index).height()};
}

bool SlotsDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                              const QModelIndex& index) {
    if (event == nullptr || event->type() != QEvent::ToolTip) {
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    }
    const std::vector<DeviceSlot> devices = slots_of(index);
    const std::vector<QRectF> squares = slot_squares(inner(option.rect), int(devices.size()));
    for (std::size_t i = 0; i < squares.size(); ++i) {
        if (squares[i].adjusted(-1, -1, 1, 1).contains(event->pos())) {
            const QString age = index.data(FleetModel::AgeRole).toString();
            const QString text = QString(slot_text(devices[i]) % u'\n' % age).trimmed();
            QToolTip::showText(event->globalPos(), plain_text(text), view);
            return true;
        }
    }
    return QStyledItemDelegate::helpEvent(event, view, option, index);
}

}  // namespace rankscope::gui
