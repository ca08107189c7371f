// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the run will use of the network.
struct PathPlan {
    std::size_t master = 0;  ///< index into the views
    int master_port = 0;
    bool nccl = false;  ///< else Gloo
    /// By the index of a result: its attempts before the one that counts, without an answer.
    std::map<std::size_t, int> unanswered = {};
};

/// What the attempts to connect say: blocked ports, by whom and how, in which direction; wrong hosts; black holes;
/// slow, lossy and distant links. One check for each kind of fault, with all directions that show it, and one that
/// passes for each kind of path that is open everywhere.
std::vector<Check> path_checks(const std::vector<NodeView>& views, const std::vector<PathResult>& results,
                               const PathPlan& plan);

/// Whether the transfer was slow: that of a measured path.
bool is_slow(const PathResult& path);

/// "no answer (dropped)", "ICMP administratively prohibited from 10.0.0.1", …
std::string outcome_text(const wire::ConnectResult& result);

}  // namespace rankscope::inline runs
