// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/node_task.h>
#include <remote/wire/frames.pb.h>

#include <string>

namespace rankscope {

/// What an agent is told of a run whatever starts it: all but ranks, peers, master and what
/// own_program_spec.h adds once the ranks are there.
wire::StartRun start_spec(const RunContext& context);

/// Adds one rank of the plan. `pushed_folder`: where it works when the job names no workdir; may be empty.
void add_rank(wire::StartRun& run, const RankPlan& rank, const RunContext& context,
              const std::string& pushed_folder);

}  // namespace rankscope
