// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What stands before a message and is no prefix that a launcher promises: labels of launchers that nobody knows, and
// progress bars without a line end.

#include <base/text.h>
#include <remote/logs/grammar/exception_shape.h>
#include <remote/logs/grammar/prefixes.h>
#include <remote/logs/grammar/scan.h>
#include <remote/logs/grammar/source_name.h>

#include <algorithm>
#include <array>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLongestLabel = 100;
constexpr int kMostWords = 3;

bool is_label_char(char c) {
    return is_host_char(c) || c == '/' || c == ':' || c == '@' || c == '|' || c == '>' || c == '<' ||
           c == '=' || c == ',' || c == '#' || c == '[' || c == ']' || c == '(' || c == ')';
}

// "i.pretrain/0 ", "worker-0 pytorch ", "trainer/0:": few words, of which the first is numbered or a path.
bool is_label(std::string_view text) {
    int words = 1;
    bool marked = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') {
            words += i + 1 < text.size() && text[i + 1] != ' ' ? 1 : 0;
        } else if (!is_label_char(text[i])) {
            return false;
        } else if (words == 1) {
            marked = marked || is_digit(text[i]) || text[i] == '/';
        }
    }
    return words <= kMostWords && marked &&
           (text.ends_with(' ') || text.ends_with(':') || text.ends_with('|'));
}

// Where a message surely begins: a rank in brackets, a level of glog, a traceback.
std::size_t certain_start(std::string_view text) {
    for (auto at = text.find('[', 1); at < kLongestLabel; at = text.find('[', at + 1)) {
        if (begins_with_certain_prefix(text.substr(at))) {
            return at;
        }
    }
    const auto traceback = text.substr(0, 2 * kLongestLabel).find("Traceback (most recent call last)");
    return traceback == 0 ? std::string_view::npos : traceback;
}

// The word after the label, if it is an exception.
std::size_t exception_start(std::string_view text) {
    std::size_t at = 0;
    for (int word = 0; word < kMostWords; ++word) {
        const auto space = text.find(' ', at);
        if (space == std::string_view::npos || space > kLongestLabel) {
            return std::string_view::npos;
        }
        at = space + 1;
        if (exception_at(text.substr(at))) {
            return at;
        }
    }
    return std::string_view::npos;
}

}  // namespace

bool take_foreign_label(std::string_view& rest, LogLine& line) {
    // Most lines of programs begin with a plain word.
    const auto first = rest.substr(0, std::min(rest.find(' '), kLongestLabel));
    if (first.empty() || first[0] == '[' || first.find_first_of("0123456789/") == std::string_view::npos) {
        return false;
    }
    auto at = certain_start(rest);
    if (at == std::string_view::npos && rest.find(": ") != std::string_view::npos) {
        at = exception_start(rest);
    }
    if (at == std::string_view::npos || !is_label(rest.substr(0, at))) {
        return false;
    }
    const auto word = rest.substr(0, std::min(rest.find_first_of(" :|"), at));
    if (line.host.empty() && looks_like_host(word)) {
        line.host = word;
    }
    rest.remove_prefix(at);
    return true;
}

bool take_bar(std::string_view& rest, LogLine& line) {
    const auto percent = line.bar.empty() ? rest.find("%|") : std::string_view::npos;
    if (percent == std::string_view::npos) {
        return false;
    }
    // "[29:55<4:48:08, 155.57 examples/s]", "[00:00<?, ?it/s, loss=1.2]"
    for (auto open = rest.find('[', percent); open != std::string_view::npos;
         open = rest.find('[', open + 1)) {
        const auto close = rest.find(']', open);
        if (close == std::string_view::npos) {
            return false;
        }
        if (rest.substr(open, close - open).find('<') == std::string_view::npos) {
            continue;
        }
        if (trimmed(rest.substr(close + 1)).empty()) {
            return false;
        }
        line.bar = rest.substr(0, close + 1);
        line.bar_rank = line.rank;
        rest.remove_prefix(close + 1);
        skip_spaces(rest);
        return true;
    }
    return false;
}

}  // namespace rankscope::logs
