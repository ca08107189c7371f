// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/agent/probes/proc_text.h>

#include <sys/types.h>

#include <functional>
#include <map>
#include <vector>

namespace rankscope::agent {

/// Every process of this node at one moment.
class ProcessTable {
public:
    static ProcessTable read();

    /// nullptr: there is none.
    const ProcessStat* find(pid_t pid) const;
    std::vector<pid_t> all() const;
    std::vector<pid_t> children_of(pid_t pid) const;
    /// The process and all below it, parents before children, siblings by age; those of one generation together.
    std::vector<pid_t> tree_of(pid_t root) const;

private:
    std::map<pid_t, ProcessStat> processes_;
    std::multimap<pid_t, pid_t> children_;
};

/// The processes that the supervisor of this folder has started, by rank. A rank whose process is gone is not in it.
/// A supervisor leaves each rank's process id in the rank's folder; the process counts while it is the supervisor's
/// child, or its environment names the folder. `shared`: other nodes write into this folder too; then it must do so. A program
/// that has started ranks itself is none, unless it is one of them: they stand in its place.
struct RankRoot {
    pid_t pid = 0;
    int outer_rank = 0;  ///< that Rankscope has started: its folder is the rank's
};
std::map<int, RankRoot> rank_processes(const RunDir& dir, bool shared, const ProcessTable& table);

/// The process of a rank's tree that does its work:
///
///  1. the nearest to the root that holds a TCP connection (`connects`): a rank talks to its peers;
///  2. else, down from the root: as long as a process is a shell, or waits for its child to end (`waits`), its child
///     with the most CPU time.
///
/// A data loader inherits the connections of the process that has started it, which is nearer to the root.
pid_t working_process(pid_t root, const ProcessTable& table, const std::function<bool(pid_t)>& connects,
                      const std::function<bool(pid_t)>& waits);

}  // namespace rankscope::agent
