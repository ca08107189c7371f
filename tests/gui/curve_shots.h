// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

class QWidget;

namespace rankscope::gui {
class MainWindow;
}

namespace rankscope::gui::testing {

/// The curves of few ranks and of many: heat maps, formulas, axes, menu.
void curve_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
