// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// Has the ranks of this node write their Flight Recorder's dumps, and returns them, each packed as a zstd frame. Of a
/// rank whose process is gone: the dump that PyTorch has left. Blocks this thread for at most the time of the request.
wire::FlightDumps dump_run_flight(const NodePaths& paths, const wire::DumpFlight& request,
                                  const std::stop_token& stop);

}  // namespace rankscope::agent
