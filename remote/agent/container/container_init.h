// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <filesystem>

namespace rankscope::agent {

/// `rankscope-agent container-init DIR ROOT HOME`: the process that a supervisor has in a container. Starts ranks as its own
/// children, with the container's environment, and reports their ends and stops; ends all of them when the supervisor is
/// gone. The folder of the run and `paths` have the same paths as on the node, and "~/" of the job means `node_home`.
/// Returns an exit code.
int container_init(const RunDir& dir, const NodePaths& paths, const std::filesystem::path& node_home);

}  // namespace rankscope::agent
