// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Stand for what only the allocation knows; the agent on its nodes puts the values in their place.
inline constexpr const char* kMasterAddrPlaceholder = "{master_addr}";
inline constexpr const char* kMasterPortPlaceholder = "{master_port}";
inline constexpr const char* kAddressPlaceholder = "{address}";  ///< the rank's own node

/// The plan of a job with launcher slurm before Slurm has granted nodes: they are called "slurm[0]",
/// "slurm[1]", … Ranks per node are procs_per_node, else the GPUs that gres asks for, else one. The
/// environment is torchrun's and, as srun would give it with one task per rank, Slurm's (SLURM_PROCID,
/// SLURM_LOCALID, SLURM_NTASKS, …).
Result<LaunchPlan> make_slurm_plan(const Inventory& inventory, const Job& job);

/// Nodes and ranks of a plan whose job another desk knows: no command, no environment.
LaunchPlan unallocated_plan(int nodes, int ranks_per_node, LaunchPlan plan);

/// The same plan once the hosts are known, in the order of `scontrol show hostnames`.
LaunchPlan with_allocation(LaunchPlan plan, const std::vector<std::string>& hosts, int master_port);

/// The arguments of sbatch that the job file asks for; script and output are the agent's.
std::vector<std::string> sbatch_arguments(const Job& job, int ranks_per_node);

}  // namespace rankscope::inline jobs
