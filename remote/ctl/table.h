// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::ctl {

/// Columns as wide as their widest cell, two blanks between; the first row is the header. Cells may have anything that a node
/// said: each becomes one line, and what a terminal would obey becomes visible.
std::string format_table(std::vector<std::vector<std::string>> rows);
/// Characters a terminal shows (UTF-8 code points; combining marks do not occur in our texts).
std::size_t display_width(const std::string& text);

}  // namespace rankscope::ctl
