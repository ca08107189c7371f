// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/wire/frames.pb.h>

#include <optional>
#include <string>

namespace rankscope::inline nodes {

/// Sentences for what the agent on a login node says of sbatch, scancel, scontrol (codes "slurm-…").
Failure explain_slurm_failure(const NodeSpec& login, const wire::Failure& failure);

/// Why Slurm itself ended the job, or why nothing of it could be started: its time limit, preemption, a
/// failed node, too little memory, scancel by another person, a folder that the nodes do not share. Nothing: an end that
/// the ranks explain. `cancelled_by_us`: a stop of ours was sent.
std::optional<Failure> explain_slurm_end(const NodeSpec& login, const wire::SlurmState& state,
                                         bool cancelled_by_us);

/// "job 12 waits: PENDING (Resources: …), start estimated 14:05".
std::string describe_slurm_queue(const wire::SlurmState& state);

/// "job 12: COMPLETED, exit 0:0, elapsed 00:00:05, largest memory of a task 120 MB (sacct)".
std::string describe_slurm_end(const wire::SlurmState& state);

}  // namespace rankscope::inline nodes
