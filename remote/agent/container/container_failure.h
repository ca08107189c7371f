// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/agent_failure.h>

#include <string>

namespace rankscope::agent {

/// Why a container does not start, from what its runtime printed: "no-container-runtime", "container-denied",
/// "no-container-image", "no-container", "container-gpu", "container-folder", else "container-start". Arguments: the
/// runtime, and the image or the container's name.
AgentFailure container_failure(const wire::Container& container, const std::string& said);
/// The same where the runtime could not be started (errno).
AgentFailure no_container_runtime(const wire::Container& container, int error);

}  // namespace rankscope::agent
