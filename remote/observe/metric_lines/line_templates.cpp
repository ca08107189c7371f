// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/line_templates.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMostTemplates = 16;
constexpr std::size_t kMostNumbers = 64;
constexpr std::uint64_t kMostUnused = 64;
constexpr char kWholeMark = '\1';
constexpr char kFractionMark = '\2';
constexpr char kDigitMark = '\3';

char at_or_end(std::string_view line, std::size_t at) {
    return at < line.size() ? line[at] : '\0';
}

// "node-1", "acc@1", "v1.2": the digits belong to the word.
bool joins_word(std::string_view line, std::size_t at) {
    return std::string_view("/.@-").find(line[at]) != std::string_view::npos &&
           is_word(at_or_end(line, at + 1));
}

// Digits on both sides of these may be one date, clock, version or number.
bool joins_digits(std::string_view line, std::size_t at) {
    return at < line.size() && std::string_view("-/.:,").find(line[at]) != std::string_view::npos &&
           is_digit(at_or_end(line, at + 1));
}

}  // namespace

bool LineTemplates::take_apart(std::string_view line) {
    text_.resize(line.size());
    auto text = text_.begin();
    numbers_.clear();
    values_.clear();
    bool in_word = false;
    bool joined = false;  // to the number before
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at];
        if (c >= kWholeMark && c <= kDigitMark) {
            return false;
        }
        if (in_word || !is_digit(c)) {
            in_word = is_token_letter(c) || (in_word && (is_digit(c) || joins_word(line, at)));
            joined = joined && joins_digits(line, at);
            *text++ = c;
            ++at;
            continue;
        }
        const auto number = line.substr(at, number_length(line.substr(at)));
        at += number.size();
        const bool joins = joins_digits(line, at);
        if (joins || joined) {
            text = std::transform(number.begin(), number.end(), text,
                                  [](char digit) { return is_digit(digit) ? kDigitMark : digit; });
        } else {
            *text++ = std::all_of(number.begin(), number.end(), is_digit) ? kWholeMark : kFractionMark;
        }
        joined = joins;
        double value = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
            return false;  // too large: no number for tokens_of()
        }
        numbers_.push_back(number);
        values_.push_back(value);
        in_word = is_token_letter(at_or_end(line, at));
    }
    text_.erase(text, text_.end());
    return !numbers_.empty() && numbers_.size() <= kMostNumbers;
}

void LineTemplates::fill(Template& known) const {
    for (const auto& target : known.targets) {
        const double number = values_[*target.source.number];
        const double value = target.source.negative ? -number : number;
        Field& field = known.fields.fields[target.field];
        switch (target.part) {
            case Part::Value:
                field.value = value;
                break;
            case Part::Total:
                field.total = value;
                break;
            case Part::Average:
                field.average = value;
                break;
        }
    }
}

const LineFields* LineTemplates::find(std::string_view line) {
    // Most lines of most programs are like none of them.
    const bool may_be = std::any_of(templates_.begin(), templates_.end(), [line](const Template& one) {
        return line.starts_with(std::string_view(one.text).substr(0, one.begin));
    });
    if (!may_be || !take_apart(line)) {
        return nullptr;
    }
    const auto known = std::find_if(templates_.begin(), templates_.end(),
                                    [this](const Template& one) { return one.text == text_; });
    if (known == templates_.end()) {
        return nullptr;
    }
    fill(*known);
    unused_ = 0;
    return &known->fields;
}

// For each token the number of the line that it is. Nothing: a number is only a part of its token, so the template does not
// determine the fields.
std::optional<std::vector<LineTemplates::Source>> LineTemplates::sources_of(
    const std::vector<Token>& tokens) const {
    std::vector<Source> sources(tokens.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto text = tokens[i].text;
        const bool is_value = tokens[i].kind == Token::Kind::Number;
        const bool is_signed = is_value && (text[0] == '-' || text[0] == '+');
        for (; next < numbers_.size() && numbers_[next].data() < text.data() + text.size(); ++next) {
            const auto digits = text.substr(is_signed ? 1 : 0);
            const bool same =
                digits.data() == numbers_[next].data() && digits.size() == numbers_[next].size();
            if (tokens[i].kind == Token::Kind::Word || (is_value && !same)) {
                return std::nullopt;
            }
            sources[i] = {.number = next, .negative = text[0] == '-'};
        }
    }
    return sources;
}

void LineTemplates::remember(std::string_view line, const std::vector<Token>& tokens,
                             const LineFields& fields) {
    const bool rarely = ++unused_ > kMostUnused && unused_ % kMostUnused != 0;  // such lines never come again
    const auto sources = rarely || !take_apart(line) ? std::nullopt : sources_of(tokens);
    if (!sources) {
        return;
    }
    Template made{
        .text = text_, .begin = static_cast<std::size_t>(numbers_[0].data() - line.data()), .fields = fields};
    for (std::size_t i = 0; i < fields.fields.size(); ++i) {
        const Field& field = fields.fields[i];
        const auto target = [&](std::size_t token, Part part) {
            if ((*sources)[token].number) {
                made.targets.push_back({.source = (*sources)[token], .field = i, .part = part});
            }
        };
        target(field.token, Part::Value);
        if (field.total) {
            target(field.token + 2, Part::Total);
        }
        if (field.average) {
            target(field.average_token, Part::Average);
        }
    }
    if (templates_.size() < kMostTemplates) {
        templates_.push_back(std::move(made));
    } else {
        templates_[oldest_] = std::move(made);
        oldest_ = (oldest_ + 1) % kMostTemplates;
    }
}

}  // namespace rankscope::metric_lines
