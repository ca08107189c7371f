// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/runs/preflight/node_view.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// A node that a preflight inspects.
struct PreflightNode {
    NodeSpec spec;
    std::unique_ptr<AgentLink> link;  ///< of its own; null: of a run
    std::function<Result<wire::Reply>(wire::Request, double)> call;
    NodeFacts facts;
    std::string token;                   ///< of its listeners
    std::vector<wire::ProbePort> ports;  ///< the master's first is the rendezvous port
    NodeView view;
    std::optional<Failure> failure;  ///< it takes no further part
    bool inspected = false;
};

/// The connections to try between the nodes that are inspected, the master first. `master_port`: its rendezvous port is
/// the first of its ports.
std::vector<PathResult> paths_to_try(const std::vector<PreflightNode>& nodes, bool master_port);

}  // namespace rankscope::inline runs
