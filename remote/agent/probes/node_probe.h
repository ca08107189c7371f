// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// What this node is and has: from /proc, uname, statvfs, getifaddrs, and NVML where a driver is
/// loaded.
wire::NodeFacts probe_this_node(const NodePaths& paths);

}  // namespace rankscope::agent
