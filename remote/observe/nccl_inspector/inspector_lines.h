// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/nccl_event.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// One operation as NVIDIA's NCCL Inspector writes it: a line of JSON in one file per process. It writes only what
/// has ended.
struct InspectorLine {
    NcclCommunicator communicator = {};
    int nodes = 0;  ///< of the communicator; 0: not said
    NcclOperation operation =
        {};  ///< start_us: by the node's clock, 0: not said (NCCL_INSPECTOR_DUMP_VERBOSE was not set)
    std::string host = {};
    std::int64_t pid = 0;
    std::int64_t written_us = 0;  ///< when the line was written, by the node's clock

    bool operator==(const InspectorLine&) const = default;
};

/// Whether a line may be one: cheap, for logs in which hardly any line is.
bool may_be_inspector_line(std::string_view line);

/// Nothing: it is no such line, or it is cut short. Values that cannot be are left at 0.
std::optional<InspectorLine> read_inspector_line(std::string_view line);

}  // namespace rankscope
