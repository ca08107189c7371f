// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>
#include <remote/desk/runs/watch/hang_view.h>

#include <stop_token>

namespace rankscope::inline runs {

/// Tests the paths of a network fault with the probes of a preflight, between the nodes that it concerns: the
/// verdict then has the kind of the fault, the direction, the rule that decides and the fix, as far as they can be
/// seen. `request` has all nodes of the run, connected, and its plan. Blocks for some seconds.
/// Returns the report, where there is one.
std::optional<PreflightReport> confirm_paths(HangFinding& finding, PreflightRequest request,
                                             const std::stop_token& stop);

/// The failing check that explains why these nodes do not reach each other (`pairs` empty: any two); nullptr: none.
const Check* explaining_check(const PreflightReport& report, const std::vector<NodePair>& pairs);
/// Makes the check the cause of the verdict.
void refine(Verdict& verdict, const Check& check);

}  // namespace rankscope::inline runs
