// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/watch/rank_looks.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// A connection that gets no answer from the host at its other end.
struct SilentPath {
    int from_rank = -1;     ///< the rank that gets no answer
    int to_rank = -1;       ///< the rank at the other end; -1: not known
    std::string from = {};  ///< nodes
    std::string to = {};    ///< empty: no node of the run has this address
    std::string local_address = {};
    std::string address = {};
    int port = 0;
    bool connecting = false;  ///< SYN sent, no answer; else data is not acknowledged
    RankSocket socket = {};
};

/// Who waits for whom, as the ranks' activities and sockets show it.
struct RankWaits {
    std::vector<int> waiting = {};  ///< only for other ranks
    std::vector<int> working = {};  ///< they use the CPU, read or write
    std::vector<int> stuck = {};    ///< they do neither, and are not in a collective
    /// By rank: those whose data it waits for, where its sockets show it.
    std::map<int, std::set<int>> waits_for = {};
    std::vector<SilentPath> silent_paths = {};
    bool talking = false;  ///< data came from another rank since the look before
    bool certain =
        false;  ///< the waiting ones are in a collective without doubt: stacks or their own socket show it
};

/// Pure. `ranks`: the latest look at all ranks that have answered.
RankWaits find_waits(const std::map<int, RankSeen>& ranks, const LaunchPlan& plan);

/// The node that all these paths have in common; empty: none, or two alike.
std::string common_node(const std::vector<SilentPath>& paths);

}  // namespace rankscope::inline runs
