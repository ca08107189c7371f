// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/token_keys.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

// What connect_targets() and ProbeListener exchange. Both know the listener's token; each node's is another one, so
// the answer shows that this node answers and no other one, whatever the address says.
//
//   hello   → 8 bytes "RSPROBE1", 32 random bytes (the nonce), 32 bytes proof: a keyed hash of the nonce
//   answer  ← 8 bytes "RSPROBE1", the other side's address as the listener sees it (16, IPv4 mapped into IPv6) and
//             port (2, network order), 32 bytes proof: a keyed hash of the nonce and the address
//   bytes   → any, then the end of the stream
//   count   ← 8 bytes, network order: how many
//
// Numbers and hashes have fixed sizes: there is nothing to parse. The nonce is new in each connection: a recorded
// answer proves nothing. Nothing is sealed: there is no secret in it.

inline constexpr std::size_t kProbeNonceBytes = 32;
inline constexpr std::size_t kProbeHelloBytes = 8 + kProbeNonceBytes + 32;
inline constexpr std::size_t kProbeAnswerBytes = 8 + 16 + 2 + 32;
inline constexpr std::size_t kProbeCountBytes = 8;
inline constexpr std::size_t kProbeTokenBytes = 32;

using ProbeNonce = std::array<unsigned char, kProbeNonceBytes>;

/// An address and a port in the form in which the answer holds them.
struct SeenAddress {
    std::array<unsigned char, 16> address{};
    std::uint16_t port = 0;
};

ProbeNonce new_probe_nonce();

std::string make_probe_hello(const TokenKey& key, const ProbeNonce& nonce);
struct ProbeHello {
    ProbeNonce nonce;
    bool proven;  ///< the sender knows the token
};
/// Nothing: not a hello of kProbeHelloBytes bytes.
std::optional<ProbeHello> open_probe_hello(const TokenKey& key, std::string_view bytes);

std::string make_probe_answer(const TokenKey& key, const ProbeNonce& nonce, const SeenAddress& seen);
/// To a sender that speaks this protocol but does not know the token: random bytes in the form of an answer. The
/// sender learns that another node answers, and nothing else.
std::string make_blank_probe_answer();
/// Nothing: the other side does not know the token.
std::optional<SeenAddress> open_probe_answer(const TokenKey& key, const ProbeNonce& nonce,
                                             std::string_view bytes);

/// What has arrived can be the beginning of a hello or of an answer.
bool can_begin_probe_message(std::string_view bytes);

std::string make_probe_count(std::uint64_t count);
/// Nothing: not kProbeCountBytes bytes.
std::optional<std::uint64_t> open_probe_count(std::string_view bytes);

}  // namespace rankscope::agent
