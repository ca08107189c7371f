// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/text.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
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

}  // namespace rankscope::logs
