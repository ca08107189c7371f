// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

namespace rankscope::metric_lines {
namespace {

bool is_name_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::size_t digits(std::string_view text, std::size_t from) {
    std::size_t at = from;
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at - from;
}

// "nan" or "inf" as programs write them, not the beginning of a word.
std::size_t special_length(std::string_view text) {
    for (const std::string_view name : {"nan", "inf", "NaN", "Inf", "-inf", "-Inf", "-nan"}) {
        if (text.starts_with(name) && (text.size() == name.size() || !is_name_letter(text[name.size()]))) {
            return name.size();
        }
    }
    return 0;
}

}  // namespace

std::size_t number_length(std::string_view text) {
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const std::size_t whole = digits(text, at);
    at += whole;
    std::size_t fraction = 0;
    if (at < text.size() && text[at] == '.') {
        fraction = digits(text, at + 1);
        at += whole + fraction > 0 ? 1 + fraction : 0;
    }
    if (whole + fraction == 0) {
        return special_length(text);
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t exponent = at + 1;
        exponent += exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+') ? 1U : 0U;
        if (const auto count = digits(text, exponent); count > 0) {
            at = exponent + count;
        }
    }
    return at;
}

std::optional<double> to_number(std::string_view text) {
    if (text.empty() || number_length(text) != text.size()) {
        return std::nullopt;
    }
    if (text.find_first_of("nN") != std::string_view::npos) {
        const double infinity = std::numeric_limits<double>::infinity();
        return text.find_first_of("fF") == std::string_view::npos ? std::numeric_limits<double>::quiet_NaN()
               : text[0] == '-'                                   ? -infinity
                                                                  : infinity;
    }
    if (text[0] == '+') {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec == std::errc::result_out_of_range) {
        return std::nullopt;
    }
    return end.ec == std::errc() ? std::optional(value) : std::nullopt;
}

void Scan::spaces() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t")));
}

bool Scan::text(std::string_view literal) {
    if (!rest_.starts_with(literal)) {
        return false;
    }
    rest_.remove_prefix(literal.size());
    return true;
}

bool Scan::word(std::string_view literal) {
    const auto before = rest_;
    spaces();
    if (!text(literal)) {
        rest_ = before;
        return false;
    }
    spaces();
    return true;
}

bool Scan::past(std::string_view literal) {
    const auto at = rest_.find(literal);
    if (at == std::string_view::npos) {
        return false;
    }
    rest_.remove_prefix(at + literal.size());
    return true;
}

std::optional<double> Scan::number() {
    const auto before = rest_;
    spaces();
    const auto length = number_length(rest_);
    const auto value = to_number(rest_.substr(0, length));
    if (!value) {
        rest_ = before;
        return std::nullopt;
    }
    rest_.remove_prefix(length);
    return value;
}

std::optional<double> Scan::whole() {
    const auto before = rest_;
    spaces();
    const auto value = to_number(rest_.substr(0, digits(rest_, 0)));
    if (!value) {
        rest_ = before;
        return std::nullopt;
    }
    rest_.remove_prefix(digits(rest_, 0));
    return value;
}

bool Scan::fraction(std::optional<double>& done, std::optional<double>& total) {
    const auto before = rest_;
    if (word("[") && (done = whole()) && word("/") && (total = whole()) && word("]")) {
        return true;
    }
    rest_ = before;
    return false;
}

std::string_view Scan::until(std::string_view characters) {
    const auto end = std::min(rest_.size(), rest_.find_first_of(characters));
    const auto text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return text;
}

}  // namespace rankscope::metric_lines
