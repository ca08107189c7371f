// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

class QWidget;

namespace rankscope::gui {
class MainWindow;
}

namespace rankscope::gui::testing {

/// The list with chosen columns and groups, a deletion, a comparison, a scaling run.
void runs_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
