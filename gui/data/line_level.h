// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string_view>

namespace rankscope::gui {

enum class LineLevel { None, Debug, Info, Warning, Error };

/// What a line says of its own weight, in its first few hundred bytes: "ERROR", "NCCL WARN", "ValueError: …".
LineLevel level_of_line(std::string_view text);

}  // namespace rankscope::gui
