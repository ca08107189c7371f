// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/fold/line_template.h>
#include <remote/logs/grammar/scan.h>

#include <algorithm>
#include <array>

namespace rankscope::logs {
namespace {

// After these words of NCCL a number is the rank's own.
constexpr std::array<std::string_view, 34> kOwnWords{
    "rank",       "localRank", "pid",     "cudaDev", "nvmlDev", "busId",   "device",   "dev",   "Dev",
    "peer",       "GPU",       "port",    "fd",      "opCount", "tid",     "headRank", "qpn",   "LID",
    "connection", "channel",   "Channel", "Ring",    "Tree",    "Trees",   "Rank",     "color", "key",
    "prev",       "next",      "seq",     "SeqNum",  "count",   "address", "intraRank"};
constexpr std::size_t kShortHex = 8;
// After these the rest is one value, whatever its letters are.
constexpr std::array<std::string_view, 3> kValueAfter{"Using network ", "set by environment to ", " set to "};

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_word_char(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '+';
}

bool is_address(std::string_view word) {
    return std::count(word.begin(), word.end(), '.') == 3 &&
           std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// "fe80::1%eth0", "2001:db8::7", "18:13:52.98": letters a-f, digits and two colons at least.
std::size_t colons_length(std::string_view text) {
    std::size_t end = 0;
    int colons = 0;
    while (end < text.size() && (is_hex(text[end]) || text[end] == ':')) {
        colons += text[end] == ':' ? 1 : 0;
        ++end;
    }
    if (colons < 2) {
        return 0;
    }
    // A time of day: "18:13:52.984066".
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1])))) {
        ++end;
    }
    if (end < text.size() && text[end] == '%') {
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '%')) {
            ++end;
        }
    }
    return end;
}

bool all_hex(std::string_view word) {
    return std::all_of(word.begin(), word.end(), is_hex);
}

bool all_digits(std::string_view word) {
    if (word.starts_with('-')) {
        word.remove_prefix(1);
    }
    return std::all_of(word.begin(), word.end(), is_digit);
}

// "0.31", "-1.2e-05", "12.5ms": seconds, GB/s, a loss.
bool is_decimal(std::string_view word) {
    const auto skip_digits = [&word] {
        const auto count =
            static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
        word.remove_prefix(count);
        return count > 0;
    };
    if (word.starts_with('-')) {
        word.remove_prefix(1);
    }
    if (!skip_digits() || !word.starts_with('.')) {
        return false;
    }
    word.remove_prefix(1);
    if (!skip_digits()) {
        return false;
    }
    if (word.size() > 2 && (word[0] == 'e' || word[0] == 'E') && (word[1] == '-' || word[1] == '+')) {
        word.remove_prefix(2);
        return skip_digits() && word.empty();
    }
    constexpr std::size_t kLongestUnit = 4;
    return word.size() <= kLongestUnit && std::all_of(word.begin(), word.end(), is_letter);
}

bool is_own_after(std::string_view before) {
    while (!before.empty() && (before.back() == ' ' || before.back() == '=' || before.back() == '#')) {
        before.remove_suffix(1);
    }
    if (before.empty()) {
        return false;
    }
    if (!is_letter(before.back())) {
        return before.ends_with('[') || before.ends_with("->") || before.ends_with('<') ||
               before.ends_with(']');
    }
    std::size_t begin = before.size();
    while (begin > 0 && is_letter(before[begin - 1])) {
        --begin;
    }
    return std::find(kOwnWords.begin(), kOwnWords.end(), before.substr(begin)) != kOwnWords.end();
}

// What a word with a digit is.
PlaceKind kind_of(std::string_view word, std::string_view before) {
    if (is_decimal(word)) {
        return PlaceKind::Own;
    }
    if (word.starts_with("0x") || is_address(word) ||
        (word.size() >= 4 && all_hex(word) && !all_digits(word)) || word.size() > 9) {
        const bool version = std::count(word.begin(), word.end(), '.') >= 2 && !is_address(word);
        return version || !(word.starts_with("0x") || all_hex(word) || is_address(word)) ? PlaceKind::Value
                                                                                         : PlaceKind::Own;
    }
    if (!all_digits(word)) {
        return PlaceKind::Value;  // eth0, mlx5_0, 2.28.9+cuda12.9, v6
    }
    return is_own_after(before) ? PlaceKind::Own : PlaceKind::Value;
}

}  // namespace

void LineTemplate::take(std::string_view message, std::string_view host) {
    key.clear();
    places.clear();
    const std::string_view line = message.substr(0, std::min(message.size(), kLongestTemplate));
    const auto place = [&](std::string_view text, PlaceKind kind) {
        key += kPlaceMark;
        places.push_back({kind, text});
    };
    std::size_t value_at = line.npos;
    for (const auto phrase : kValueAfter) {
        if (const auto found = line.find(phrase); found != line.npos) {
            value_at = std::min(value_at, found + phrase.size());
        }
    }
    std::size_t at = 0;
    while (at < line.size() && places.size() < kMostPlaces) {
        if (at == value_at) {
            place(line.substr(at), PlaceKind::Value);
            covered = line.size();
            return;
        }
        const bool begins = at == 0 || !is_word_char(line[at - 1]);
        const char c = line[at];
        const bool negative = c == '-' && at + 1 < line.size() && is_digit(line[at + 1]);
        if (!begins || !(is_letter(c) || is_digit(c) || c == ':' || negative)) {
            // Columns of numbers are padded with blanks.
            if (c != ' ' || key.empty() || key.back() != ' ') {
                key += c == kPlaceMark ? ' ' : c;
            }
            ++at;
            continue;
        }
        if (const auto length = colons_length(line.substr(at)); length > 0) {
            place(line.substr(at, length), PlaceKind::Own);
            at += length;
            continue;
        }
        if (!host.empty() && line.substr(at).starts_with(host) &&
            (at + host.size() == line.size() || !is_word_char(line[at + host.size()]))) {
            place(line.substr(at, host.size()), PlaceKind::Own);
            at += host.size();
            continue;
        }
        std::size_t end = at + (negative ? 1 : 0);
        while (end < line.size() && is_word_char(line[end]) && !line.substr(end).starts_with("->")) {
            ++end;
        }
        while (end > at && (line[end - 1] == '.' || line[end - 1] == '-')) {
            --end;
        }
        end = std::max(end, at + 1);
        const auto word = line.substr(at, end - at);
        if (std::any_of(word.begin(), word.end(), is_digit)) {
            place(word, kind_of(word, line.substr(0, at)));
        } else if (word.size() <= kShortHex && all_hex(word) && is_own_after(line.substr(0, at))) {
            place(word, PlaceKind::Own);  // "opCount fe"
        } else {
            key += word;
        }
        at = end;
    }
    covered = at;
    if (at < line.size() || message.size() > line.size()) {
        key += "...";
    }
}

}  // namespace rankscope::logs
