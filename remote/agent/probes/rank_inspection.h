// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// What the ranks of a run on this node do at this moment, from /proc, sock_diag(7) and, where it is permitted, their
/// stacks. Reads only; no rank is stopped or interrupted, unless a native stack is asked for. The one signal that is sent
/// is SIGURG, with `stacks`, to the thread of our hook in a Python program (ranks/stack_hook.h).
wire::RankInspections inspect_ranks(const NodePaths& paths, const wire::InspectRanks& request,
                                    const std::stop_token& stop);

}  // namespace rankscope::agent
