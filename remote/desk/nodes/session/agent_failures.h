// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/wire/event.h>
#include <remote/wire/frames.pb.h>

#include <string>

namespace rankscope::inline nodes {

/// What the agent reports as an id gets its sentence and remedy here, from the catalogue.
Failure explain_agent_failure(const NodeSpec& node, const wire::Failure& failure);
/// Why the agent could not be put on the node or started: the script's exit status and output.
Failure explain_agent_start(const NodeSpec& node, int status, const std::string& output,
                            const std::string& errors);

/// The end of a rank in one sentence ("was killed by signal 9 (SIGKILL)", "exited with code 1"), and, where
/// its output shows it, why and what to do ("A shared library is missing on node2: …").
std::string describe_exit(const ExitEvent& exit);
struct ExitHint {
    FailureId id;
    std::string what;
    std::string remedy;
};
ExitHint hint_for_exit(const std::string& node, const ExitEvent& exit);

}  // namespace rankscope::inline nodes
