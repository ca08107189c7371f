// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>

#include <cstdint>
#include <cstring>

namespace rankscope {
namespace {

/// Length of the character that begins here; 0: none does.
std::size_t character_at(std::string_view text, std::size_t begin) {
    const auto at = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = at(begin);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;  // no overlong forms
    const unsigned high = lead == 0xED   ? 0x9F
                          : lead == 0xF4 ? 0x8F
                                         : 0xBF;  // no surrogates, nothing above 10FFFF
    if (length == 0 || at(begin + 1) < low || at(begin + 1) > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if ((at(begin + i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

}  // namespace

std::size_t first_bad_byte(std::string_view text) {
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    for (std::size_t i = 0; i < text.size();) {
        // Most text is ASCII: eight bytes at once.
        std::uint64_t eight = kHighBits;
        if (text.size() - i >= sizeof eight) {
            std::memcpy(&eight, text.data() + i, sizeof eight);
        }
        if ((eight & kHighBits) == 0) {
            i += sizeof eight;
            continue;
        }
        const std::size_t length = character_at(text, i);
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

std::string as_utf8(std::string text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_at(text, i);
        if (length == 0) {
            text[i] = '?';
        }
        i += length == 0 ? 1 : length;
    }
    return text;
}

}  // namespace rankscope
