// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_plugin_variables.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Adds the variables by which NCCL loads librankscope-nccl.so in this rank, where the job asks for it
/// (nccl_profiler). What the job sets of them itself wins: its own plugin is loaded through Rankscope's, and a note says
/// so once. The rank's environment and device are complete before.
void add_nccl_plugin(RankPlan& rank, const Job& job, std::vector<std::string>& notes);

bool loads_nccl_plugin(const RankPlan& rank);
/// The rank's environment as without add_nccl_plugin(): for a start by another launcher.
std::map<std::string, std::string> environment_without_nccl_plugin(const RankPlan& rank);
/// Whether a rank of this node loads librankscope-nccl.so; an empty name: of any node.
bool observes_nccl(const LaunchPlan& plan, const std::string& node);

/// Of RANKSCOPE_NCCL_LEVEL; 0: off.
int nccl_level(NcclProfiler wanted);

}  // namespace rankscope::inline jobs
