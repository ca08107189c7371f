// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/desk/runs/watch/hang_view.h>

#include <optional>
#include <vector>

namespace rankscope::inline runs {

/// Causes first: a rank that others wait for, and that waits for others itself, is none; what only one look of a source
/// has shown comes last.
std::vector<CollectiveFinding> by_cause(std::vector<CollectiveFinding> findings);

/// The verdict of find_hang(), made sharper by what the collectives show: there is one verdict for one cause. What a rank
/// was seen to do (it is stopped, it waits for a file) stays the cause, and the collective is its evidence. Where
/// nothing was found, or only that ranks wait, the collectives name the rank.
std::optional<HangFinding> with_collectives(std::optional<HangFinding> found,
                                            const std::vector<CollectiveFinding>& findings,
                                            const HangView& view);

}  // namespace rankscope::inline runs
