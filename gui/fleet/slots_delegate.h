// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QRectF>
#include <QStyledItemDelegate>
#include <vector>

namespace rankscope::gui {

/// Where `count` squares lie in a cell: as large as all of them fit, from left to right and top to bottom. Where even the
/// smallest do not fit, those that do.
std::vector<QRectF> slot_squares(const QRectF& cell, int count);

/// A square per GPU or CPU slot (FleetModel::SlotsRole): outline = free, full to its use = a rank or another program
/// works on it, exclamation mark = faulty, line = not offered to ranks, dot = not known. A tool tip per square.
class SlotsDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
};

}  // namespace rankscope::gui
