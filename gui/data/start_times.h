// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What a rank goes through until its first step. Imports: from the start of its process until it reports something.
enum class StartPart { Connect, Push, Process, Imports, Rendezvous, FirstStep };
inline constexpr std::size_t kStartParts = 6;

/// When each rank of a run reached what, folded from events.
class StartTimes {
public:
    /// µs since 1970; 0: not yet.
    struct Rank {
        std::int64_t started = 0;
        std::int64_t at_rendezvous = 0;  ///< it may never say so: programs without the metrics pipe
        std::int64_t met = 0;            ///< all ranks are there, as far as it knows
        std::int64_t stepped = 0;        ///< its first metric
    };

    void apply(const Event& event, std::size_t ranks);
    const Rank& rank(std::size_t rank) const;
    /// What the ranks themselves reported last: those that are missing at the rendezvous.
    const std::set<int>& missing() const { return missing_; }

private:
    std::vector<Rank> ranks_;
    std::set<int> missing_;
};

/// One bar of the waterfall.
struct StartSpan {
    std::int64_t begin_us = 0;  ///< 0: not begun
    std::int64_t end_us = 0;    ///< 0: not over

    bool begun() const { return begin_us != 0; }
};

/// A rank, or all ranks of a node: then the slowest of each part.
struct StartRow {
    std::string node;
    std::vector<int> ranks;
    std::array<StartSpan, kStartParts> spans{};
    bool awaited = false;  ///< the others wait for it, or for one of its ranks
};

/// Up to so many ranks have a row each.
inline constexpr std::size_t kStartRowsOfRanks = 64;
/// The ranks that the others wait for before the first step, by their own report or because they are behind; empty: none.
std::vector<int> awaited_ranks(const RunState& state, const StartTimes& times);
/// A row for each rank or, of many, for each node; those that the others wait for first.
std::vector<StartRow> start_rows(const RunState& state, const StartTimes& times);

}  // namespace rankscope::gui
