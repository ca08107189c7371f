// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <vector>

namespace rankscope::inline runs {

/// What fails or warns in the report after a fix, and did not before, or not on these nodes, or was a warning only:
/// hidden until then, or the doing of the fix. Both reports are of the same job and depth.
std::vector<Check> worse_checks(const PreflightReport& before, const PreflightReport& after);

}  // namespace rankscope::inline runs
