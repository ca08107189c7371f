// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/slurm/slurm_job.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// What the folder of a run that Slurm starts says of all its nodes, as a list of runs has it: begin, end, outcome,
/// size of the spools. Slurm is asked only where the spools do not say that it is over. Run id, name and desk are
/// the caller's. Nothing: no job of Slurm's.
std::optional<wire::RunEntry> summarize_slurm_run(const SlurmDir& dir, const wire::StartRun& run);

}  // namespace rankscope::agent
