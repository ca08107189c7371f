// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What PyTorch's Flight Recorder has kept of one rank: its last collectives.
namespace rankscope {

enum class FlightState { Unknown, Scheduled, Started, Completed };

template <>
struct EnumNames<FlightState> {
    static constexpr auto names =
        std::to_array<const char*>({"unknown", "scheduled", "started", "completed"});
};

/// A line of the program that called the collective.
struct FlightFrame {
    std::string file = {};
    std::string function = {};
    int line = 0;

    bool operator==(const FlightFrame&) const = default;
};

using FlightSizes = std::vector<std::vector<std::int64_t>>;  ///< the shape of each tensor

struct FlightEntry {
    std::string group = {};        ///< the name of its process group
    std::string description = {};  ///< of the group: "default_pg", …
    std::int64_t sequence = 0;     ///< of the collectives of this group, from 1
    std::int64_t operation_id = 0;
    bool point_to_point = false;
    std::string operation = {};  ///< "all_reduce", …
    std::string backend = {};    ///< "nccl", "gloo"; empty: not known
    FlightSizes input_sizes = {};
    FlightSizes output_sizes = {};
    std::vector<std::string> input_types = {};
    std::vector<std::string> output_types = {};
    FlightState state = FlightState::Unknown;
    bool retired = false;           ///< PyTorch waits for it no more
    std::int64_t created_ns = 0;    ///< since 1970
    std::int64_t started_ns = 0;    ///< 0: not seen to start
    std::int64_t completed_ns = 0;  ///< 0: not seen to end
    std::int64_t timeout_ms = 0;
    double duration_ms = 0;                ///< 0: not measured
    std::vector<FlightFrame> frames = {};  ///< innermost first

    bool operator==(const FlightEntry&) const = default;
};

struct FlightGroup {
    std::string name = {};
    std::string description = {};
    std::vector<int> ranks = {};  ///< of the whole job; empty: not known

    bool operator==(const FlightGroup&) const = default;
};

struct FlightDump {
    std::string version = {};  ///< of the format, "2.10"; empty: before 2.0
    bool complete = false;     ///< the file was not cut off, and nothing was left out
    std::vector<FlightGroup> groups = {};
    std::vector<FlightEntry> entries = {};

    bool operator==(const FlightDump&) const = default;
};

inline constexpr std::size_t kMaxFlightDump = std::size_t{128} << 20U;  ///< bytes; what is beyond is not read

/// Whether a file of these first bytes (512 or more) may be such a dump.
bool begins_flight_dump(std::string_view start);
/// Reads a pickle (TORCH_NCCL_DEBUG_INFO_TEMP_FILE) or JSON dump, as far as it goes. Executes nothing. Nothing: it is no
/// dump, or names Python code.
std::optional<FlightDump> read_flight_dump(std::string_view bytes);

}  // namespace rankscope
