// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// Makes the run's folder with spec and script and gives the script to sbatch. Failures: slurm-missing (which
/// program), slurm-refused (what sbatch said), slurm-silent, or the disk's. Blocks as long as sbatch does, at
/// most a minute.
AgentResult<wire::SlurmSubmitted> submit_slurm(const wire::SubmitSlurm& submit, const NodePaths& paths);

/// Ends the job of a run's folder: a pending one at once, a running one through its supervisors, as a stop over SSH.
/// Failures: no-such-run (no job of Slurm's), slurm-cancel (what scancel said).
AgentResult<wire::Stopping> cancel_slurm(const wire::CancelSlurm& cancel, const SlurmDir& dir);

/// Writes, for the supervisors of the run's other nodes, why they must stop; their signal follows.
void write_stop_cause(const RunDir& run, const std::string& cause);

}  // namespace rankscope::agent
