// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/config/inventory.h>
#include <remote/desk/config/job.h>
#include <remote/desk/plan/launch_plan.h>
#include <remote/desk/transport/prompter.h>
#include <remote/wire/event.h>

#include <functional>
#include <memory>
#include <string>

namespace rankscope {

class RunStore;

/// Receives every event of a run in order: the desk's and the nodes'. Called on the controller's thread,
/// never on the window's; must not block.
using EventSink = std::function<void(const Event&)>;
/// Called on the same thread, before the first event that needs it, whenever the plan is (re)made.
using PlanSink = std::function<void(const LaunchPlan&)>;

class SessionPool;

struct RunRequest {
    Inventory inventory;
    Job job;
    std::string job_yaml;                     ///< kept in the run store
    std::shared_ptr<SessionPool> sessions{};  ///< what probes have left open; may be null
};

/// Carries one run through connect → push → start → rendezvous → first step → end, on threads of its own, and
/// ends the run everywhere when a rank dies. The run itself belongs to the nodes: when a controller goes away
/// without stop(), training goes on and attach() finds it again.
class RunController {
public:
    /// Starts a new run. Returns at once; everything else arrives as events. `store` may be null (nothing is
    /// kept).
    static std::unique_ptr<RunController> start(RunRequest request, std::shared_ptr<RunStore> store,
                                                Prompter prompter, EventSink events, PlanSink plan);
    /// Takes up a run of the store again: replays nothing (the caller reads the store), goes on after the
    /// last event stored of each node.
    static Result<std::unique_ptr<RunController>> attach(const std::string& run_id, Inventory inventory,
                                                         std::shared_ptr<RunStore> store, Prompter prompter,
                                                         EventSink events, PlanSink plan);

    RunController(const RunController&) = delete;
    RunController& operator=(const RunController&) = delete;
    /// Detaches: cancels what is under way on the desk's side and joins the threads; the run itself goes on.
    ~RunController();

    const std::string& run_id() const;
    /// SIGTERM, grace, SIGKILL on all nodes; with `force` SIGKILL at once. Does not wait.
    void stop(bool force = false);
    /// SIGSTOP to all processes of the ranks on all nodes, or SIGCONT. Each node answers with a stage event
    /// "pause" or "continue". Does not wait.
    void pause(bool resume);
    /// True once the desk's EndEvent has been delivered.
    bool finished() const;
    /// Blocks until the run is over (or, with until_started, until it is under way); returns the exit code.
    int wait();
    /// Blocks until all ranks are started or the run is over. True: it is under way.
    bool wait_started();

private:
    class Impl;
    explicit RunController(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope
