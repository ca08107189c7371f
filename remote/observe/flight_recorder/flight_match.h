// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/observe/flight_recorder/flight_dump.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

/// How the ranks of a process group differ. Those that explain others come first.
enum class FlightFault {
    OtherOperation,  ///< some have called another collective
    OtherSize,       ///< … with another number of elements
    OtherType,       ///< … with another element type
    NotEntered,      ///< some have not called it, and the others wait
    NoDump,          ///< a rank left no dump, and the others wait
    Unfinished,      ///< all have called it alike, and it does not end
};

template <>
struct EnumNames<FlightFault> {
    static constexpr auto names = std::to_array<const char*>(
        {"other-operation", "other-size", "other-type", "not-entered", "no-dump", "unfinished"});
};

/// Ranks that have called the same.
struct FlightVariant {
    std::vector<int> ranks = {};
    FlightEntry entry = {};  ///< of the first of them, with its frames
};

/// The first collective of a process group at which its ranks differ.
struct FlightFinding {
    FlightFault fault = FlightFault::NotEntered;
    std::string group = {};
    std::string description = {};
    std::int64_t sequence = 0;
    std::vector<int> ranks = {};  ///< that differ from most; empty: two equal halves
    /// What was called at this place, most ranks first.
    std::vector<FlightVariant> variants = {};
    /// NotEntered: the last that those ranks have called in this group; entries without an operation: none.
    std::vector<FlightVariant> last = {};
};

/// Compares the dumps of a job, by rank. `world_size`: ranks of the job; 0: not known. At most one finding per process
/// group, causes first, then by time. In a job that runs, ranks may differ in what they have called last: it hangs only
/// where later dumps have the same finding.
std::vector<FlightFinding> match_flight_dumps(const std::map<int, FlightDump>& dumps, int world_size = 0);

}  // namespace rankscope
