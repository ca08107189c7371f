// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/token_keys.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The cryptography of one connection between two holders of a key. Challenge and response: each side sends 32
/// random bytes, its nonce; a keyed hash over both nonces is the key of the session. What follows is sealed
/// (XSalsa20-Poly1305) and numbered per direction: the first message that opens proves that the other side
/// holds the key. A recorded conversation is of no use in another one, and the key itself is never sent.
/// No I/O; used by one thread at a time.
class SealedSession {
public:
    enum class Side { Listener, Dialer };
    static constexpr std::size_t kNonceBytes = 32;
    static constexpr std::size_t kOverhead = 16;  ///< bytes that sealing adds

    SealedSession(const TokenKey& key, Side side);

    const std::string& own_nonce() const { return own_nonce_; }
    /// Takes the other side's nonce. `context` binds the session to something both know (a run). false: the
    /// nonce is malformed or our own, sent back.
    bool begin(std::string_view their_nonce, std::string_view context);
    bool begun() const { return begun_; }
    /// The other side has proven that it holds the key.
    bool proven() const { return opened_ > 0; }

    /// Only after begin(). Messages must be opened in the order in which they were sealed.
    std::string seal(std::string_view plain);
    /// Nothing: forged, replayed, out of order or damaged. The connection must be closed then.
    std::optional<std::string> open(std::string_view sealed);

private:
    TokenKey key_;
    Side side_;
    std::string own_nonce_;
    bool begun_ = false;
    std::uint64_t sealed_ = 0;
    std::uint64_t opened_ = 0;
};

}  // namespace rankscope
