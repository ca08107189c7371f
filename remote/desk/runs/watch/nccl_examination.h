// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/desk/runs/watch/reached_nodes.h>
#include <remote/observe/flight_recorder/flight_dump.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

struct NcclExaminationRequest {
    std::string run_id;
    LaunchPlan plan;
    Inventory inventory;
    Prompter prompter;
    std::optional<ThroughNode> through = {};  ///< reaches the nodes, where the inventory does not have them
    bool ras = true;              ///< ask NCCL's RAS service; twice where ranks differ, some seconds apart
    bool flight_recorder = true;  ///< have the ranks write their dumps; twice likewise
    std::function<void(const std::string&)> progress = {};  ///< short texts, any thread
};

/// What NCCL itself and PyTorch know of the collectives of a run in progress.
struct NcclExamination {
    std::map<std::string, Failure> unreachable;  ///< by node
    std::string ras_node;                        ///< that answered; empty: none
    std::string ras_outcome;                     ///< of the node asked last: "answered", "refused", …
    std::optional<RasReport> ras;
    /// By communicator and rank there: the rank of the run, where it is known.
    std::map<std::pair<std::uint64_t, int>, int> ranks;
    std::map<int, std::string> flight_outcomes;  ///< by rank: "dumped", "no-pipe", …
    std::map<int, FlightDump> dumps;
    std::map<int, std::string> dump_files;    ///< as PyTorch wrote them
    std::vector<CollectiveFinding> findings;  ///< causes first
};

/// Connects to the nodes of a run in progress and asks. Changes nothing. Blocks. Failure: "cancelled", or no node could
/// be reached.
Result<NcclExamination> examine_nccl(const NcclExaminationRequest& request, const std::stop_token& stop);

}  // namespace rankscope::inline runs
