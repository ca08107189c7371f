// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/learn_pattern.h>
#include <remote/observe/metric_lines/pattern.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <cctype>

namespace rankscope::metric_lines {
namespace {

bool is_word_or_at(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '@';
}

struct Number {
    std::size_t begin;
    std::size_t end;
};

// The numbers of the line, from left to right, as Pattern::match meets them.
std::vector<Number> numbers_in(std::string_view line) {
    std::vector<Number> numbers;
    for (std::size_t at = 0; at < line.size();) {
        const bool in_word = at > 0 && std::isalpha(static_cast<unsigned char>(line[at - 1])) != 0;
        const bool starts_word = std::isalpha(static_cast<unsigned char>(line[at])) != 0;
        const auto length = starts_word && in_word ? 0 : number_length(line.substr(at));
        if (length == 0) {
            ++at;
            continue;
        }
        numbers.push_back({at, at + length});
        at += length;
    }
    return numbers;
}

// "acc1" in "acc1=0.9", "top5: 3", "acc1 0.9": the digit belongs to the name of what follows.
bool is_part_of_a_name(std::string_view line, const Number& number) {
    if (number.begin == 0 || !is_word_or_at(line[number.begin - 1]) || is_digit(line[number.begin - 1])) {
        return false;
    }
    auto after = line.substr(number.end);
    after.remove_prefix(std::min(after.size(), after.find_first_not_of(" \t")));
    if (after.empty()) {
        return false;
    }
    if (after[0] == '=' || after[0] == ':') {
        return after.size() < 2 || after[0] == '=' || after[1] == ' ' || number_length(after.substr(1)) > 0;
    }
    return number.end < line.size() && (line[number.end] == ' ' || line[number.end] == '\t') &&
           number_length(after) > 0;
}

void add_literal(std::string& pattern, std::string_view text) {
    for (const char c : text) {
        pattern += c == '{' ? "{{" : std::string(1, c);
    }
}

}  // namespace

std::vector<Mark> numbers_to_mark(std::string_view line) {
    std::vector<Mark> marks;
    for (const auto& number : numbers_in(line)) {
        if (!is_part_of_a_name(line, number)) {
            marks.push_back({"", number.begin, number.end});
        }
    }
    return marks;
}

std::optional<Mark> find_mark(std::string_view line, const std::string& name, const std::string& value,
                              std::string& why) {
    std::string wanted = value;
    std::size_t which = 0;
    if (const auto at = value.rfind('@'); at != std::string::npos) {
        const auto number = to_number(std::string_view(value).substr(at + 1));
        which = number && *number >= 1 && *number < 1000 ? static_cast<std::size_t>(*number) : 0;
        wanted = value.substr(0, at);
    }
    if (!wanted.empty() && wanted.back() == '%') {
        wanted.pop_back();
    }
    std::vector<Number> found;
    for (const auto& number : numbers_in(line)) {
        if (line.substr(number.begin, number.end - number.begin) == wanted) {
            found.push_back(number);
        }
    }
    if (found.empty() || which > found.size()) {
        why = found.empty()
                  ? "the number " + wanted + " is not in the line"
                  : "the number " + wanted + " is there " + std::to_string(found.size()) + " times only";
        return std::nullopt;
    }
    if (found.size() > 1 && which == 0) {
        why = "the number " + wanted + " is there " + std::to_string(found.size()) +
              " times: say which with " + name + "=" + wanted + "@1";
        return std::nullopt;
    }
    const auto& number = found[which == 0 ? 0 : which - 1];
    return Mark{name, number.begin, number.end};
}

std::optional<std::string> learn_pattern(std::string_view line, const std::vector<Mark>& marks,
                                         std::string& why) {
    std::string pattern;
    std::size_t at = 0;
    std::size_t used = 0;
    for (const auto& number : numbers_in(line)) {
        if (used == marks.size()) {
            break;
        }
        add_literal(pattern, line.substr(at, number.begin - at));
        at = number.end;
        const auto mark = std::find_if(marks.begin(), marks.end(), [&number](const Mark& candidate) {
            return candidate.begin == number.begin && candidate.end == number.end;
        });
        if (mark != marks.end()) {
            const bool percent = at < line.size() && line[at] == '%';
            pattern += '{' + mark->name + (percent ? "%}" : "}");
            ++used;
        } else if (is_part_of_a_name(line, number)) {
            add_literal(pattern, line.substr(number.begin, number.end - number.begin));
        } else {
            pattern += "{}";
        }
    }
    if (used != marks.size()) {
        why = "a mark does not lie on a number of the line";
        return std::nullopt;
    }
    const auto compiled = Pattern::compile(pattern, &why);
    if (!compiled) {
        return std::nullopt;
    }
    if (!compiled->match(line)) {
        why = "no pattern can be made of this line";
        return std::nullopt;
    }
    return pattern;
}

}  // namespace rankscope::metric_lines
