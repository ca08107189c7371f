// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/preflight/preflight.h>
#include <remote/desk/runs/watch/rank_looks.h>
#include <remote/desk/runs/watch/reached_nodes.h>
#include <remote/diagnosis/verdict.h>

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

struct ExaminationRequest {
    std::string run_id;
    LaunchPlan plan;
    Inventory inventory;
    Job job;
    Prompter prompter;
    std::function<void(const std::string&)> progress = {};  ///< short texts, any thread
    std::optional<ThroughNode> through = {};  ///< reaches the nodes, where the inventory does not have them
};

/// What a run does now.
struct RunExamination {
    std::map<int, RankSeen> ranks;               ///< of the nodes that answered
    std::map<std::string, Failure> unreachable;  ///< by node
    std::set<int> unseen;                        ///< ranks that nothing is known of
    std::optional<Verdict> verdict;        ///< what holds it; nothing: nothing does, or no cause was found
    std::optional<PreflightReport> paths;  ///< between its nodes, where there are two or more
};

/// Connects to the nodes of a run in progress, looks at its ranks several times within some seconds, and tests the
/// paths between its nodes, where it has a connection to each. Changes nothing. Blocks. Failure: "cancelled", or no node could be reached.
Result<RunExamination> examine_run(const ExaminationRequest& request, const std::stop_token& stop);

}  // namespace rankscope::inline runs
