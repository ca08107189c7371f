// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/fold/folded_log.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rankscope::logs {

/// How ranks differ from the others. Missing: they lack a line that the others have. Alone: only they have it.
/// Value: another value stands in their line.
enum class OddKind : std::uint8_t { Missing, Alone, Value };

struct OddOne {
    OddKind kind = OddKind::Value;
    std::vector<int> ranks;
    std::string value = {};   ///< of these ranks, with Value
    std::string others = {};  ///< what the others have, with Value
    LinePlace place = {};     ///< the first such line; line 0: there is none
};

/// A line of a rank in the log.
struct RankLine {
    int rank = -1;
    LinePlace place;
};

/// A folded line as a reader sees it.
struct FoldedRow {
    std::string text;        ///< "comm … rank … nranks 8": what varies with the rank is "…"
    std::vector<int> ranks;  ///< that printed it, sorted; of a log without ranks: numbers of its processes
    std::uint64_t count = 0;
    double first_s = std::numeric_limits<double>::quiet_NaN();  ///< FoldedLine::first_s
    double last_s = std::numeric_limits<double>::quiet_NaN();
    LineLevel level = LineLevel::None;
    Speaker speaker = Speaker::Nccl;
    int phase = 0;  ///< FoldedLine::phase
    std::string subsystem;
    std::string meaning;       ///< empty: Rankscope does not know the line
    std::string since, until;  ///< versions of NCCL that print it so; empty: all
    std::string source;        ///< "misc/socket.cc:504"
    std::vector<OddOne> odd;
    std::vector<std::string> communicators;
    std::vector<RankLine> first_lines;  ///< by rank
};

struct FoldedRows {
    std::vector<FoldedRow> rows;
    std::vector<int> ranks;      ///< that printed anything
    std::vector<int> silent;     ///< ranks of the largest communicator that printed nothing, while most did
    bool ranks_known = true;     ///< otherwise `ranks` are numbers of processes
    std::uint64_t taken = 0;     ///< lines
    std::uint64_t left_out = 0;  ///< of these: in no row
};

FoldedRows folded_rows(const FoldedLog& log, const LineGuide& guide);

/// What a reader asks for. Empty parts ask for nothing.
struct FoldedFilter {
    std::string subsystem;
    std::string communicator;
    std::string text;                   ///< in the row or its explanation, without regard to case
    RankSet ranks;                      ///< printed by one of them, or odd there
    LineLevel least = LineLevel::None;  ///< Warn: warnings and errors
    bool odd_only = false;
    /// Times, as FoldedRow::first_s: rows that begin before their end and end after their begin, and those without.
    double from_s = -std::numeric_limits<double>::infinity();
    double until_s = std::numeric_limits<double>::infinity();
};

bool passes(const FoldedRow& row, const FoldedFilter& filter);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::OddKind> {
    static constexpr auto names = std::to_array<const char*>({"missing", "alone", "value"});
};

}  // namespace rankscope
