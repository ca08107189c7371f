// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace rankscope::gui {

/// Keys that a part of a page has for itself. They cannot be changed, and no action can have them.
struct FixedKeys {
    QStringList keys;  ///< in QKeySequence's portable form
    QString use;       ///< with the part they are for
};
std::vector<FixedKeys> fixed_keys();

/// What these keys are for, by part; empty: they are free.
QStringList fixed_uses(const QString& keys);

}  // namespace rankscope::gui
