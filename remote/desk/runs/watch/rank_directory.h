// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rankscope::inline runs {

/// Which rank of the run a rank of one of NCCL's communicators is.
class RankDirectory {
public:
    /// From the profiler: certain.
    void add_member(std::uint64_t communicator, int rank_there, int rank);
    /// From the node's own list of processes.
    void add_process(const std::string& node, std::int64_t pid, int rank);
    /// The processes of an earlier attempt are gone.
    void clear();

    /// -1: not known. By the profiler, else by the process, else, in a communicator as large as the run, by its number
    /// there: libraries make that one of all ranks in order.
    int rank_of(const RasRank& rank, std::uint64_t communicator, int size, const LaunchPlan& plan) const;

private:
    std::map<std::pair<std::uint64_t, int>, int> members_;
    std::multimap<std::int64_t, std::pair<std::string, int>> processes_;  ///< node and rank, by pid
};

}  // namespace rankscope::inline runs
