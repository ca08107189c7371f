// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/grammar/log_line.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// A collective that PyTorch's watchdog reports for a rank. -1 and empty: not printed.
struct TimedOutWork {
    LinePlace place = {};
    std::string host = {};
    double time = std::numeric_limits<double>::quiet_NaN();  ///< of the line that reports the time-out
    std::int64_t sequence = -1;
    std::int64_t last_enqueued = -1;  ///< of the rank, whatever timed out
    std::string operation = {};       ///< "ALLREDUCE"
    std::string size = {};            ///< "NumelIn=4, NumelOut=4", "TensorShape=[1]"
};

/// How the ranks of a process group differ.
enum class WorkOdds {
    None,    ///< they wait for the same collective, or too little is known
    Differ,  ///< at the same sequence number they run another operation, or with another size
    Behind,  ///< some have not come as far as the others
};

struct WorkComparison {
    WorkOdds odds = WorkOdds::None;
    std::vector<int> ranks = {};         ///< those that are unlike the others; empty: no majority
    std::vector<LinePlace> places = {};  ///< their lines first
};

/// Compares what the watchdogs of all ranks report, by process group.
class TimedOutWorks {
public:
    static constexpr std::size_t kMost = 100'000;

    /// Each line that is to be taken has one of them.
    static constexpr std::array<std::string_view, 2> kWords{"Watchdog caught collective operation timeout",
                                                            "last enqueued"};

    void take(const LogLine& line);
    /// Of the first group whose ranks differ.
    WorkComparison compare() const;

    using Ranks = std::map<int, TimedOutWork>;
    /// By the name that all ranks have for the group.
    const std::map<std::string, Ranks>& groups() const { return groups_; }

private:
    static WorkComparison compare(const Ranks& ranks);

    std::map<std::string, Ranks> groups_;
    std::size_t count_ = 0;
};

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::WorkOdds> {
    static constexpr auto names = std::to_array<const char*>({"none", "differ", "behind"});
};

}  // namespace rankscope
