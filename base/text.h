// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// "a, b, c".
template <typename Range>
std::string joined(const Range& parts, std::string_view separator = ", ") {
    std::string text;
    bool first = true;
    for (const auto& part : parts) {
        if (!first) {
            text += separator;
        }
        first = false;
        text += std::string_view(part);
    }
    return text;
}

/// The whole text as a number in the range of T, without blanks or a leading '+'; nothing otherwise.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

/// Of ASCII, whatever the locale.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Letters of ASCII made small; all other bytes stay.
std::string lower_case(std::string_view text);

/// What follows the last '/'.
std::string base_name(std::string_view path);

/// The pieces between separators, empty ones included; no piece for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "512 B", "1.5 KiB", "3.9 GiB": for logs and failures; the window formats for its language.
std::string size_text(std::uint64_t bytes);

/// The known word nearest to a mistyped one: within two edits, or a third of its letters (two swapped
/// neighbours count once), else one that begins alike ("cosine" for "cos"). Empty when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace rankscope
