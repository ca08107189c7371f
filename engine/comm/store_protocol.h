// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The store's wire format, shared by server and client. A frame is a 4-byte big-endian length and that many
/// bytes; a request is one operation byte followed by fields, each again a 4-byte length and its bytes; a
/// reply is one status byte followed by fields. The first request of a connection must be hello.
namespace rankscope::engine::store_protocol {

inline constexpr std::string_view kMagic = "rankscope-store-1";
inline constexpr std::size_t kMaxHello = 512;  ///< bytes; the limit before the token was seen
inline constexpr std::size_t kMaxFrame = std::size_t{1} << 20U;
inline constexpr const char* kLostKey = "rankscope/lost";  ///< "<rank> <reason>", set when a rank goes away

enum class Op : std::uint8_t {
    hello = 1,  ///< magic, token, rank, world size, role ("member" or "watch") → status
    set = 2,    ///< key, value
    get = 3,    ///< key, time-out in ms ("-1": for ever) → value
    add = 4,    ///< key, delta → new value
    check = 5,  ///< keys… → one "0" or "1" each
    fail = 6,   ///< reason: this rank ends with an error; the others are told
    bye = 7     ///< this rank ends as it should: its closing is no loss
};

enum class Status : std::uint8_t { ok = 0, timeout = 1, refused = 2 };

/// A parsed request or reply: its first byte and its fields.
struct Message {
    std::uint8_t kind = 0;
    std::vector<std::string> fields;
};

/// With the leading length.
std::string encode(const Message& message);
/// Of the bytes behind the length; nothing when they are malformed.
std::optional<Message> decode(std::string_view body);
std::uint32_t read_length(const unsigned char* bytes);

}  // namespace rankscope::engine::store_protocol
