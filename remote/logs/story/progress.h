// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace rankscope::logs {

/// A step that a rank reports otherwise than by a line: an event of a stored run.
struct ReportedStep {
    LinePlace after = {};  ///< the last line of the rank before it
    int rank = -1;
    std::int64_t step = 0;
    double time = std::numeric_limits<double>::quiet_NaN();
};

/// Which lines show that a program trains on: those that count steps, iterations, batches or epochs, with a number that
/// is greater than the one before. Of each rank of a file the latest are kept; memory is bounded.
class Progress {
public:
    static constexpr std::size_t kKept = 10;  ///< advances of a rank and a counter
    static constexpr std::size_t kMost = 20'000;

    void take(const LogLine& line);
    void take(const ReportedStep& step);

    /// How many advances of the rank (-1: lines without a rank) are after that line of its file, kKept at most: of the
    /// counter that has the most.
    std::size_t after(const LinePlace& place, std::string_view part, int rank) const;
    /// The same of the other ranks: of the one that has the most. In other files by their times, with `time` of the line.
    std::size_t others_after(const LinePlace& place, std::string_view part, int rank, double time) const;
    /// Subtracts from all times what the clock of that host, of that rank, is ahead.
    void correct(const std::function<double(std::string_view host, int rank)>& ahead_of);

private:
    struct Mark {
        std::uint64_t line = 0;
        double time = std::numeric_limits<double>::quiet_NaN();
    };
    struct Counter {
        double last = -1;
        std::uint64_t advances = 0;
        std::array<Mark, kKept> latest{};  // a ring
    };
    using Counters = std::map<std::string, Counter, std::less<>>;
    struct OfRank {
        std::string host;
        Counters counters;
    };
    using Key = std::tuple<std::uint32_t, std::string, int>;  // file, part, rank

    void count(const Key& key, std::string_view host, std::string_view name, double number, Mark mark);
    template <typename IsAfter>
    static std::size_t most_of(const Counters& counters, IsAfter is_after);

    std::map<Key, OfRank> of_rank_;
};

}  // namespace rankscope::logs
