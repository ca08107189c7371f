// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/deploy/environment_source.h>
#include <remote/desk/nodes/deploy/user_tree.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/diagnosis/check.h>
#include <remote/wire/event.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::inline runs {

/// What a launcher reports to its run. All may be called on any thread; post() may wait where the run's store
/// is slower than its nodes.
struct LaunchReports {
    std::function<void(std::vector<Event>)> post;
    std::function<void(const LaunchPlan&)> plan;     ///< the plan that is in force from now on
    std::function<void()> started;                   ///< the run no longer needs this program
    std::function<void(const Failure& why)> failed;  ///< the run is over, for this reason
    /// The run does not start: these checks failed.
    std::function<void(const std::vector<Check>& checks)> faulty;
    std::function<void()> ended;  ///< the run is over, as the exits of its ranks show
    /// A node was reached: its facts, and a link over which other things can be said before anything else.
    std::function<void(const NodeSpec& node, const NodeFacts& facts, AgentLink& link)> reached;
    /// What a preflight of the start found: node/version_names.h.
    std::function<void(const std::string& node, const std::map<std::string, std::string>& versions)> versions;
};

/// One run, as all parts of its launcher see it. Set up before the launcher exists; only the files of push:
/// change afterwards.
struct LaunchContext {
    std::string run_id;
    std::string token;
    Job job;
    Inventory inventory;
    std::unique_ptr<EnvironmentSource> environment;  ///< of a job with environment:, else null
    std::optional<WorkerBundle> bundle;              ///< of a program of the user: what its ranks load
    Prompter prompter;
    std::shared_ptr<SessionPool> sessions;  ///< may be null
    LaunchReports reports;

    void post(Event event) const;
    /// A stage event of the desk.
    void stage(StageName name, StageStatus status, const std::string& detail = {},
               double progress = -1) const;
    /// Sets `bundle` and `environment`. Fails where the run cannot do without it; that NCCL is not observed is a note.
    Result<void> find_parts(const LaunchPlan& first_plan);
    /// `bundle` as nodes with this processor get it; nothing where `bundle` is.
    Result<std::optional<WorkerBundle>> bundle_for(const std::string& machine) const;
    /// Whether ranks of this node (an empty name: of any) run from the bundle, or load a library of it.
    bool needs_bundle(const LaunchPlan& plan, const std::string& node) const;
    /// The files of push:, read once for all nodes by the first caller.
    const Result<UserTree>& files(const std::stop_token& stop, const AgentLink::Progress& progress);

private:
    std::mutex tree_mutex_;
    std::optional<Result<UserTree>> tree_;
};

}  // namespace rankscope::inline runs
