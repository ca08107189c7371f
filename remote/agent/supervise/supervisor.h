// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// Runs in the detached process: starts this node's ranks, keeps everything they say in the spool, takes all
/// of them down when one dies or on request, and leaves no process behind. `ready_fd` gets one frame of
/// wire::Reply (Started or Failure) once the ranks are started. Returns the process's exit status.
int run_supervisor(const RunDir& dir, const NodePaths& paths, int ready_fd);

/// Around run_supervisor: holds the run's lock, and when the supervisor itself is killed, kills everything
/// below it and writes the end of the spool in its place.
int run_guarded_supervisor(const RunDir& dir, const NodePaths& paths, int ready_fd);

/// Whether a process holds the run's lock.
bool supervisor_is_alive(const RunDir& dir);

/// Writes exits and the End "lost" into a spool that has none, if no process holds the lock. Returns true if it
/// did.
bool close_abandoned_spool(const RunDir& dir);

}  // namespace rankscope::agent
