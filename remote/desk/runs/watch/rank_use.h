// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/rank_snapshot.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The answer of one node to a look at its ranks.
struct NodeLook {
    std::string node = {};
    std::vector<RankSnapshot> ranks = {};
};

/// What a rank did between two looks. Shares are of the time, 0…1.
struct RankUse {
    std::string node = {};
    double samples = 0;
    double own = 0;  ///< everything but waiting for other ranks
    double runs = 0;
    double file = 0;
    double child = 0;
    double sleeps = 0;
    double turns = 0;      ///< between waiting and anything else, in all
    double data = 0;       ///< by the rank's own report: it waits for its data
    double queued = 0;     ///< it could run and had no CPU
    double throttled = 0;  ///< by its control group
    double memory_stalled = 0;
    double memory_used = 0;  ///< of its node; 0: not known
    double faults = 0;       ///< pages read from disk, per second
    double cores = 0;        ///< CPU time of its process
    double cpu_hz = 0;       ///< 0: not known
    double pcie = 0;         ///< width of its GPU's link; 0: not known
    double cpu_limit = 0;
    std::string throttled_by = {};
    std::string file_name = {};
    std::string file_system = {};
    std::string source = {};
    std::vector<BusyProcess> neighbours = {};
};

/// All ranks between two looks.
struct Round {
    double t_s = 0;      ///< when it ended
    double seconds = 0;  ///< how long its samples took
    std::map<int, RankUse> ranks = {};
};

/// What a rank did; `before`: the look before, or nullptr.
RankUse use_of(const std::string& node, const RankSnapshot& now, const RankSnapshot* before);

/// The rounds as one: shares are means, weighted by their samples; counts are sums; names are of the last that has one.
/// Only ranks that are in all of them.
std::map<int, RankUse> together(const std::vector<const Round*>& rounds);

/// The middle of `values` without the one at `left_out`; 0: there is no other.
double median_of_others(const std::vector<double>& values, std::size_t left_out);

/// By how much each rank's own share exceeds the middle of the others'; 0 where there are no others.
std::map<int, double> excesses_of(const std::map<int, RankUse>& ranks);
/// That of one rank among the ranks of its stage of a pipeline; 0 for the only one. Among all where it has no stage.
double excess_in_stage(int rank, const std::map<int, RankUse>& ranks, const std::map<int, int>& stages);

}  // namespace rankscope::inline runs
