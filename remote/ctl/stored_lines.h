// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rankscope::ctl {

/// A line that a rank printed, without '\n'. The views live until the next line.
struct StoredLine {
    std::int64_t t_us = 0;  ///< by this computer's clock
    int rank = 0;
    std::string_view node;
    bool is_stderr = false;
    std::string_view text;
    std::uint64_t dropped_bytes = 0;  ///< left out before it; the text may then be empty
};

/// Which lines.
struct LineFilter {
    std::set<int> ranks;  ///< empty: all
    std::string node;     ///< empty: all
    std::int64_t since_us = std::numeric_limits<std::int64_t>::min();
};

/// Gives the output of a stored run to the sink, by time: a line that arrived more than a minute late stands where it
/// arrived. Memory is bounded. `sink` returns false to end the reading.
Result<void> replay_lines(const RunStore& store, const std::string& run_id, const LineFilter& filter,
                          const std::function<bool(const StoredLine&)>& sink);

/// "90", "90s", "10m", "2h", "1d": that long before `end_us`; "2026-11-21 10:15", "2026-11-21T10:15:00": that local
/// time. Nothing: not understood.
std::optional<std::int64_t> moment_of(const std::string& word, std::int64_t end_us);
/// The same before the end of a run, or before now while it runs; `option` is named where the word is not understood.
Result<std::int64_t> moment_of(const std::string& option, const std::string& word, const RunRecord& run);

}  // namespace rankscope::ctl
