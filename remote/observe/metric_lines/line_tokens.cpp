// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/line_tokens.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace rankscope::metric_lines {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// A character of UTF-8 that separates: general punctuation, arrows, boxes, blocks, Braille, wide punctuation.
std::size_t wide_mark(std::string_view text) {
    const auto byte = [text](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    if (byte(0) == 0xE2 || (byte(0) == 0xE3 && byte(1) == 0x80) || (byte(0) == 0xEF && byte(1) == 0xBC)) {
        return std::min<std::size_t>(3, text.size());
    }
    return byte(0) == 0xF0   ? std::min<std::size_t>(4, text.size())
           : byte(0) == 0xC2 ? std::min<std::size_t>(2, text.size())
                             : 0;
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view line) : line_(line) {}

    std::vector<Token> all() {
        while (at_ < line_.size() && tokens_.size() < kMaxTokens) {
            step();
        }
        join_dates();
        return std::move(tokens_);
    }

private:
    char here(std::size_t ahead = 0) const { return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0'; }
    std::string_view rest() const { return line_.substr(at_); }

    void add(Token::Kind kind, std::size_t length) {
        tokens_.push_back({.kind = kind, .text = line_.substr(at_, length), .gap = gap_, .wide = wide_});
        at_ += length;
        gap_ = wide_ = false;
    }

    void step() {
        const char c = here();
        if (is_blank(c)) {
            wide_ = wide_ || gap_ || c == '\t';
            gap_ = true;
            ++at_;
        } else if (c == '"' || c == '\'' || c == '`') {
            // What a quote ends is no part of a name behind it: msg="step done" step=10
            const bool closes = !gap_ && !tokens_.empty() && tokens_.back().kind == Token::Kind::Word;
            wide_ = wide_ || (closes && is_blank(here(1)));
            ++at_;
            if (const auto length = closes ? 0 : quoted_path_length(c); length > 0) {
                add(Token::Kind::Opaque, length);
            }
        } else if (const auto mark = wide_mark(rest()); mark > 0) {
            add(Token::Kind::Mark, mark);
        } else if (path_length() > 0) {
            add(Token::Kind::Opaque, path_length());
        } else if (starts_number()) {
            number();
        } else if (is_token_letter(c)) {
            word();
        } else {
            add(Token::Kind::Mark, 1);
        }
    }

    // "/data/x", "./x", "~/x": up to the next blank.
    std::size_t path_length() const {
        const bool starts = tokens_.empty() || gap_ || tokens_.back().kind == Token::Kind::Mark;
        const auto text = rest();
        const bool path =
            (text.starts_with('/') && text.size() > 1 && (is_token_letter(text[1]) || text[1] == '.')) ||
            text.starts_with("./") || text.starts_with("../") || text.starts_with("~/");
        return starts && path ? std::min(text.size(), text.find_first_of(" \t'\",;()[]")) : 0;
    }

    // 'runs/version_1/epoch=3-step=80.ckpt': a name of a value has no '='.
    std::size_t quoted_path_length(char quote) const {
        const auto text = rest().substr(0, rest().find(quote));
        const bool path = text.size() < rest().size() && text.find('=') != text.npos &&
                          std::count(text.begin(), text.end(), '/') >= 2;
        return path ? text.size() : 0;
    }

    bool starts_number() const {
        const char c = here();
        if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
            return true;
        }
        // A sign is one only where no name or number ends just before it: "node-1", "3-5".
        const bool apart = gap_ || tokens_.empty() || tokens_.back().kind == Token::Kind::Mark;
        return (c == '-' || c == '+') && apart && number_length(rest()) > 1;
    }

    std::size_t digits(std::size_t from) const {
        std::size_t count = 0;
        while (is_digit(here(from + count))) {
            ++count;
        }
        return count;
    }

    // "12:30", "0:01:02.5", "12:30:01,123"
    std::size_t clock_length() const {
        std::size_t at = digits(0);
        std::size_t parts = 0;
        while (at > 0 && here(at) == ':' && digits(at + 1) == 2) {
            at += 3;
            ++parts;
        }
        if (parts == 0) {
            return 0;
        }
        if ((here(at) == '.' || here(at) == ',') && digits(at + 1) > 0) {
            at += 1 + digits(at + 1);
        }
        return is_word(here(at)) && here(at) != 'Z' ? 0 : at;
    }

    // "2024-05-01", "2024/05/01", "22.11.2024", and what is joined to it: "2024-05-01T12:30:01.5Z"
    std::size_t date_length() const {
        const auto first = digits(0);
        const char between = here(first);
        if (first == 0 || first > 4 || (between != '-' && between != '/' && between != '.')) {
            return 0;
        }
        const auto second = digits(first + 1);
        if (second < 1 || second > 2 || here(first + 1 + second) != between) {
            return 0;
        }
        const auto third = digits(first + 2 + second);
        const auto end = first + 2 + second + third;
        const bool year = (first == 4 && third >= 1 && third <= 2) || (first <= 2 && third == 4);
        if (!year || (is_word(here(end)) && here(end) != 'T') || here(end) == '.') {
            return 0;
        }
        return here(end) == 'T' ? std::min(rest().size(), rest().find_first_of(" \t]),|")) : end;
    }

    // "158,406": groups of three, as sums of money have them.
    std::size_t grouped_length() const {
        std::size_t at = digits(0);
        if (at == 0 || at > 3 || in_brackets()) {
            return 0;
        }
        std::size_t groups = 0;
        while (here(at) == ',' && digits(at + 1) == 3) {
            at += 4;
            ++groups;
        }
        if (groups > 0 && here(at) == '.') {
            at += 1 + digits(at + 1);
        }
        return groups > 0 && here(at) != ',' ? at : 0;
    }
    // "[1,100]" are two numbers.
    bool in_brackets() const {
        return !tokens_.empty() && (tokens_.back().is('[') || tokens_.back().is('('));
    }

    void number() {
        if (const auto length = std::max(date_length(), clock_length()); length > 0) {
            add(Token::Kind::Time, length);
            return;
        }
        std::string digits_only;
        std::size_t length = grouped_length();
        if (length > 0) {
            const auto text = rest().substr(0, length);
            std::copy_if(text.begin(), text.end(), std::back_inserter(digits_only),
                         [](char c) { return c != ','; });
        } else {
            length = number_length(rest());
            digits_only = rest().substr(0, length);
        }
        const auto value = to_number(digits_only);
        const auto tail = rest().substr(std::min(rest().size(), length));
        const bool version = tail.size() > 1 && tail[0] == '.' && is_word(tail[1]);
        const auto unit = unit_length(tail);
        if (!value || version || !unit) {
            add(Token::Kind::Opaque, std::max<std::size_t>(1, opaque_length()));
            return;
        }
        const bool whole = digits_only.find_first_not_of("0123456789") == std::string::npos;
        add(Token::Kind::Number, length);
        Token& token = tokens_.back();
        token.value = *value;
        token.whole = whole;
        token.unit = rest().substr(0, *unit);
        at_ += *unit;
    }

    // "%", "ms", "it/s", "GiB"; none is 0. Nothing: it is no number: "0x1f", "3d4a", "5th_try".
    static std::optional<std::size_t> unit_length(std::string_view tail) {
        if (tail.starts_with('%')) {
            return 1;
        }
        if (!tail.empty() && static_cast<unsigned char>(tail[0]) >= 0xE4) {
            return is_counter_word(tail.substr(0, 3)) ? 3 : 0;  // an ideograph
        }
        std::size_t at = 0;
        while (at < tail.size() &&
               ((tail[at] >= 'a' && tail[at] <= 'z') || (tail[at] >= 'A' && tail[at] <= 'Z') ||
                (tail[at] == '/' && at + 1 < tail.size() && is_token_letter(tail[at + 1])))) {
            ++at;
        }
        const bool ends = at == tail.size() || !(is_word(tail[at]) || tail[at] == '@');
        return ends ? std::optional(at) : std::nullopt;
    }

    std::size_t opaque_length() const {
        std::size_t at = 0;
        while (is_word(here(at)) ||
               (at > 0 && (here(at) == '.' || here(at) == ':' || here(at) == '-') && is_word(here(at + 1)))) {
            ++at;
        }
        return at;
    }

    static std::size_t word_length(std::string_view text) {
        std::size_t at = 0;
        while (at < text.size()) {
            const char c = text[at];
            if (is_token_letter(c) && wide_mark(text.substr(at)) > 0) {
                break;
            }
            const bool ideograph = at > 0 && static_cast<unsigned char>(text[at - 1]) >= 0x80;
            if (ideograph && is_digit(c)) {
                break;  // "第100步"
            }
            const char next = at + 1 < text.size() ? text[at + 1] : '\0';
            const bool joins = (c == '/' || c == '.' || c == '@' || c == '-') && at > 0 && is_word(next) &&
                               !(c == '-' && number_length(text.substr(at + 1)) > 1 &&
                                 text.substr(at + 1, number_length(text.substr(at + 1))).find('.') !=
                                     std::string_view::npos);
            if (!is_word(c) && !joins) {
                break;
            }
            ++at;
        }
        return std::max<std::size_t>(at, 1);
    }

    void word() {
        const auto length = word_length(rest());
        if (rest().substr(length).starts_with("://")) {
            add(Token::Kind::Opaque, std::min(rest().size(), rest().find_first_of(" \t'\"),")));
            return;
        }
        if (const auto place = place_length(length); place > 0) {
            add(Token::Kind::Opaque, place);
            return;
        }
        add(Token::Kind::Word, length);
    }

    // "train.py:45", "__main__:train:45", "logging.py:96:log_dist": where a logger was called.
    std::size_t place_length(std::size_t first) const {
        const bool file = rest().substr(0, first).find('.') != std::string_view::npos;
        std::size_t at = first;
        std::size_t names = 1;
        bool line = false;
        while (here(at) == ':' && is_word(here(at + 1))) {
            const auto count = digits(at + 1);
            if (count > 0 && !is_word(here(at + 1 + count)) && here(at + 1 + count) != '.') {
                line = true;
                at += 1 + count;
            } else if (is_token_letter(here(at + 1))) {
                const auto next = word_length(rest().substr(at + 1));
                at += 1 + next;
                names += line ? 0 : 1;
            } else {
                break;
            }
        }
        // "(trainer:464)"
        const bool alone = line && !tokens_.empty() && tokens_.back().is('(') && here(at) == ')' &&
                           !is_counter_word(lower_case(rest().substr(0, first)));
        return alone || (line && (file || names > 1)) ? at : 0;
    }

    // "03/22 17:05:31": a day before a clock; "2 days, 3:14:40": a span.
    void join_dates() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].kind != Token::Kind::Time) {
                continue;
            }
            if (i >= 3 && tokens_[i - 1].kind == Token::Kind::Number &&
                (tokens_[i - 2].is('/') || tokens_[i - 2].is('-')) &&
                tokens_[i - 3].kind == Token::Kind::Number) {
                tokens_[i - 1].kind = tokens_[i - 3].kind = Token::Kind::Time;
            }
            const std::size_t comma = i >= 1 && tokens_[i - 1].is(',') ? 1 : 0;
            if (i >= 2 + comma && tokens_[i - 1 - comma].text.starts_with("day") &&
                tokens_[i - 2 - comma].kind == Token::Kind::Number) {
                tokens_[i - 2 - comma].kind = Token::Kind::Time;
            }
        }
    }

    std::string_view line_;
    std::size_t at_ = 0;
    bool gap_ = false;
    bool wide_ = false;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view line) {
    return Tokenizer(line).all();
}

std::string template_of(const std::vector<Token>& tokens) {
    std::string text;
    for (const Token& token : tokens) {
        text += token.gap ? " " : "";
        if (token.kind == Token::Kind::Number) {
            text += '\1';
            text += token.unit;
        } else if (token.kind == Token::Kind::Time) {
            text += '\2';
        } else {
            text += token.text;
        }
    }
    return text;
}

}  // namespace rankscope::metric_lines
