// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/files/bundle_store.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <optional>

namespace rankscope::agent {

/// Makes the run's folder, starts its supervisor detached from this process and waits until the ranks are
/// started. Fills `reply` with Started or Failure.
void launch_run(const wire::StartRun& run, const NodePaths& paths, wire::Reply& reply);

}  // namespace rankscope::agent
