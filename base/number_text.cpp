// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope {
namespace {

constexpr std::size_t kLongestNumber = 32;
constexpr int kMostDecimals = 20;

}  // namespace

std::string number_text(double value) {
    std::array<char, kLongestNumber> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string short_number_text(double value, int digits) {
    std::array<char, kLongestNumber> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::general, digits)
                               .ptr};
}

std::string fixed_text(double value, int decimals) {
    std::array<char, 310 + kMostDecimals> buffer{};  // 1e308 has 309 digits
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::fixed, std::clamp(decimals, 0, kMostDecimals))
                               .ptr};
}

std::optional<double> take_number(std::string_view& text) {
    std::string_view rest = text;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.starts_with('+') && !rest.starts_with("+-")) {
        rest.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text = rest.substr(static_cast<std::size_t>(end - rest.data()));
    return value;
}

}  // namespace rankscope
