// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>
#include <string>

namespace rankscope::agent {

/// Starts the container as a run would and looks at the node from within it; nothing is left. Without the image: pulls it
/// first where the request says so, at most for an hour.
wire::ContainerState inspect_container(const NodePaths& paths, const wire::InspectContainer& request,
                                       const std::stop_token& stop);

/// `rankscope-agent container-look ROOT REQUEST`: within the container. REQUEST is an InspectHost in hexadecimal; prints a
/// line that inspect_container() reads. Returns an exit code.
int container_look(const NodePaths& paths, const std::string& request);

}  // namespace rankscope::agent
