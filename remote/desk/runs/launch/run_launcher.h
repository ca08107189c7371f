// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/runs/launch/launch_context.h>
#include <remote/desk/runs/store/stop_order.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::inline runs {

enum class PauseAction { Pause, Continue };

/// Why a node that answers may not report the end of its part, as far as it has said so.
enum class NodeTrouble { None, SupervisorStopped, DiskFull };

/// What the desk knows of one node's part of a run. Seconds are those of
/// monotonic_s().
struct NodeStatus {
    std::string node;
    bool ended = false;             ///< its last event was received, or its part never started
    bool reachable = false;         ///< it answers
    double last_seen_s = 0;         ///< last sign of life, or of the first attempt
    std::int64_t last_seen_us = 0;  ///< the same by the clock, µs since 1970; 0: none yet
    NodeTrouble trouble = NodeTrouble::None;
};

/// Starts the ranks of one run and follows them: over SSH node by node, by Slurm, … It owns the threads that
/// it needs; everything it learns goes to the LaunchReports of its context. All methods return at once and
/// may be called by any thread; start() or attach() is called once. See docs/add-a-launcher.md.
class RunLauncher {
public:
    virtual ~RunLauncher() = default;

    virtual void start() = 0;
    /// Takes up a run again: recall() was called for every stored event. Follows those parts that are not
    /// over yet. Failure: what the run needs is no longer there.
    virtual Result<void> attach() = 0;
    /// Before attach(): one event that the store has.
    virtual void recall(const Event& event) = 0;

    virtual void stop(const StopOrder& order) = 0;
    virtual void pause(PauseAction action) = 0;
    /// The attempt of a failure after which nothing can be started again.
    static constexpr int kAnyAttempt = std::numeric_limits<int>::max();
    /// A rank failed in this attempt, perhaps on another node: the nodes that do not know it yet must hear.
    virtual void report_failure(const std::string& cause, int attempt) = 0;
    /// The other nodes reported this one lost: try it soon, and do not wait for it longer than needed.
    virtual void presume_lost(const std::string& node) = 0;
    /// Stops waiting for a node: its part ends as lost, with this detail, and is not followed any longer.
    virtual void conclude_lost(const std::string& node, const std::string& detail) = 0;
    /// Sends a request to the agent of one node, beside the events of the run. `on_reply` is called once, on a
    /// thread of the launcher: with the reply, or with the failure of the node, of the link or of the time.
    using OnReply = std::function<void(Result<wire::Reply>)>;
    virtual void ask(const std::string& node, wire::Request request, double timeout_s, OnReply on_reply) = 0;
    /// Ends the conversations, not the run. The destructor then waits for the threads.
    virtual void leave() = 0;

    /// The nodes that this desk talks to. Empty before start() has found them.
    virtual std::vector<NodeStatus> nodes() const = 0;
    /// Seconds that a reachable node may take to confirm a stop.
    virtual double stop_allowance_s() const = 0;
};

/// What a launcher can do; asked before one exists (a form, a menu) and while it works.
struct LauncherAbilities {
    bool pauses = false;  ///< RunLauncher::pause() has an effect
    /// The launcher knows when a run is over (LaunchReports::ended); else it is when all its nodes are.
    bool reports_end = false;
    /// How much longer than over SSH the answer to ask() may take.
    double look_delay_s = 0;
};

/// One row of the table in launchers.cpp.
struct LauncherKind {
    const char* name = "";  ///< a name of job_launchers()
    LauncherAbilities abilities;
    /// What will run where. Touches no node; without facts of a node its inventory entry alone counts.
    Result<LaunchPlan> (*plan)(const Inventory& inventory, const Job& job, const KnownFacts& facts) = nullptr;
    std::unique_ptr<RunLauncher> (*make)(LaunchContext& context, const LaunchPlan& plan) = nullptr;
    /// The request with which the agent of the submitting node asks another one (RunLauncher::ask), of a run whose nodes
    /// only that one reaches. Null: each node has a connection.
    wire::Request (*ask_through)(const std::string& run_id, const std::string& node,
                                 wire::Request request) = nullptr;
    /// Makes the job and the plan of a run that another desk has submitted on `node`, so that attach() finds it.
    /// Null: its nodes are asked for its events instead.
    void (*adopt)(const SubmittedRun& run, const std::string& node, Job& job, LaunchPlan& plan) = nullptr;
    /// The request that delivers a recorded stop to an agent.
    wire::Request (*stop_request)(const StopOrder& order) = nullptr;
};

/// Never fails: a job file is checked before.
const LauncherKind& launcher_kind(const Job& job);
const LauncherKind* launcher_kind(const std::string& name);
/// The plan of a job, made by its launcher.
Result<LaunchPlan> make_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts);

}  // namespace rankscope::inline runs
