// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_text.h>
#include <remote/agent/probes/rank_processes.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <stop_token>
#include <vector>

namespace rankscope::agent {

inline constexpr std::uint32_t kMostSamples = 200;  ///< of a rank
inline constexpr double kLongestSeries = 10;        ///< seconds

/// A rank to be sampled.
struct SeriesTarget {
    pid_t works = 0;                    ///< whose main thread is sampled
    std::vector<pid_t> tree = {};       ///< the rank's processes: no neighbours
    std::vector<pid_t> helpers = {};    ///< those below `works`
    std::vector<int> threads = {};      ///< others of `works`, those with the most CPU time first
    std::vector<Mount> mounts = {};     ///< as `works` has them
    wire::RankSeries* found = nullptr;  ///< the result
};

/// Samples what the main threads do, all ranks at the same moments, spread unevenly over `seconds`: much cheaper than as
/// many looks. `before`: the processes of the node when the series begins, which show the neighbours.
void take_series(std::vector<SeriesTarget>& targets, std::uint32_t samples, double seconds,
                 const ProcessTable& before, const std::stop_token& stop);

}  // namespace rankscope::agent
