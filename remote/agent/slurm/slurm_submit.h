// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// Makes the run's folder with spec and script and gives the script to sbatch. Replies SlurmSubmitted, or
/// Failure: slurm-missing (which program), slurm-refused (what sbatch said), slurm-silent, or the disk's.
/// Blocks as long as sbatch does, at most a minute.
void submit_slurm(const wire::SubmitSlurm& submit, const NodePaths& paths, wire::Reply& reply);

/// Ends the run's job: one that waits at once, one that runs through its supervisors, as a stop over SSH.
void cancel_slurm(const wire::CancelSlurm& cancel, const NodePaths& paths, wire::Reply& reply);

/// Tells the supervisors of the run's other nodes why they are to stop; to be followed by their signal.
void write_stop_cause(const RunDir& run, const std::string& cause);

}  // namespace rankscope::agent
