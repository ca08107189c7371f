// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/tar_reader.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::engine {
namespace {

constexpr std::size_t kBlock = 512;
using Header = std::array<std::uint8_t, kBlock>;

std::string text_field(const Header& header, std::size_t at, std::size_t length) {
    std::string text;
    for (std::size_t i = at; i < at + length && header[i] != 0; ++i) {
        text += static_cast<char>(header[i]);
    }
    return text;
}

/// Octal digits between blanks and zeros; nothing when there is something else.
std::optional<std::uint64_t> octal_field(const Header& header, std::size_t at, std::size_t length) {
    std::uint64_t value = 0;
    bool any = false;
    for (std::size_t i = at; i < at + length; ++i) {
        const std::uint8_t c = header[i];
        if (c >= '0' && c <= '7' && value < (std::uint64_t{1} << 60U)) {
            value = value * 8 + (c - '0');
            any = true;
        } else if (c != ' ' && c != 0) {
            return std::nullopt;
        } else if (any) {
            break;
        }
    }
    return any ? std::optional(value) : std::nullopt;
}

/// Sum of the header's bytes, the sum's own field taken as blanks.
std::uint64_t header_sum(const Header& header) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        sum += i >= 148 && i < 156 ? std::uint8_t{' '} : header[i];
    }
    return sum;
}

}  // namespace

std::optional<TarMember> TarReader::next() {
    for (;;) {
        source_.skip(left_ + padding_);
        left_ = 0;
        padding_ = 0;
        Header header{};
        const std::size_t got = source_.read(header.data(), header.size());
        if (got == 0 || std::ranges::all_of(header, [](std::uint8_t byte) { return byte == 0; })) {
            return std::nullopt;
        }
        const auto size = octal_field(header, 124, 12);
        const auto sum = octal_field(header, 148, 8);
        if (got < header.size() || !size || !sum || *sum != header_sum(header)) {
            source_.fail("is not a tar archive, or a damaged one");
        }
        left_ = *size;
        padding_ = (kBlock - left_ % kBlock) % kBlock;
        const std::uint8_t kind = header[156];
        if (kind == '0' || kind == 0) {
            const std::string folder = text_field(header, 345, 155);
            const std::string name = text_field(header, 0, 100);
            return TarMember{folder.empty() ? name : folder + "/" + name, left_};
        }
    }
}

void TarReader::append(std::vector<std::uint8_t>& target, std::uint64_t size) {
    const std::uint64_t ask = std::min(size, left_);
    const std::size_t got = source_.append(target, ask);
    left_ -= got;
    if (got < size) {
        source_.fail("the archive is cut short");
    }
}

}  // namespace rankscope::engine
