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
/// bytes. Both sides first send a greeting: kMagic and the nonce of a SealedSession; every later frame is one
/// message, sealed with the key that the run's token gives for the store. A request is one operation byte
/// followed by fields, each again a 4-byte length and its bytes; a reply is one status byte followed by fields.
/// The first request of a connection must be hello. A server that cannot open it answers kRefusal, unsealed.
namespace rankscope::engine::store_protocol {

inline constexpr std::string_view kMagic = "rankscope-store-3\n";
inline constexpr std::string_view kRefusal = "rankscope-store: another token";
inline constexpr std::size_t kMaxHello = 512;  ///< bytes; the limit before the token is proven
inline constexpr std::size_t kMaxFrame = std::size_t{1} << 20U;
/// How a loss is reported: "<rank> <kind> <reason>", with one of these kinds.
inline constexpr std::string_view kGone = "gone";
inline constexpr std::string_view kMissing = "missing";
/// What a rank last reported of its work (see out_of_step.h).
std::string state_key(int rank);

enum class Op : std::uint8_t {
    hello = 1,  ///< rank, world size, role ("member" or "watch") → status
    set = 2,    ///< key, value
    get = 3,    ///< key, time-out in ms ("-1": no limit) → value
    add = 4,    ///< key, delta → new value
    check = 5,  ///< keys… → one "0" or "1" each
    fail = 6,   ///< reason: this rank ends with an error; the others are notified
    bye = 7,    ///< this rank ends as it should: its closing is no loss
    /// state, limit in ms, wait in ms: this rank lives and does `state`; once it is silent for `limit` (0: no
    /// limit) it is lost → the loss as soon as there is one, a time-out after `wait`
    beat = 8,
    accuse =
        9  ///< rank (−1: none), sentence: a collective has waited too long for it; the others are notified
};

enum class Status : std::uint8_t { ok = 0, timeout = 1, refused = 2 };

/// A parsed request or reply: its first byte and its fields.
struct Message {
    std::uint8_t kind = 0;
    std::vector<std::string> fields;
};

/// The bytes with their length in front.
std::string frame(std::string_view bytes);
std::string encode(const Message& message);
/// Nothing when the bytes are malformed.
std::optional<Message> decode(std::string_view body);
std::uint32_t read_length(const unsigned char* bytes);

}  // namespace rankscope::engine::store_protocol
