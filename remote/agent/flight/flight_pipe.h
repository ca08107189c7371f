// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/agent/ranks/flight_environment.h>

#include <array>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::agent {

enum class FlightOutcome {
    Dumped,
    NoPipe,    ///< no process has opened one: the recorder is off, or no process group of NCCL is there yet
    NoReader,  ///< the process that made the pipe is gone
    NoDump,    ///< the process was asked, and wrote nothing in time
    Old,       ///< written before it was asked: PyTorch does so when its watchdog ends the process
};

struct FlightFile {
    int rank = -1;  ///< of the job, as PyTorch counts
    FlightOutcome outcome = FlightOutcome::NoPipe;
    std::string bytes = {};
    bool truncated = false;  ///< larger than what is read, or still being written
};

inline constexpr std::size_t kMostFlightBytes = std::size_t{64} << 20U;  ///< of one dump

/// Asks all of them at the same time for their dumps, and reads what they write within `seconds`. Never waits for a
/// process: one that is gone or stopped delays nothing.
std::vector<FlightFile> dump_flights(const std::vector<FlightPlace>& places, double seconds,
                                     const std::stop_token& stop);

}  // namespace rankscope::agent

namespace rankscope {

template <>
struct EnumNames<agent::FlightOutcome> {
    static constexpr auto names =
        std::to_array<const char*>({"dumped", "no-pipe", "no-reader", "no-dump", "old"});
};

}  // namespace rankscope
