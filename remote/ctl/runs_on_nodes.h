// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/attach_run.h>
#include <remote/ctl/options.h>
#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/runs/store/stop_order.h>

#include <string>
#include <vector>

namespace rankscope::ctl {

/// Runs as the nodes themselves know them, whichever computer started them. Each returns the exit code.
int list_on_nodes(const GlobalOptions& options, const std::vector<std::string>& nodes);
/// Reads what these nodes have of it into the run store, from the first event that they still keep, and continues like
/// attach_run().
int attach_on_nodes(const GlobalOptions& options, const std::string& run_id,
                    const std::vector<std::string>& nodes, const AttachOptions& how);
/// Its supervisors pass the stop on to the nodes that are not named.
int stop_on_nodes(const GlobalOptions& options, const std::string& run_id,
                  const std::vector<std::string>& nodes, StopKind kind);

/// How much of NCCL is observed in a run from now on; `nodes` empty: those of its plan.
int set_nccl_level(const GlobalOptions& options, const std::string& run_id, std::vector<std::string> nodes,
                   const NcclLevelChange& change);

}  // namespace rankscope::ctl
