// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

class QWidget;

namespace rankscope::gui {
class MainWindow;
}

namespace rankscope::gui::testing {

/// Fleet: not probed, with facts, failed, 64 nodes; several nodes edited together.
void fleet_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
