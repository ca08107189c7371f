// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

#include <string>

namespace rankscope::inline jobs {

/// What frameworks beside PyTorch read: JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES, JAX_PROCESS_ID, JAX_LOCAL_DEVICE_IDS,
/// and TF_CONFIG where the run is small enough that each rank can be told of all. A rank alone gets nothing. `endpoints`: of all
/// ranks, in their order, separated by commas; `gpus`: of its node.
void add_framework_environment(RankPlan& rank, const LaunchPlan& plan, const std::string& endpoints, int gpus,
                               int ranks_of_node);

/// Whether add_framework_environment() sets this variable.
bool is_framework_variable(const std::string& name);

}  // namespace rankscope::inline jobs
