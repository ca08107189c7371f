// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Where the ranks of this node leave their dumps and open their pipes: 0700, of the run.
std::filesystem::path flight_folder_of(const RunDir& dir);

/// Whether the command hands the program to a container, where the folder of the run may not exist: PyTorch fails when it
/// cannot make its pipe.
bool starts_container(const std::vector<std::string>& command);

/// Onto the environment of a rank: PyTorch's Flight Recorder keeps the last collectives, and a pipe asks for them. Both
/// the names of PyTorch 2.2 and the newer ones. What the user has set stays: who uses the recorder already gets the pipe
/// alone, and who has a pipe keeps it. Does nothing where the folder cannot be made.
void add_flight_recorder(std::map<std::string, std::string>& variables, const RunDir& dir);

/// How a process is asked for a dump.
struct FlightPlace {
    int rank = -1;                                  ///< of the job, as PyTorch counts
    std::filesystem::path pipe = {};                ///< a FIFO, once PyTorch has made it
    std::vector<std::filesystem::path> dumps = {};  ///< one of them is written when something arrives there

    bool operator==(const FlightPlace&) const = default;
};

/// From the environment of a process (entries end with NUL). Rank -1: no pipe is set, or no rank.
FlightPlace flight_place_of(std::string_view environment);

}  // namespace rankscope::agent
