// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/find_text.h>
#include <gui/data/line_source.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace rankscope::gui {

/// What a user searches for.
struct SearchText {
    std::string text = {};
    bool is_pattern = false;  ///< a regular expression (RE2's syntax), else the text itself
    bool case_matters = false;
    bool whole_words = false;

    bool operator==(const SearchText&) const = default;
};

/// A search made ready. Takes time linear in the text, whatever the pattern. Any number of threads may use it.
class LinePattern {
public:
    /// Where in the text of a line; never empty.
    struct Match {
        std::size_t begin = 0;
        std::size_t size = 0;
    };
    struct Fault {
        std::string message;
        int place = -1;  ///< bytes before it in the pattern; -1: not known
    };

    static constexpr std::size_t kMostPatternBytes = 4096;

    explicit LinePattern(const SearchText& wanted);
    ~LinePattern();
    LinePattern(const LinePattern&) = delete;
    LinePattern& operator=(const LinePattern&) = delete;

    /// What is wrong with the pattern. It then matches nothing.
    const std::optional<Fault>& fault() const { return fault_; }
    /// The first match of this text at or after `from`, within one line.
    std::optional<Match> find(std::string_view text, std::size_t from) const;
    /// The first line with a match at or after a place in text of many lines: a place in that line.
    std::optional<std::size_t> find_line(std::string_view text, std::size_t from) const;

private:
    void prepare_pattern();
    std::optional<Match> find_literal(std::string_view text, std::size_t from) const;
    std::optional<Match> find_pattern(std::string_view text, std::size_t from) const;

    SearchText wanted_;
    TextFinder literal_;                 ///< the text, or what every match contains; may be empty
    std::unique_ptr<re2::RE2> pattern_;  ///< null: the literal is all
    std::optional<Fault> fault_;
};

/// The longest text that every match of a pattern contains, as far as a simple look shows; may be empty.
std::string required_text(std::string_view pattern);

/// A set of lines, one bit each.
class LineBits {
public:
    void set(std::uint32_t line) {
        if (line / 64 >= words_.size()) {
            words_.resize(std::size_t(line / 64) + 1);
        }
        words_[line / 64] |= std::uint64_t(1) << line % 64;
    }
    bool test(std::uint32_t line) const {
        return line / 64 < words_.size() && (words_[line / 64] >> line % 64 & 1) != 0;
    }

private:
    std::vector<std::uint64_t> words_;
};

/// Calls `found` for every line of [first, end) with a match, in order; `progress` after each piece of text with the
/// line up to which all is searched. Returns that line: `end`, unless it was stopped.
std::uint32_t search_lines(const LineSource& store, const LinePattern& pattern, std::uint32_t first,
                           std::uint32_t end, const std::stop_token& stop,
                           const std::function<void(std::uint32_t)>& found,
                           const std::function<void(std::uint32_t)>& progress = {});

}  // namespace rankscope::gui
