// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace rankscope {

CodePoint first_code_point(std::string_view text) {
    const auto byte = [&text](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const std::uint32_t first = byte(0);
    if (first < 0x80) {
        return {first, 1};
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) {
        return {};
    }
    std::uint32_t value = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        value = (value << 6) | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return {};
    }
    return {value, length};
}

bool is_invisible(std::uint32_t value) {
    // Without the joiners U+200C and U+200D, which are parts of letters and emoji, and without blanks.
    static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 17> kRanges{{{0x00, 0x1F},
                                                                                      {0x7F, 0x9F},
                                                                                      {0xAD, 0xAD},
                                                                                      {0x034F, 0x034F},
                                                                                      {0x061C, 0x061C},
                                                                                      {0x115F, 0x1160},
                                                                                      {0x17B4, 0x17B5},
                                                                                      {0x180E, 0x180E},
                                                                                      {0x200B, 0x200B},
                                                                                      {0x200E, 0x200F},
                                                                                      {0x2028, 0x202E},
                                                                                      {0x2060, 0x206F},
                                                                                      {0x3164, 0x3164},
                                                                                      {0xFEFF, 0xFEFF},
                                                                                      {0xFFA0, 0xFFA0},
                                                                                      {0xFFF9, 0xFFFB},
                                                                                      {0xE0000, 0xE007F}}};
    return std::any_of(kRanges.begin(), kRanges.end(),
                       [value](const auto& range) { return value >= range.first && value <= range.second; });
}

std::string escape_of(CodePoint point, char first) {
    char buffer[16];
    const bool wide = point.bytes > 0 && point.value >= 0x80;
    std::snprintf(buffer, sizeof buffer, wide ? "\\u%04x" : "\\x%02x",
                  static_cast<unsigned>(wide ? point.value : static_cast<unsigned char>(first)));
    return buffer;
}

std::string visible_line(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        const char first = text.front();
        if (first == '\n' || first == '\t' || first == '\r') {
            line += first == '\n' ? "\\n" : first == '\t' ? "\\t" : "\\r";
        } else if (point.bytes == 0 || is_invisible(point.value)) {
            line += escape_of(point, first);
        } else {
            line += text.substr(0, point.bytes);
        }
        text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
    }
    return line;
}

}  // namespace rankscope
