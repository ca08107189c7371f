// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <remote/desk/node/node_connection.h>
#include <remote/desk/node/session_pool.h>
#include <remote/desk/plan/launch_plan.h>

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope {

struct ReachedNode {
    NodeSpec spec;
    NodeConnection connection;       ///< no link: see `failure`
    std::optional<Failure> failure;  ///< it could not be reached, or does not answer any more
};

/// The nodes of a run in progress, for who asks them something once. Used by one thread.
class ReachedNodes {
public:
    /// A stop request wakes whatever waits.
    ReachedNodes(const LaunchPlan& plan, const Inventory& inventory, std::stop_token stop);

    /// Connects to all of them, at the same time. Failure: none was reached; that of the first.
    Result<void> connect(const Prompter& prompter);
    /// Calls the action for each node without a failure, in a thread of its own; returns when all are done.
    void for_all(const std::function<void(ReachedNode&)>& action);
    /// Until the time is over or a stop is requested.
    void wait(int ms) const;

    std::vector<ReachedNode>& all() { return nodes_; }
    std::map<std::string, Failure> unreachable() const;

private:
    std::stop_token stop_;
    WakeFd wake_;
    std::stop_callback<std::function<void()>> on_stop_;
    std::vector<ReachedNode> nodes_;
};

}  // namespace rankscope
