// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::logs {

/// Where a line lies.
struct LinePlace {
    std::uint32_t file = 0;  ///< index into the list of sources
    std::uint64_t line = 0;  ///< from 1, as an editor counts: line feeds only

    bool operator==(const LinePlace&) const = default;
};

/// A line as the file has it, made readable: UTF-8, without line end, colours and NUL. A line that a progress
/// bar wrote over (carriage returns) comes in several pieces with the same place.
struct RawLine {
    static constexpr std::uint64_t kNowhere = UINT64_MAX;

    LinePlace place;
    std::string_view text;  ///< lives until the next line
    /// Byte of the unpacked source at which the line begins, with its first piece; kNowhere: the source is UTF-16.
    std::uint64_t begin = kNowhere;
};

}  // namespace rankscope::logs
