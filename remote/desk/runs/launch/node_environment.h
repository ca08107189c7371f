// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/launch/agent_session.h>
#include <remote/desk/runs/launch/launch_context.h>

#include <functional>
#include <string>

namespace rankscope::inline runs {

/// Has the node make the environment of the job, or find it, with a note of what was done; returns its folder there, empty
/// for a job without one. A node that reaches no package index gets the wheels that it lacks from here. `abandoned`: the run
/// does not start.
Result<std::string> make_node_environment(AgentSession& session, LaunchContext& context,
                                          const std::function<bool()>& abandoned);

}  // namespace rankscope::inline runs
