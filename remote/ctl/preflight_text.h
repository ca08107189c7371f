// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

namespace rankscope::ctl {

/// A check on the terminal: its sentence, and, where it does not pass, evidence and fixes.
void print_check(const Check& check);
/// All checks, what was chosen on each node, what was not tested, and the counts.
void print_report(const PreflightReport& report);

}  // namespace rankscope::ctl
