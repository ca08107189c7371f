// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/story/host_clocks.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// When the lines of a file were printed, so that several files can be merged: the times in the lines, by corrected
/// clocks. They never fall within a file, which keeps its order. A line without a time has that of the line before it,
/// the first ones that of the first line that has one.
///
/// A time of day has the date of the lines around it, else that of the file's last change, which is its end. A time more
/// than a day after the file's last change is none: zones differ by less.
class MergeTimes {
public:
    explicit MergeTimes(HostClocks clocks = {}) : clocks_(std::move(clocks)) {}

    /// A new file; as LineParser::begin().
    void begin(std::string_view name, std::int64_t modified_s);
    void add(const RawLine& raw);
    /// Of all lines of the file, µs since 1970; 0: no line of it has a time.
    std::vector<std::int64_t> take();
    /// Lines of all files that were given the time of another one, or none.
    std::uint64_t without_time() const { return without_time_; }

private:
    void shift(std::int64_t days);

    HostClocks clocks_;
    LineParser parser_;
    std::int64_t modified_s_ = 0;
    std::vector<std::int64_t> times_;  ///< kNone: none
    std::int64_t day_ = 0;             ///< since 1970, of the last line with a time
    bool day_is_known_ = false;        ///< else counted from the first line
    double last_of_day_s_ = -1;
    std::uint64_t without_time_ = 0;
};

/// Gives the lines of files to `sink`, the earliest first; at the same time those of the earlier file. A file keeps its
/// order. `times` of the lines of one file after the other; `begins`: where each file begins there. Ends when `sink`
/// returns false.
void merge_by_time(const std::vector<std::int64_t>& times, const std::vector<std::size_t>& begins,
                   const std::function<bool(std::size_t file, std::size_t line)>& sink);

}  // namespace rankscope::logs
