// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

namespace rankscope::agent {

/// Runs as the one task of a node inside a Slurm allocation: takes this node's ranks out of the run's spec,
/// fills in what is known only now (master, port), supervises them as any node does, with a spool in the
/// run's shared folder. When this node's part fails, the supervisors of the other nodes are stopped. Returns
/// 0 for every end that the spool records; anything else makes srun end the whole step.
int slurm_supervise(const RunDir& run);

}  // namespace rankscope::agent
