// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/inner/line_speaker.h>

#include <algorithm>
#include <optional>

namespace rankscope::agent {
namespace {

constexpr std::size_t kPrefix = 120;  // bytes in which a line says whose it is
constexpr int kMostRank = 1 << 20;

std::optional<int> take_digits(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const auto number = parse_number<int>(digits);
    if (!number || *number >= kMostRank) {
        return std::nullopt;
    }
    text.remove_prefix(digits.size());
    return number;
}

bool skip(std::string_view& text, std::string_view word) {
    if (lower_case(text.substr(0, word.size())) != word) {
        return false;
    }
    text.remove_prefix(word.size());
    return true;
}

// "rank1", "Rank 1", "rank: 1", "rank=1", and what ends it.
std::optional<int> take_rank(std::string_view text) {
    if (!skip(text, "rank")) {
        return std::nullopt;
    }
    if (skip(text, ":") || skip(text, "=")) {
        skip(text, " ");
    } else {
        skip(text, " ") || skip(text, "_") || skip(text, "-");
    }
    const auto rank = take_digits(text);
    const bool ends = text.empty() || std::string_view(" ]):|,/>-\t\r\n").find(text.front()) != text.npos;
    return rank && ends ? rank : std::nullopt;
}

// "node1:4711:4712 [0] NCCL INFO …".
std::optional<pid_t> process_of_nccl(std::string_view line) {
    const auto bracket = line.find(" [");
    const auto nccl = line.find("] NCCL ");
    if (bracket == line.npos || nccl == line.npos || nccl < bracket) {
        return std::nullopt;
    }
    const auto thread = line.rfind(':', bracket);
    const auto process = thread == line.npos || thread == 0 ? line.npos : line.rfind(':', thread - 1);
    if (process == line.npos) {
        return std::nullopt;
    }
    const auto pid = parse_number<pid_t>(line.substr(process + 1, thread - process - 1));
    return pid && *pid > 0 ? pid : std::nullopt;
}

}  // namespace

LineSpeaker speaker_of(std::string_view line) {
    LineSpeaker speaker;
    line = line.substr(0, kPrefix);
    if (const auto pid = process_of_nccl(line)) {
        speaker.pid = *pid;
        return speaker;
    }
    // Prefixes in brackets, one after another; the first words after them.
    while (true) {
        while (!line.empty() && (line.front() == ' ' || line.front() == ':')) {
            line.remove_prefix(1);
        }
        const bool bracket = !line.empty() && (line.front() == '[' || line.front() == '(');
        const auto inside = bracket ? line.substr(1) : line;
        if (const auto rank = take_rank(inside)) {
            speaker.rank = *rank;
            return speaker;
        }
        if (!bracket) {
            return speaker;
        }
        auto rest = inside;
        if (skip(rest, "default")) {
            if (const auto local = take_digits(rest); local && rest.starts_with(']')) {
                speaker.local_rank = *local;
                return speaker;
            }
        }
        const auto end = inside.find(line.front() == '[' ? ']' : ')');
        if (end == inside.npos) {
            return speaker;
        }
        line = inside.substr(end + 1);
    }
}

}  // namespace rankscope::agent
