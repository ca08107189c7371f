// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/fold/line_template.h>
#include <remote/logs/fold/recent_map.h>
#include <remote/logs/grammar/line_parser.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::logs {

/// A line of a rank's output.
struct RankOutput {
    std::string_view text;
    int rank = 0;
    bool is_stderr = false;
    std::int64_t t_us = 0;
    std::uint32_t number = 0;  ///< grows from line to line
};

/// Finds the line of another rank that a line repeats: the same words and values, prefixes and what is each rank's own
/// (LineTemplate) left out; the n-th time for the one as for the other, within a minute. Where a place has another
/// value for almost every rank (milliseconds, say), it is taken for each rank's own, too. Lines of a rank must come in
/// their order. Bounded, whatever the number of lines: what was not repeated for long is forgotten, and a later
/// repetition is a first line.
class LineFolder {
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::int64_t kApartUs = 60'000'000;
    static constexpr std::size_t kMostRemembered = std::size_t(1) << 19;  ///< different lines
    static constexpr std::size_t kMostTemplates = 4096;                   ///< of which own places are learned

    explicit LineFolder(std::size_t remembered = kMostRemembered)
        : counts_(remembered), groups_(remembered) {}

    /// The number of the first line that this one repeats; kNone: it is the first.
    std::uint32_t take(const RankOutput& line);
    /// Of the tables.
    std::size_t bytes() const { return counts_.bytes() + groups_.bytes(); }

private:
    struct Group {
        std::uint32_t first = kNone;
        std::int64_t t_us = 0;
    };
    /// What the lines of a template have shown of its places.
    struct Learned {
        std::uint32_t own = 0;  ///< a bit for each place that is each rank's own
        std::uint32_t firsts = 0;
        std::uint32_t repeated = 0;
        int rank = -1;  ///< of the last line
        std::array<std::uint32_t, kMostPlaces> values{};
        std::array<std::uint16_t, kMostPlaces> different{};  ///< from the line before, of another rank
        std::array<std::uint16_t, kMostPlaces> same{};
    };

    std::uint64_t identity_of(const RankOutput& line, Learned*& learned);
    void compare(Learned& learned, int rank);
    static void learn(Learned& learned, bool is_first);

    LineParser parser_;
    LineTemplate template_;  // of the current line: its memory is used again
    std::string key_;
    RecentMap<std::uint32_t> counts_;  ///< of a rank and an identity
    RecentMap<Group> groups_;          ///< of an identity and a count
    std::unordered_map<std::uint64_t, Learned> learned_;
};

/// A part of a text.
struct TextPart {
    std::size_t begin = 0;
    std::size_t size = 0;

    bool operator==(const TextPart&) const = default;
};

/// Where a folded line differs from those that repeat it, prefixes included; in order.
std::vector<TextPart> varying_parts(std::string_view text, const std::vector<std::string_view>& others);

}  // namespace rankscope::logs
