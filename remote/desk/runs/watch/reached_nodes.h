// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/session_pool.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The one node that reaches those of a run, which have no connection of their own: the login node of a Slurm cluster.
struct ThroughNode {
    NodeSpec node;
    /// A request to a node of the run, as the agent of this one takes it.
    std::function<wire::Request(const std::string& node, wire::Request request)> wrap;
    double delay_s = 0;  ///< how much longer an answer takes that way
};

struct ReachedNode {
    NodeSpec spec;
    NodeConnection connection;       ///< no link: see `failure`, or it is reached through another node
    std::optional<Failure> failure;  ///< it could not be reached, or does not answer any more
    /// Asks its agent; set where there is no failure.
    std::function<Result<wire::Reply>(wire::Request request, double timeout_s)> ask = {};
};

/// The nodes of a run in progress, for who asks them something once. Used by one thread.
class ReachedNodes {
public:
    /// A stop request wakes whatever waits. A node of the plan that is not in the inventory is not reached, unless
    /// `through` reaches it.
    ReachedNodes(const LaunchPlan& plan, const Inventory& inventory, std::optional<ThroughNode> through,
                 std::stop_token stop);

    /// Connects to all of them, at the same time. Failure: none was reached; that of the first.
    Result<void> connect(const Prompter& prompter);
    /// Calls the action for each node without a failure, in a thread of its own; returns when all are done.
    void for_all(const std::function<void(ReachedNode&)>& action);
    /// Until the time is over or a stop is requested.
    void wait(int ms) const;

    std::vector<ReachedNode>& all() { return nodes_; }
    std::map<std::string, Failure> unreachable() const;

private:
    Result<void> connect_through(const Prompter& prompter);
    Result<wire::Reply> ask_through(const std::string& node, wire::Request request, double timeout_s);

    std::optional<ThroughNode> through_;
    std::mutex link_mutex_;  ///< of through_'s connection, which all threads use
    NodeConnection shared_;  ///< to through_
    std::stop_token stop_;
    WakeFd wake_;
    std::stop_callback<std::function<void()>> on_stop_;
    std::vector<ReachedNode> nodes_;
};

}  // namespace rankscope::inline runs
