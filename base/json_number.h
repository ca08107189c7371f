// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace rankscope {

/// A number of a JSON text as a whole one. Nothing when it is no number or does not fit: get<int>() of 1e300
/// would be undefined behaviour.
template <typename T, typename Json>
std::optional<T> whole_number(const Json& value) {
    const auto fitting = [](auto whole) {
        return std::in_range<T>(whole) ? std::optional<T>(static_cast<T>(whole)) : std::nullopt;
    };
    if (value.is_number_unsigned()) {
        return fitting(value.template get<std::uint64_t>());
    }
    if (value.is_number_integer()) {
        return fitting(value.template get<std::int64_t>());
    }
    if (!value.is_number()) {
        return std::nullopt;
    }
    const auto number = value.template get<double>();
    const double above = static_cast<double>(std::numeric_limits<T>::max()) + 1;  // exact, a power of two
    if (!(number >= static_cast<double>(std::numeric_limits<T>::min()) && number < above)) {
        return std::nullopt;
    }
    return static_cast<T>(number);
}

}  // namespace rankscope
