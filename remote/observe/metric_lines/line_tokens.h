// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/text.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// A piece of a printed line, by its grammar alone: no program's format is known here.
struct Token {
    enum class Kind {
        Word,  ///< letters, digits behind a letter, and `_ / . - @` inside: "loss", "rewards/chosen", "acc@1"
        Number,  ///< "3", "1e-4", "158,406", "nan" behind a name; with its unit, where one is attached: "12ms"
        Time,    ///< a clock or a date: "0:01:02", "2024-05-01", "12:30:01,123"
        Opaque,  ///< a path, an address, a version, a place in a source file: its digits are no values
        Mark     ///< one character that separates; "|" also for the pictures of bars and tables
    };
    Kind kind = Kind::Mark;
    std::string_view text{};
    double value = 0;         ///< of a Number
    bool whole = false;       ///< of a Number: digits only
    std::string_view unit{};  ///< of a Number: "%", "ms", "GiB", "img/s"; empty: none
    bool gap = false;         ///< blanks stand before it
    bool wide = false;        ///< a tab, or several blanks

    bool is(char mark) const { return kind == Kind::Mark && text.size() == 1 && text[0] == mark; }
    bool ends_at(const Token& next) const { return text.data() + text.size() == next.text.data(); }
};

/// Also of other scripts than ours: bytes of UTF-8; tokens_of() sorts out which are no letters.
inline bool is_token_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
/// Whether a Word can contain it.
inline bool is_word(char c) {
    return is_token_letter(c) || is_digit(c);
}

/// Quotes are passed over: `"loss": 0.3` reads as `loss: 0.3`. At most kMaxTokens of them.
inline constexpr std::size_t kMaxTokens = 512;
std::vector<Token> tokens_of(std::string_view line);

/// What two lines of one statement share: the text, with a place for each number or time.
std::string template_of(const std::vector<Token>& tokens);

}  // namespace rankscope::metric_lines
