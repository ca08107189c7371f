// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QComboBox>

namespace rankscope::gui {

/// A combo box whose name for screen readers is what it is for: its accessible name, or the label that it is the
/// buddy of. On Linux, Qt gives the current value as the name of a QComboBox. The wheel: leave_wheel_to_page().
class ComboBox : public QComboBox {
    Q_OBJECT

public:
    explicit ComboBox(QWidget* parent = nullptr);
};

}  // namespace rankscope::gui
