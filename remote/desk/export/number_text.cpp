// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/export/number_text.h>

#include <array>
#include <charconv>

namespace rankscope {
namespace {

constexpr std::size_t kLongest = 32;

}  // namespace

std::string number_text(double value) {
    std::array<char, kLongest> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string short_number_text(double value, int digits) {
    std::array<char, kLongest> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::general, digits)
                               .ptr};
}

}  // namespace rankscope
