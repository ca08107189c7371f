// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

class QLineEdit;

namespace rankscope::gui {

/// Gives a field the button that clears it, with a name for screen readers: Qt's own has none.
void add_clear_button(QLineEdit* field);

}  // namespace rankscope::gui
