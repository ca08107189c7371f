// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/hang_view.h>

#include <map>
#include <optional>
#include <vector>

namespace rankscope::inline runs {

/// What holds the run, and nothing while it may be doing something that takes its time. What leaves no doubt (a stopped
/// rank, a host that does not answer, a file server that does not) needs two looks; what could be work needs to last.
std::optional<HangFinding> find_hang(const HangView& view);

/// The ranks' stacks, for a verdict whose evidence shall hold all of them.
std::vector<Evidence> stacks_of(const std::map<int, RankSeen>& ranks);

}  // namespace rankscope::inline runs
