// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/hang_view.h>

#include <optional>

namespace rankscope::inline runs {

/// Connections between ranks that a host does not answer: which nodes, in which direction, and the node that all of
/// them have in common. Two looks must have seen it. `waits`: of the same looks.
std::optional<HangFinding> find_network_fault(const HangView& view, const RankWaits& waits);

}  // namespace rankscope::inline runs
