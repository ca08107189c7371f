// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>

namespace rankscope::inline runs {

/// Ranks started over SSH, node by node, by an agent on each: the row of the table in launchers.cpp.
LauncherKind ssh_launcher();

}  // namespace rankscope::inline runs
