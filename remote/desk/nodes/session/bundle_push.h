// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/session/agent_link.h>

namespace rankscope::inline nodes {

/// Sends the files of the bundle that the node lacks, compressed, several pieces on the way at a time. A node
/// that has them all costs one round trip. Returns how many bytes were missing there.
Result<std::uint64_t> push_bundle(AgentLink& link, const WorkerBundle& bundle,
                                  const AgentLink::Progress& progress);

}  // namespace rankscope::inline nodes
