// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

class SessionPool;

/// Transport, agent and facts in one step: what every action on a node begins with.
struct NodeConnection {
    std::unique_ptr<AgentLink> link;
    NodeFacts facts;
};

/// `sessions` (may be null): a connection that is kept there and still answers is used.
Result<NodeConnection> connect_node(const NodeSpec& node, const Prompter& prompter, const WakeFd& wake,
                                    const std::stop_token& stop, const AgentLink::Progress& progress,
                                    SessionPool* sessions = nullptr);

}  // namespace rankscope::inline nodes
