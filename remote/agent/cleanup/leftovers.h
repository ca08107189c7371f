// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// What is left on this node: processes of runs (by their supervisor, else by the run's id in their environment) with the
/// ports they listen on and the GPU memory they hold, the user's segments in /dev/shm that no process of the user has
/// mapped ("shared-memory" where the name is known, and freed by clean(); "other-shared-memory" is only
/// reported), and, of all users, who holds GPU memory. What belongs to a live run is marked, whichever Rankscope of this
/// user runs it. With a port: only who listens there. Changes nothing.
wire::LeftoverList find_leftovers(const NodePaths& paths, const wire::Leftovers& request);

}  // namespace rankscope::agent
