// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/import/foreign_run.h>
#include <remote/logs/grammar/log_line.h>
#include <remote/logs/read/sources.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace rankscope::inline archive {

/// The rank of each line of foreign logs. Many lines do not name it: those of a process that names it elsewhere have
/// that rank; processes of which only the local rank is known get the free numbers, node by node in the order of the
/// files; all other lines are rank 0's.
class RankNumbers {
public:
    /// First every line,
    void note(const logs::LogLine& line);
    /// then the files that they came from.
    void number(const logs::SourceList& list);

    int of(const logs::LogLine& line) const;
    /// With the machines that their lines name.
    ForeignRun::Ranks ranks() const;

private:
    using Process = std::pair<std::uint32_t, int>;  ///< file, local rank (negative: not known)
    struct Seen {
        int rank = -1;         ///< −1: no line names it
        bool several = false;  ///< lines of several ranks
        std::string host;
    };
    std::map<Process, Seen> seen_;
    std::map<int, std::string> named_;  ///< ranks that lines name → machine
};

}  // namespace rankscope::inline archive
