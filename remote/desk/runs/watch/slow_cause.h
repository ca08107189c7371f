// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/desk/runs/watch/rank_use.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What makes a rank slow: `reason` of the verdict rank-slow.
enum class SlowReason {
    Unknown,
    CpuQuota,        ///< its control group permits too little CPU time
    Neighbour,       ///< another process uses its CPUs
    CpuFrequency,    ///< its CPU runs at a lower frequency
    MemoryPressure,  ///< its memory is paged out, or reclaimed
    SlowDisk,        ///< it waits for a file system
    DataWait,        ///< it waits for processes of its own that load data
    Sleeps,          ///< its program sleeps
    MoreWork,        ///< it computes more than the others
    SlowLink,        ///< the network takes its data slowly
    GpuThrottled,    ///< its GPU has lowered its clock
    PcieWidth,       ///< its GPU has a narrower link
};

}  // namespace rankscope::inline runs

namespace rankscope {

template <>
struct EnumNames<SlowReason> {
    static constexpr auto names = std::to_array<const char*>(
        {"unknown", "cpu-quota", "neighbour", "cpu-frequency", "memory-pressure", "slow-disk", "data-wait",
         "sleeps", "more-work", "slow-link", "gpu-throttled", "pcie-width"});
};

}  // namespace rankscope

namespace rankscope::inline runs {

struct SlowCause {
    SlowReason reason = SlowReason::Unknown;
    std::string because = {};                ///< the rest of a sentence: "its control group permits 0.5 CPUs"
    std::vector<std::string> evidence = {};  ///< sentences with figures
    std::vector<std::string> fix = {};
};

/// What differs at `rank`, whose own share of the time is by `excess` larger than that of the others.
SlowCause cause_of(int rank, double excess, const std::map<int, RankUse>& ranks);

/// "43 %".
std::string percent(double share);
/// "0.52", "12".
std::string short_number(double value);

}  // namespace rankscope::inline runs
