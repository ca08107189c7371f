// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/tensorboard/crc32c.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

/// A summary writer of the tests' own: protobuf by hand, so that the reader is not tested against itself.
namespace rankscope::test {

inline std::string little_endian(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) {
        out += static_cast<char>(value >> (8 * i) & 0xff);
    }
    return out;
}

inline std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) {
        out += static_cast<char>(value | 0x80);
    }
    return out + static_cast<char>(value);
}

/// A field with a length: text, message.
inline std::string field(int number, std::string_view content) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(content.size()) +
           std::string(content);
}

inline std::string record(std::string_view data) {
    const std::string length = little_endian(data.size(), 8);
    return length + little_endian(tensorboard::masked_crc32c(length), 4) + std::string(data) +
           little_endian(tensorboard::masked_crc32c(data), 4);
}

inline std::string value_message(const std::string& tag, float value) {
    return field(1, tag) + '\x15' + little_endian(std::bit_cast<std::uint32_t>(value), 4);
}

inline std::string event_message(std::int64_t step, const std::string& summary) {
    return '\x09' + little_endian(0, 8) + '\x10' + varint(static_cast<std::uint64_t>(step)) +
           field(5, summary);
}

inline std::string scalar_record(const std::string& tag, std::int64_t step, float value) {
    return record(event_message(step, field(1, value_message(tag, value))));
}

/// What a file begins with.
inline std::string version_record() {
    return record('\x09' + little_endian(0, 8) + field(3, "brain.Event:2"));
}

}  // namespace rankscope::test
