// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::agent {

/// What the first and the last events of a spool say.
struct SpoolSummary {
    std::int64_t started_us = 0;   ///< of the first event; 0: there is none
    std::int64_t last_us = 0;      ///< of the last one
    std::uint64_t last_seq = 0;    ///< 0: there is none
    std::optional<wire::End> end;  ///< the node's part is over, at last_us
};

/// Reads the beginning and the end of the file alone, however long it is.
SpoolSummary summarize_spool(const std::filesystem::path& file);

}  // namespace rankscope::agent
