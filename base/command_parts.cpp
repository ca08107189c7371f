// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/command_parts.h>
#include <base/text.h>
#include <base/utf8.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope {
namespace {

constexpr std::size_t kLongestHostName = 253;
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestPath = 4095;
constexpr std::size_t kLongestFirewallName = 128;
constexpr std::size_t kLongestVariable = 255;
constexpr std::size_t kLongestWord = 255;

bool consists_of(std::string_view text, std::string_view others) {
    return std::all_of(text.begin(), text.end(), [others](char c) {
        return is_letter(c) || is_digit(c) || others.find(c) != std::string_view::npos;
    });
}

bool within(std::string_view text, std::size_t longest) {
    return !text.empty() && text.size() <= longest;
}

// Code points that are not seen, or move what is seen: C0 and C1 controls, soft hyphen, marks of direction and width,
// blanks other than U+0020, separators of lines, tags, variation selectors.
bool is_hidden(char32_t point) {
    constexpr std::array<std::pair<char32_t, char32_t>, 15> kHidden{{{0x00, 0x1F},
                                                                     {0x7F, 0xA0},
                                                                     {0xAD, 0xAD},
                                                                     {0x034F, 0x034F},
                                                                     {0x061C, 0x061C},
                                                                     {0x115F, 0x1160},
                                                                     {0x1680, 0x1680},
                                                                     {0x17B4, 0x17B5},
                                                                     {0x180B, 0x180E},
                                                                     {0x2000, 0x200F},
                                                                     {0x2028, 0x202F},
                                                                     {0x205F, 0x206F},
                                                                     {0x3000, 0x3000},
                                                                     {0xFE00, 0xFE0F},
                                                                     {0xE0000, 0xE0FFF}}};
    return point == 0xFEFF || std::any_of(kHidden.begin(), kHidden.end(), [point](const auto& range) {
               return point >= range.first && point <= range.second;
           });
}

// The code point that begins at `at`, of valid UTF-8; moves `at` behind it.
char32_t next_point(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t point = more == 0 ? lead : lead & (0x3FU >> static_cast<unsigned>(more));
    for (int i = 0; i < more; ++i) {
        point = (point << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
    }
    return point;
}

// "10.1" and "0x7f000001" are addresses for inet_aton(3).
bool is_number(std::string_view label) {
    const bool hexadecimal = label.starts_with("0x") || label.starts_with("0X");
    const auto digits = hexadecimal ? label.substr(2) : label;
    return std::all_of(digits.begin(), digits.end(), [hexadecimal](char c) {
        return is_digit(c) || (hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
    });
}

bool is_own_name(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::string first = lower.substr(0, lower.find('.'));
    return first == "localhost" || lower.ends_with(".localhost") || first == "ip6-localhost" ||
           first == "ip6-loopback" || first == "localhost4" || first == "localhost6" ||
           first == "broadcasthost";
}

}  // namespace

bool is_visible_text(std::string_view text) {
    if (first_bad_byte(text) != std::string_view::npos) {
        return false;
    }
    for (std::size_t at = 0; at < text.size();) {
        if (is_hidden(next_point(text, at))) {
            return false;
        }
    }
    return true;
}

bool HostNameKind::accepts(std::string_view text) {
    if (!within(text, kLongestHostName) || AddressKind::accepts(text) || is_own_name(text)) {
        return false;
    }
    const auto labels = split(text.ends_with('.') ? text.substr(0, text.size() - 1) : text, '.');
    const bool valid =
        !labels.empty() && std::all_of(labels.begin(), labels.end(), [](std::string_view label) {
            return within(label, kLongestLabel) && label.front() != '-' && label.back() != '-' &&
                   consists_of(label, "-_");
        });
    return valid && !is_number(labels.back());
}

bool AddressKind::accepts(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) {
        return false;
    }
    std::array<char, sizeof(in6_addr)> bytes{};
    const std::string word(text);
    return ::inet_pton(AF_INET, word.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, word.c_str(), bytes.data()) == 1;
}

bool AbsolutePathKind::accepts(std::string_view text) {
    if (!within(text, kLongestPath) || text.front() != '/' || !is_visible_text(text)) {
        return false;
    }
    const auto parts = split(text, '/');
    return std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return part == ".."; });
}

bool FirewallNameKind::accepts(std::string_view text) {
    return within(text, kLongestFirewallName) && text.front() != '-' && text.front() != '.' &&
           consists_of(text, "_-.");
}

bool VariableNameKind::accepts(std::string_view text) {
    return within(text, kLongestVariable) && !is_digit(text.front()) && consists_of(text, "_");
}

bool PlainWordKind::accepts(std::string_view text) {
    return within(text, kLongestWord) && text.front() != '-' && is_visible_text(text) &&
           text.find(' ') == std::string_view::npos;
}

std::optional<Pid> Pid::of(std::int64_t number) {
    constexpr std::int64_t kMost = std::int64_t{1} << 22U;  // PID_MAX_LIMIT of Linux
    return number > 1 && number <= kMost ? std::optional(Pid(number)) : std::nullopt;
}

}  // namespace rankscope
