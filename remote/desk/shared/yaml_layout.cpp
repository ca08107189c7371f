// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/shared/yaml_layout.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>

namespace rankscope {
namespace {

constexpr auto kNone = std::string::npos;

bool is_space_or_tab(char c) {
    return c == ' ' || c == '\t';
}

bool is_space(char c) {
    return is_space_or_tab(c) || c == '\n' || c == '\r';
}

}  // namespace

YamlLayout::YamlLayout(const std::string& text) : text_(text), crlf_(text.find("\r\n") != kNone) {
    lines_.push_back(text.starts_with("\xef\xbb\xbf") ? 3 : 0);
    for (std::size_t at = text.find('\n'); at != kNone; at = text.find('\n', at + 1)) {
        lines_.push_back(at + 1);
    }
}

std::optional<YamlPlace> YamlLayout::place(const YAML::Node& key, bool flow) const {
    const auto line = static_cast<std::size_t>(key.Mark().line);
    if (key.Mark().is_null() || line >= lines_.size()) {
        return std::nullopt;
    }
    YamlPlace place;
    place.flow = flow;
    place.indent = static_cast<std::size_t>(key.Mark().column);
    place.key = lines_[line] + place.indent;
    std::size_t at = place.key;
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'')) {
        at = behind_quotes(at);
        at = at == kNone ? kNone : skip_blanks(at);
    } else {
        while (at < text_.size() && text_[at] != '\n' &&
               !(text_[at] == ':' && (at + 1 == text_.size() || is_space(text_[at + 1]) ||
                                      (flow && std::string_view(",]}").find(text_[at + 1]) != kNone)))) {
            ++at;
        }
    }
    if (at == kNone || at >= text_.size() || text_[at] != ':') {
        return std::nullopt;
    }
    place.colon = at + 1;
    place.value = place.end = place.colon;
    if (flow) {
        std::size_t begin = place.colon;
        while (begin < text_.size() && is_space(text_[begin])) {
            ++begin;
        }
        const std::size_t end = flow_end(begin);
        if (end == kNone) {
            return std::nullopt;
        }
        place.end = std::max(trimmed(begin, end), place.colon);
        place.value = place.end > begin ? begin : place.colon;
        return place;
    }
    const std::size_t begin = skip_blanks(place.colon);
    const std::size_t behind = skip_properties(begin);
    const std::size_t below = next_line(place.key);
    if (behind < text_.size() && !is_space(text_[behind]) && !is_comment(behind)) {
        place.value = begin;
        const char first = text_[behind];
        if (first == '"' || first == '\'' || first == '[' || first == '{') {
            place.end = behind_pair(behind);
        } else if (first == '|' || first == '>') {
            place.end = trimmed(begin, block_end(below, place.indent, true));
        } else {
            const std::size_t more = block_end(below, place.indent, false);
            place.end = more > below ? trimmed(begin, more) : plain_line_end(behind);
        }
        return place.end == kNone ? std::nullopt : std::optional(place);
    }
    const std::size_t end = block_end(below, place.indent, false);
    if (end > below) {
        place.value = behind > begin ? begin : below;
        place.own_lines = true;
        place.end = trimmed(below, end);
    } else if (behind > begin) {  // an anchor without a value
        place.value = begin;
        place.end = trimmed(begin, behind);
    }
    return place;
}

bool YamlLayout::is_flow(std::size_t value) const {
    const std::size_t at = skip_properties(value);
    return at < text_.size() && text_[at] == '{';
}

std::size_t YamlLayout::behind_pair(std::size_t at) const {
    if (text_[at] == '"' || text_[at] == '\'') {
        return behind_quotes(at);
    }
    const std::size_t end = flow_end(at + 1);
    if (end == kNone) {
        return kNone;
    }
    // flow_end() stops at commas as well.
    std::size_t last = end;
    while (last < text_.size() && text_[last] == ',') {
        last = flow_end(last + 1);
        if (last == kNone) {
            return kNone;
        }
    }
    return last < text_.size() ? last + 1 : kNone;
}

std::size_t YamlLayout::skip_properties(std::size_t at) const {
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
        while (at < text_.size() && !is_space(text_[at])) {
            ++at;
        }
        at = skip_blanks(at);
    }
    return at;
}

std::size_t YamlLayout::line_start(std::size_t at) const {
    const auto next = std::upper_bound(lines_.begin(), lines_.end(), at);
    return next == lines_.begin() ? lines_.front() : *(next - 1);
}

std::size_t YamlLayout::next_line(std::size_t at) const {
    const std::size_t end = text_.find('\n', at);
    return end == kNone ? text_.size() : end + 1;
}

std::size_t YamlLayout::skip_blanks(std::size_t at) const {
    while (at < text_.size() && is_space_or_tab(text_[at])) {
        ++at;
    }
    return at;
}

std::size_t YamlLayout::behind_quotes(std::size_t at) const {
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
        if (quote == '"' && text_[at] == '\\') {
            ++at;
        } else if (text_[at] == quote) {
            if (quote == '\'' && at + 1 < text_.size() && text_[at + 1] == '\'') {
                ++at;
                continue;
            }
            return at + 1;
        }
    }
    return kNone;
}

bool YamlLayout::is_comment(std::size_t at) const {
    return at < text_.size() && text_[at] == '#' && (at == 0 || is_space(text_[at - 1]));
}

std::size_t YamlLayout::flow_end(std::size_t at) const {
    int depth = 0;
    bool token_begins = true;  // only there a quote opens a quoted text
    while (at < text_.size()) {
        const char c = text_[at];
        if (is_comment(at)) {
            at = next_line(at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
            return at;
        }
        if (token_begins && (c == '"' || c == '\'')) {
            at = behind_quotes(at);
            if (at == kNone) {
                return kNone;
            }
            token_begins = false;
            continue;
        }
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        token_begins = c == '[' || c == '{' || c == ',' || is_space(c) || c == ':';
        ++at;
    }
    return kNone;
}

std::size_t YamlLayout::plain_line_end(std::size_t at) const {
    const std::size_t begin = at;
    while (at < text_.size() && text_[at] != '\n' && !(at > begin && is_comment(at))) {
        ++at;
    }
    return trimmed(begin, at);
}

std::size_t YamlLayout::block_end(std::size_t at, std::size_t indent, bool literal) const {
    std::size_t end = at;
    bool first = true;
    bool dashes = false;  // a list may stand at the key's own column
    while (at < text_.size()) {
        const std::size_t word = skip_blanks(at);
        const std::size_t next = next_line(at);
        const bool empty = word >= text_.size() || text_[word] == '\n' || text_[word] == '\r';
        const std::size_t column = word - at;
        if (!empty && !(is_comment(word) && !literal)) {
            const bool dash = text_[word] == '-' && (word + 1 >= text_.size() || is_space(text_[word + 1]));
            dashes = first ? dash && column == indent : dashes;
            if (column < indent || (column == indent && !(dashes && dash))) {
                break;
            }
            first = false;
            end = next;
        }
        at = next;
    }
    return end;
}

std::size_t YamlLayout::trimmed(std::size_t from, std::size_t end) const {
    while (end > from && is_space(text_[end - 1])) {
        --end;
    }
    return end;
}

}  // namespace rankscope
