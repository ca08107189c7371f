// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/table_delegates.h>

namespace rankscope::gui {

/// What the devices of a node do (FleetModel::Use), and beside it the course of their use (FleetModel::CourseRole), where
/// the cell has room.
class UseDelegate : public ProbeDelegate {
    Q_OBJECT

public:
    using ProbeDelegate::ProbeDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace rankscope::gui
