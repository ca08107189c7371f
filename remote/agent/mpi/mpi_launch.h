// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::agent {

// mpirun over the nodes of a run without ssh between them: it starts on the first node, below mpi_head(), and takes
// mpi_rsh() for its remote shell. On each other node mpi_node() waits and starts what mpirun wants there (orted, prted,
// hydra_pmi_proxy), so that every process of MPI is a descendant of the supervisor of its node.
// reference: Open MPI's plm/rsh component, PRRTE's plm/ssh component, Hydra's user guide ("Launchers").
// The connections are sealed with the run's token (RANKSCOPE_TOKEN, RANKSCOPE_RUN_ID in the environment).

/// "ENDPOINT HOSTS -- COMMAND…". ENDPOINT: ADDRESS:PORT, where it listens for the other nodes. HOSTS: "10.0.0.1:2,10.0.0.2:2":
/// addresses and slots, its own first. Waits until all have come, starts the command and returns its exit code; 128 and
/// the signal where one has ended it.
int mpi_head(int argc, char** argv);

/// "ENDPOINT ADDRESS": connects to the head, says that it is ADDRESS, starts what it is sent, and returns 0 when
/// the head is done.
int mpi_node(int argc, char** argv);

/// "[OPTION…] HOST COMMAND…", as ssh. The head, found by RANKSCOPE_MPI_HEAD, passes it on. Returns the command's exit code.
int mpi_rsh(int argc, char** argv);

}  // namespace rankscope::agent
