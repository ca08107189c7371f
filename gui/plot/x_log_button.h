// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

class QToolButton;
class QWidget;

namespace rankscope::gui {

/// Switches the x axis of curves to a logarithmic one: checkable.
QToolButton* make_x_log_button(const char* object_name, QWidget* parent);
/// Disabled, it says why.
void set_x_log_possible(QToolButton* button, bool possible);

}  // namespace rankscope::gui
