// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::gui {

/// What a line of NCCL means (resources/nccl_lines.yaml); empty: it is none, or unknown.
std::string line_meaning(std::string_view text);

}  // namespace rankscope::gui
