// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/runs/launch/ask_and_wait.h>
#include <remote/desk/runs/preflight/preflight.h>

#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The nodes of a run as a preflight takes them: it asks their agents over the links of the run. Those without facts
/// are left out: they were not reached.
std::vector<ConnectedNode> connected_nodes(const std::vector<NodeSpec>& nodes, const KnownFacts& facts,
                                           const AskAgent& ask, const std::stop_token& stop);

}  // namespace rankscope::inline runs
