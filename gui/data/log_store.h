// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

enum class LogKind { Out, Err, Event };

struct LogLine {
    std::uint64_t number = 0;  ///< in the order of arrival over all ranks, from 1
    std::int64_t t_us = 0;     ///< µs since 1970, by the desk's clock; never falls within a rank
    int rank = -1;             ///< -1: a node, or the desk
    LogKind kind = LogKind::Out;
    std::string text;        ///< without line end, escape sequences and control characters
    std::uint64_t line = 0;  ///< in the output of its rank, from 1; 0: an event
};

/// Order of lines of all ranks together: by time, in the order of arrival where that is equal.
bool earlier(const LogLine& a, const LogLine& b);

/// The output of the ranks, bounded by bytes per rank: the newest stay, the run store has everything.
class LogStore {
public:
    static constexpr std::size_t kTotalBytes = std::size_t(96) << 20;
    static constexpr std::size_t kMaxLineBytes = 16384;  ///< longer ones are cut for display

    /// Bytes each rank may keep; set once the number of ranks is known.
    void set_ranks(std::size_t count);
    /// A piece of output: whole lines, or the beginning of one whose rest follows.
    void append(int rank, bool is_stderr, std::string_view text, std::int64_t t_us);
    /// A line of our own about the run ("rank 1 ended").
    void append_event(int rank, const std::string& text, std::int64_t t_us);

    /// Number of the newest line; 0: none yet.
    std::uint64_t last_number() const { return next_number_ - 1; }
    /// Lines that arrived after line `after`, earliest first, at most the newest `limit` of them; of one rank,
    /// or of all. `skipped` gets how many more there were.
    std::vector<const LogLine*> lines(std::uint64_t after, std::size_t limit,
                                      std::uint64_t* skipped = nullptr) const;
    std::vector<const LogLine*> lines_of(int rank, std::uint64_t after, std::size_t limit,
                                         std::uint64_t* skipped = nullptr) const;
    /// A line that is still here, or null.
    const LogLine* find(int rank, std::uint64_t number) const;
    /// The line of a rank's output with this text, but for blanks around it; of several the one nearest to `line`
    /// (0: the newest). Without a text: that line. Only lines that arrived after line `after`. Null: it is not here.
    const LogLine* find_output(int rank, std::string_view text, std::uint64_t line,
                               std::uint64_t after = 0) const;
    /// Lines of this rank that did not fit any more.
    std::uint64_t dropped(int rank) const;
    std::uint64_t dropped_all() const;

private:
    struct Ring {
        std::deque<LogLine> lines;
        std::size_t bytes = 0;
        std::uint64_t dropped = 0;
        std::uint64_t outputs = 0;  ///< lines that were no events, with the dropped ones
        std::string partial[2];     ///< stdout, stderr: a line whose end has not arrived yet
        std::int64_t last_us = 0;
    };
    void add_line(Ring& ring, int rank, LogKind kind, std::string_view raw, std::int64_t t_us);

    std::map<int, Ring> rings_;
    std::size_t rank_bytes_ = std::size_t(4) << 20;
    std::uint64_t next_number_ = 1;
};

/// Text for a text view: without escape sequences and control characters, of "a\rb" only b, cut when too long.
std::string displayable(std::string_view raw, std::size_t max_bytes);

}  // namespace rankscope::gui
