// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/text.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace rankscope::logs {

// Reading from the left of a text.

inline bool is_host_char(char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

/// A number without sign; nothing leaves `rest` as it is.
template <typename T>
std::optional<T> take_number(std::string_view& rest, std::size_t most_digits = 10) {
    T value = 0;
    std::size_t i = 0;
    while (i < rest.size() && is_digit(rest[i])) {
        if (i == most_digits) {
            return std::nullopt;
        }
        value = static_cast<T>(value * 10 + static_cast<T>(rest[i] - '0'));
        ++i;
    }
    if (i == 0) {
        return std::nullopt;
    }
    rest.remove_prefix(i);
    return value;
}

inline std::optional<int> take_int(std::string_view& rest) {
    return take_number<int>(rest, 9);
}

[[gnu::always_inline]] inline bool take(std::string_view& rest, std::string_view text) {
    // Not starts_with: it is called for every line, and not always inlined.
    if (rest.size() < text.size() || std::memcmp(rest.data(), text.data(), text.size()) != 0) {
        return false;
    }
    rest.remove_prefix(text.size());
    return true;
}

inline void skip_spaces(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
}

/// Whether the text begins with one of the words, none of which is empty. Most lines begin with none.
inline bool starts_with_one(std::string_view text, std::span<const std::string_view> words) {
    return !text.empty() && std::any_of(words.begin(), words.end(), [text](std::string_view word) {
        return word[0] == text[0] && text.starts_with(word);
    });
}

/// Looks for many words in one text, in about the time of one: the pairs of letters that the text does not have rule out most.
class WordFinder {
public:
    explicit WordFinder(std::string_view text) : text_(text) {
        for (std::size_t i = 1; i < text.size(); ++i) {
            pairs_[place(text[i - 1], text[i])] = true;
        }
    }
    /// Of two letters or more.
    bool has(std::string_view word) const {
        return pairs_[place(word[0], word[1])] && pairs_[place(word[word.size() - 2], word.back())] &&
               text_.find(word) != std::string_view::npos;
    }
    bool has_one(std::span<const std::string_view> words) const {
        return std::any_of(words.begin(), words.end(), [this](std::string_view word) { return has(word); });
    }

private:
    static std::size_t place(char a, char b) {
        return (static_cast<std::size_t>(static_cast<unsigned char>(a)) * 31 +
                static_cast<unsigned char>(b)) %
               kPlaces;
    }
    static constexpr std::size_t kPlaces = 1024;
    std::array<bool, kPlaces> pairs_{};
    std::string_view text_;
};

}  // namespace rankscope::logs
