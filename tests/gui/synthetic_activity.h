// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <string>
#include <vector>

/// What NCCL does in runs that never were: the events that the agent would send.
namespace rankscope::gui::testing {

struct SyntheticActivity {
    int ranks = 16;
    int seconds = 8;
    int slow = -1;                 ///< this rank enters every collective late
    int behind = -1;               ///< in the end, this rank does not enter an AllReduce, and the others wait
    double open_for_s = 14;        ///< for so long
    int tensor = 0;                ///< ranks of a tensor group, neighbours; 0: none
    std::string unavailable = {};  ///< of all ranks
    std::int64_t start_us = 1'760'000'000'000'000;
};

/// In the order of their times; numbers are 0.
std::vector<Event> activity_events(const SyntheticActivity& what);
/// The lines of NCCL Inspector of one process.
std::string inspector_lines(int rank, int ranks, bool verbose);

}  // namespace rankscope::gui::testing
