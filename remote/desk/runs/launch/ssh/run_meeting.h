// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/plan/launch_plan.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Where the node threads of a starting run wait for one another: all connected → plan → inspected → all pushed → all
/// started → the supervisors know where to find one another. One failure, or an abort, releases everybody.
class RunMeeting {
public:
    RunMeeting(Inventory inventory, Job job, int nodes);

    enum class Point { Connected, Checked, Pushed, Started, Linked };

    /// Reports this node's facts; `master_port` is what the master node found free (0: not the master).
    void connected(const std::string& node, const NodeFacts& facts, int master_port);
    void arrive(Point point);
    /// Waits until all nodes have arrived. false: aborted.
    bool wait_all(Point point);
    /// Valid after wait_all(Connected) returned true.
    LaunchPlan plan() const;
    /// For all nodes at once.
    void pass(Point point);
    bool passed(Point point) const;
    int arrived(Point point) const;
    /// What the nodes reported. Valid as plan() is.
    KnownFacts facts() const;
    /// Makes the plan again with these addresses of nodes.
    void use_addresses(const std::map<std::string, std::string>& addresses);
    /// Where the master's supervisor listens for the others; 0: it does not. Valid after wait_all(Started).
    void set_peer_port(int port);
    int peer_port() const;
    /// Where the others may reach the master, the plan's address first.
    std::vector<std::string> master_addresses() const;
    int nodes() const { return nodes_; }

    void abort(const Failure& failure);
    std::optional<Failure> failure() const;

private:
    void make_plan_locked();

    Inventory inventory_;
    Job job_;
    int nodes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_[5] = {0, 0, 0, 0, 0};
    KnownFacts facts_;
    int master_port_ = 0;
    int peer_port_ = 0;
    std::optional<LaunchPlan> plan_;
    std::optional<Failure> failure_;
};

}  // namespace rankscope::inline runs
