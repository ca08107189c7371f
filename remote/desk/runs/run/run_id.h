// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::inline runs {

/// Sorts by time, is unique, and reads well in a list: 20261120-194512-3f9a1c.
std::string new_run_id();

}  // namespace rankscope::inline runs
