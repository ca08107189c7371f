// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/run/log_share.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/wire/event.h>

#include <functional>
#include <memory>
#include <string>

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::inline runs {

struct ReadingSnapshot;

/// Receives every event of a run in order: the desk's and the nodes'. Called on the controller's thread,
/// never on the window's; must not block.
using EventSink = std::function<void(const Event&)>;
/// Called on the same thread, before the first event that needs it, whenever the plan is (re)made.
using PlanSink = std::function<void(const LaunchPlan&)>;

struct RunRequest {
    Inventory inventory;
    Job job;
    std::string job_yaml;                               ///< kept in the run store
    std::shared_ptr<SessionPool> sessions{};            ///< what probes have left open; may be null
    std::uint64_t log_limit = LogShare::kDefaultLimit;  ///< bytes of the ranks' output that are kept
    std::string parent{};                               ///< id of the run whose job this is; empty: none
    bool can_look = false;                              ///< RunController::look()
};

/// What attach() reads from the store, once, on a thread of the controller's.
struct AttachHooks {
    /// First of all, and once; not called where the store does not have the run.
    std::function<void(const RunRecord&)> record;
    /// Every stored event in order, before any new one. false: cancel.
    std::function<bool(const Event&)> past;
    /// The stored events are read, and the nodes are followed; or why not ("run-over" where it has ended).
    std::function<void(const Result<void>&)> ready;
    std::uint64_t log_limit = LogShare::kDefaultLimit;  ///< bytes of the ranks' new output that are kept
    bool can_look = false;                              ///< RunController::look()
};

/// Carries one run through connect → push → start → rendezvous → first step → end, on threads of its own, and
/// ends the run everywhere when a rank dies. The run itself belongs to the nodes: when a controller goes away
/// without stop(), training continues and attach() finds it again.
///
/// start() and attach() only make an id and a thread: no file, no store and no network is touched before they
/// return. No method waits, except where it says so.
class RunController {
public:
    /// Starts a new run. `store` may be null (nothing is kept).
    static std::unique_ptr<RunController> start(RunRequest request, std::shared_ptr<RunStore> store,
                                                Prompter prompter, EventSink events, PlanSink plan);
    /// Takes up a run of the store again and continues after the last event stored of each node.
    static std::unique_ptr<RunController> attach(const std::string& run_id, Inventory inventory,
                                                 std::shared_ptr<RunStore> store, Prompter prompter,
                                                 EventSink events, PlanSink plan, AttachHooks hooks);

    RunController(const RunController&) = delete;
    RunController& operator=(const RunController&) = delete;
    /// Detaches: cancels what the desk does and joins the threads, which may take seconds; the run continues.
    ~RunController();

    const std::string& run_id() const;
    /// SIGTERM, grace, SIGKILL on all nodes; with Force SIGKILL at once. The run ends here within the grace
    /// time, whatever the nodes do: a stop that a node has not confirmed is recorded in the store and
    /// delivered when a program of this computer reaches the node again.
    void stop(StopKind kind = StopKind::Graceful);
    /// SIGSTOP to all processes of the ranks on all nodes, or SIGCONT. Each node answers with a stage event
    /// "pause" or "continue".
    void pause(PauseAction action);
    /// Calls `look` on another thread with what the lines show so far, once all that has arrived is read; with the whole
    /// once the run is over. It may wait a moment. False: it is not called; the controller was made without `can_look`.
    bool look(std::function<void(std::shared_ptr<const ReadingSnapshot>)> look);
    /// True once the desk's EndEvent has been delivered, or attaching has failed.
    bool finished() const;
    /// All its ranks are started: it continues without this program.
    bool started() const;
    /// Blocks until the run is over or attaching has failed; returns the exit code.
    int wait();
    /// Blocks until all ranks are started or the run is over. True: they are started.
    bool wait_started();

private:
    class Impl;
    explicit RunController(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::inline runs
