// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankscope {

/// The names of an enumeration, as files and JSON have them: a specialisation has `names`, an array of
/// const char* in the order of the enumerators, which count from 0 without gaps.
template <typename E>
struct EnumNames;

template <typename E>
concept NamedEnum = requires {
    EnumNames<E>::names[0];
};

template <NamedEnum E>
constexpr const char* to_string(E value) {
    const auto index = static_cast<std::size_t>(value);
    return index < EnumNames<E>::names.size() ? EnumNames<E>::names[index] : "";
}

/// The enumerator of that name; nothing if there is none.
template <NamedEnum E>
constexpr std::optional<E> enum_from(std::string_view name) {
    for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
        if (name == EnumNames<E>::names[i]) {
            return static_cast<E>(i);
        }
    }
    return std::nullopt;
}

/// The enumerator of that number, as a frame or a file has it; nothing if there is none.
template <NamedEnum E>
constexpr std::optional<E> enum_from_number(int number) {
    if (number < 0 || static_cast<std::size_t>(number) >= EnumNames<E>::names.size()) {
        return std::nullopt;
    }
    return static_cast<E>(number);
}

}  // namespace rankscope
