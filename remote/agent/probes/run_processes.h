// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The processes of a run on this node: by rank its own and those that it has started, parents first. A rank whose
/// process is gone is not in it.
std::map<int, std::vector<pid_t>> run_processes(const NodePaths& paths, const std::string& run_id);

}  // namespace rankscope::agent
