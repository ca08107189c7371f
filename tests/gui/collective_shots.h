// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

class QWidget;

namespace rankscope::gui {
class MainWindow;
}

namespace rankscope::gui::testing {

/// Pictures of the tab of collectives in Live.
void collective_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
