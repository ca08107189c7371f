// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// Makes the run's folder, starts its supervisor detached from this process and waits until the ranks are
/// started.
AgentResult<wire::Started> launch_run(const wire::StartRun& run, const NodePaths& paths);

}  // namespace rankscope::agent
