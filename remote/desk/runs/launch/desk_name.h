// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::inline runs {

/// The user and this computer, "alice@laptop": who started a run, whose key it is.
std::string desk_name();

}  // namespace rankscope::inline runs
