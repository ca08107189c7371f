// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_stats.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

/// Lines of NCCL Inspector of all processes → statistics. The lines have a process's rank in each communicator and not
/// in the run: that of its largest communicator counts, or the number of the process where this is not unique.
class InspectorIntake {
public:
    /// Whether it is a line of Inspector. `rank`: whose output it is from; -1: not known.
    bool take(std::string_view line, int rank = -1);

    bool empty() const { return lines_ == 0; }
    std::uint64_t lines() const { return lines_; }
    std::size_t processes() const { return processes_.size(); }
    CollectiveReport report();

private:
    struct Process {
        int number = 0;  ///< as a rank in stats_
        int rank = -1;   ///< given, or of its largest communicator
        int ranks = 0;   ///< of that
        bool given = false;
    };

    std::map<std::pair<std::string, std::int64_t>, Process> processes_;
    CollectiveStats stats_;
    std::uint64_t lines_ = 0;
};

}  // namespace rankscope
