// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QStringList>
#include <QVariant>

namespace rankscope::gui {

/// What headerData() of a table answers whose columns have these titles, in their order, all at the left.
inline QVariant column_title(const QStringList& titles, int section, Qt::Orientation orientation, int role) {
    if (orientation != Qt::Horizontal || section < 0 || section >= titles.size()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    }
    return role == Qt::DisplayRole ? QVariant(titles[section]) : QVariant();
}

}  // namespace rankscope::gui
