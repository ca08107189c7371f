// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/token_keys.h>

#include <sodium/crypto_generichash.h>

namespace rankscope {
namespace {

const unsigned char* unsigned_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view context_of(TokenUse use) {
    switch (use) {
        case TokenUse::EngineStore:
            return "rankscope engine store 1";
        case TokenUse::PeerLink:
            return "rankscope peer link 1";
        case TokenUse::Probe:
            break;
    }
    return "rankscope probe 1";
}

}  // namespace

TokenKey derive_key(std::string_view token, TokenUse use) {
    // The token may have any length; a key has 32 bytes.
    TokenKey master{};
    ::crypto_generichash(master.data(), master.size(), unsigned_bytes(token), token.size(), nullptr, 0);
    const std::string_view context = context_of(use);
    TokenKey key{};
    ::crypto_generichash(key.data(), key.size(), unsigned_bytes(context), context.size(), master.data(),
                         master.size());
    return key;
}

}  // namespace rankscope
