// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/flight_recorder.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Who keeps the others waiting: found from what every rank reports.
namespace rankscope::engine {

/// A rank's groups by name.
using RankState = std::map<std::string, GroupState>;

/// As JSON: {"world": {"seq": 217, "op": "all_reduce", "bytes": 1200000, "running": true}}.
std::string to_text(const RankState& state);
/// Nothing when it is something else.
std::optional<RankState> parse_rank_state(std::string_view text);

struct Missing {
    int rank = -1;         ///< the first that is out of step; −1: all are in the same operation
    std::string sentence;  ///< for the user
    bool waits = false;    ///< it is in another group: it may wait for a further rank there
};

/// `group`, `members`: what this rank waits in; `states`: by rank, as far as they are known; `waited`: since
/// when.
Missing find_missing(const std::string& group, const std::vector<int>& members, const GroupState& mine,
                     const std::map<int, RankState>& states, std::chrono::duration<double> waited);

}  // namespace rankscope::engine
