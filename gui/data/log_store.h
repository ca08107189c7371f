// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_store.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

struct LogLine {
    std::uint64_t number = 0;  ///< in the order of arrival over all ranks, from 1
    std::int64_t t_us = 0;     ///< µs since 1970, by the desk's clock; never falls within a rank
    int rank = -1;             ///< -1: a node, or the desk
    LogKind kind = LogKind::Out;
    std::string text;        ///< without line end, escape sequences and control characters
    std::uint64_t line = 0;  ///< in the output of its rank, from 1; 0: an event, or not counted
};

/// The output of the ranks, all of it: text is in a file of ours (TextSpool). Splits pieces of output into lines.
class LogStore {
public:
    static constexpr std::size_t kMaxLineBytes = 16384;  ///< of a line that is quoted elsewhere
    static constexpr std::size_t kMostLineBytes = std::size_t(15) << 20;  ///< longer ones are split

    LogStore() : LogStore(TextSpool::Options{}) {}
    explicit LogStore(TextSpool::Options options);
    LogStore(LogStore&&) = default;
    LogStore& operator=(LogStore&&) = default;
    LogStore(const LogStore&) = delete;
    LogStore& operator=(const LogStore&) = delete;
    ~LogStore() = default;

    /// A piece of output: whole lines, or the beginning of one whose rest follows.
    void append(int rank, bool is_stderr, std::string_view text, std::int64_t t_us);
    /// A line of our own about the run ("rank 1 ended").
    void append_event(int rank, const std::string& text, std::int64_t t_us);
    /// A rank has ended: what it printed last is a line even without an end.
    void finish(int rank, std::int64_t t_us);

    /// Number of the newest line; 0: none yet.
    std::uint64_t last_number() const { return lines_->size(); }
    /// The first `limit` lines of a rank. For tests and small logs: it looks through all lines.
    std::vector<LogLine> lines_of(int rank, std::size_t limit) const;
    /// The line with this number.
    LogLine line(std::uint64_t number) const;
    /// The line of a rank's output with this text, but for blanks around it; of several the one nearest to `line`
    /// (0: the newest). Without a text: that line. Only lines that arrived after line `after`.
    std::optional<LogLine> find_output(int rank, std::string_view text, std::uint64_t line,
                                       std::uint64_t after = 0) const;

    /// Line n is number n + 1. For readers in other threads.
    const std::shared_ptr<LineStore>& lines() const { return lines_; }
    /// Lines that could not be kept at all.
    std::uint64_t dropped() const { return dropped_; }

private:
    struct OfRank {
        std::string partial[2];  ///< stdout, stderr: a line whose end has not arrived yet
        std::int64_t last_us = 0;
    };
    void add_line(OfRank& of_rank, int rank, LogKind kind, std::string_view raw, std::int64_t t_us);
    /// Lines of output of a rank among the first `end` lines.
    std::uint64_t outputs_before(int rank, std::uint32_t end) const;

    std::map<int, OfRank> ranks_;
    std::shared_ptr<LineStore> lines_;
    std::vector<StyledFrom> styles_;  ///< of the line in hand
    std::uint64_t dropped_ = 0;
};

}  // namespace rankscope::gui
