// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <functional>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

class SessionPool;

/// Facts alone, or also the versions of driver and libraries, which take some tenths of a second.
enum class ProbeDepth { Facts, Versions };

/// Connects, pushes the agent where it is missing, asks for the node's facts, disconnects. Blocks; call it
/// from a thread of its own. `progress` (may be empty) gets short texts: "connecting", "pushing agent 40 %".
/// Cancelled by `stop`: fails with code "cancelled". `sessions`: a kept connection is used, and this one is
/// kept.
Result<NodeFacts> probe_node(const NodeSpec& node, const Prompter& prompter, std::stop_token stop,
                             const std::function<void(const std::string&)>& progress = {},
                             SessionPool* sessions = nullptr, ProbeDepth depth = ProbeDepth::Facts);

}  // namespace rankscope::inline nodes
