// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>

class QAccessibleInterface;

namespace rankscope::gui::testing {

/// What screen readers see below a place.
struct ControlNames {
    int controls = 0;
    QStringList unnamed;  ///< where, by the names and classes above; only what is visible
};
ControlNames control_names(QAccessibleInterface* root);

/// Fails the running test when a dialog, or a part of the window, is shown and one of its controls has no name. Each class
/// once: install it on the application.
class NameWatch : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QSet<QString> seen_;  ///< classes
};

}  // namespace rankscope::gui::testing
