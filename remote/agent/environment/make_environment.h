// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// Makes the environment in environments/<key>/ of the cache, or finds it there: the key is a hash of the files and of the
/// interpreter. uv makes it where the node has uv (or the desk has pushed it), else venv and pip. It is whole or not there;
/// two desks that want the same one wait for each other. Takes as long as the packages take to arrive.
wire::EnvironmentState make_environment(const NodePaths& paths, const wire::MakeEnvironment& request,
                                        const std::stop_token& stop);

}  // namespace rankscope::agent
