// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/launch_context.h>
#include <remote/wire/frames.pb.h>

#include <string>

namespace rankscope::inline runs {

/// What an agent needs to start a run, whatever launches it: all but ranks, peers, master and what
/// own_program_spec.h adds once the ranks are there. The native engine's device is the plan's. `bundle`: what the node was
/// sent of it; may be nothing.
wire::StartRun start_spec(const LaunchContext& context, const LaunchPlan& plan,
                          const std::optional<WorkerBundle>& bundle);

/// Adds one rank of the plan. `pushed_folder`: where it works when the job names no workdir; may be empty.
void add_rank(wire::StartRun& run, const RankPlan& rank, const LaunchContext& context,
              const std::string& pushed_folder);

}  // namespace rankscope::inline runs
