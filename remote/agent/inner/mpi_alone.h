// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inner/inner_tree.h>
#include <remote/wire/frames.pb.h>

#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Whether the memory map of a process (/proc/PID/maps) has a library of MPI.
bool maps_mpi(std::string_view maps);

/// Whether a rank uses MPI though nothing has started it that MPI knows: its job has the variables of mpirun, which tell
/// it of others, but MPI_Init finds nobody. `tree`: the rank's own process and those below it.
bool is_alone_in_mpi(const wire::RankSpec& rank, const std::vector<TreeProcess>& tree);

}  // namespace rankscope::agent
