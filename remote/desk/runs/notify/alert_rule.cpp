// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/notify/alert_rule.h>
#include <remote/desk/shared/text.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AlertRule";
constexpr std::size_t kLongest = 300;
constexpr std::int64_t kMostSteps = 1'000'000'000;

struct Sign {
    const char* text;
    AlertRule::Compare compare;
};
constexpr std::array<Sign, 4> kSigns{{{">", AlertRule::Compare::Above},
                                      {">=", AlertRule::Compare::AtLeast},
                                      {"<", AlertRule::Compare::Below},
                                      {"<=", AlertRule::Compare::AtMost}}};

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool sign = false;
    const auto end_word = [&] {
        if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    };
    for (const char c : text) {
        const bool is_sign = c == '<' || c == '>' || c == '=';
        if (c == ' ' || c == '\t' || is_sign != sign) {
            end_word();
        }
        if (c != ' ' && c != '\t') {
            word += c;
        }
        sign = is_sign;
    }
    end_word();
    return words;
}

std::optional<double> number_of(std::string_view text) {
    const bool percent = text.ends_with('%');
    text.remove_suffix(percent ? 1 : 0);
    const auto value = parse_number<double>(text);
    return !value || !std::isfinite(*value) ? std::nullopt : std::optional(percent ? *value / 100 : *value);
}

Failure fault(const std::string& what) {
    return {"bad-field", "", what, text(kContext, "Write for example: loss > 10 for 50 steps."), ""};
}

Result<std::int64_t> steps_of(const std::vector<std::string>& words) {
    if (words.size() == 3) {
        return std::int64_t{1};
    }
    if (words.size() < 5 || words.size() > 6 || words[3] != "for" ||
        (words.size() == 6 && words[5] != "steps" && words[5] != "step")) {
        return fault(text(kContext, "After the value there may only be \"for N steps\"."));
    }
    const auto steps = parse_number<std::int64_t>(words[4]);
    if (!steps || *steps < 1 || *steps > kMostSteps) {
        return fault(text(kContext, "\"%1\" is not a number of steps.", {words[4]}));
    }
    return *steps;
}

}  // namespace

bool AlertRule::holds(double measured) const {
    switch (compare) {
        case Compare::Above:
            return measured > value;
        case Compare::AtLeast:
            return measured >= value;
        case Compare::Below:
            return measured < value;
        case Compare::AtMost:
            return measured <= value;
    }
    return false;
}

Result<AlertRule> parse_alert_rule(std::string_view line) {
    if (line.size() > kLongest) {
        return fault(text(kContext, "The rule is longer than %1 characters.", {std::to_string(kLongest)}));
    }
    const auto words = words_of(line);
    if (words.size() < 3) {
        return fault(text(kContext, "A rule has a metric, a comparison and a value."));
    }
    AlertRule rule;
    rule.metric = words[0];
    std::optional<AlertRule::Compare> compare;
    for (const Sign& sign : kSigns) {
        compare = words[1] == sign.text ? std::optional(sign.compare) : compare;
    }
    if (!compare) {
        return fault(text(kContext, "\"%1\" is not a comparison: use >, >=, < or <=.", {words[1]}));
    }
    rule.compare = *compare;
    const auto value = number_of(words[2]);
    if (!value) {
        return fault(text(kContext, "\"%1\" is not a number.", {words[2]}));
    }
    rule.value = *value;
    const auto steps = steps_of(words);
    if (!steps) {
        return steps.failure();
    }
    rule.steps = *steps;
    return rule;
}

std::string to_text(const AlertRule& rule) {
    std::array<char, 32> number{};
    const auto end = std::to_chars(number.data(), number.data() + number.size(), rule.value).ptr;
    std::string line = rule.metric;
    for (const Sign& sign : kSigns) {
        if (sign.compare == rule.compare) {
            line += ' ' + std::string(sign.text) + ' ';
        }
    }
    line.append(number.data(), end);
    return rule.steps == 1 ? line : line + " for " + std::to_string(rule.steps) + " steps";
}

}  // namespace rankscope::inline runs
