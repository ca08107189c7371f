// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::inline runs {

/// Quick: what a start can wait for; no transfers that measure loss and bandwidth. Full: everything.
enum class PreflightDepth { Quick, Full };

/// What the run uses on a node, and why.
struct InterfaceChoice {
    std::string node;
    std::string interface_name;  ///< empty: none bears the address
    std::string address;
    std::string why;
};

struct PreflightReport {
    std::vector<std::string> nodes;  ///< the master first
    std::vector<Check> checks;       ///< the most serious first
    std::vector<InterfaceChoice> choices;
    std::vector<PathResult> paths;      ///< `from` and `to` count in `nodes`
    std::vector<NodeView> views;        ///< what was seen of `nodes`
    std::vector<std::string> untested;  ///< what was left out, for users
    LaunchPlan plan;                    ///< with the choices applied; master_port 0: none could be chosen
    std::map<std::string, std::string>
        addresses;  ///< node → address, where the choice differs from the plan's
    double seconds = 0;
};

/// A node that a run has connected already.
struct ConnectedNode {
    NodeSpec spec;
    NodeFacts facts;
    /// Asks its agent; blocks. Called on a thread of the preflight.
    std::function<Result<wire::Reply>(wire::Request request, double timeout_s)> call;
};

struct PreflightRequest {
    Inventory inventory;
    Job job;
    PreflightDepth depth = PreflightDepth::Full;
    Prompter prompter = {};
    SessionPool* sessions = nullptr;            ///< connections are taken from there and kept there
    std::vector<ConnectedNode> connected = {};  ///< instead of connections of its own; the master first
    std::optional<LaunchPlan> plan = {};        ///< of a run; else it is made
    bool paths_only = false;                    ///< of a run in progress: what it holds itself is no fault
    bool run_is_over = false;  ///< with paths_only: its rendezvous port is free, and is tested, too
    std::function<void(const std::string&)> progress = {};  ///< short texts, any thread

    bool tests_master_port() const { return !paths_only || run_is_over; }
};

/// Inspects the nodes of a job and every path between them, as the job will use them. Blocks; call it from a thread
/// of its own. Nodes that fail, hang or answer nonsense are named in a check; the results of the others are kept.
/// Failure: the job itself cannot be planned, or `stop`.
Result<PreflightReport> run_preflight(const PreflightRequest& request, const std::stop_token& stop);

}  // namespace rankscope::inline runs
