// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// Asks NCCL's RAS service where the run's processes on this node have it, by their own environment. Blocks this thread
/// for at most the time of the request. The text form is asked of no NCCL that it may harm, whatever the request says.
wire::RasReply ask_run_ras(const NodePaths& paths, const wire::AskRas& request, const std::stop_token& stop);

}  // namespace rankscope::agent
