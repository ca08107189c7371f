// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>

namespace rankscope::gui {
class MainWindow;
}

namespace rankscope::gui::testing {

/// {"pages": ["Fleet", …], "menus": {"File": ["Open…", …], …}}: by it a picture of the window shows its age.
nlohmann::ordered_json window_contents(const MainWindow& window);

}  // namespace rankscope::gui::testing
