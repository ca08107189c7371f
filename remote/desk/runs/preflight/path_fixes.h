// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/diagnosis/check.h>

#include <vector>

namespace rankscope::inline runs {

/// Adds to the failing checks of paths: the rule of the firewall that decides, as far as the node could read it, and
/// the least change that opens the path.
void add_path_fixes(std::vector<Check>& checks, const std::vector<NodeView>& views,
                    const std::vector<PathResult>& results, const PathPlan& plan);

}  // namespace rankscope::inline runs
