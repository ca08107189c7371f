// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sealed_session.h>

#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
#include <sodium/crypto_secretbox.h>
#include <sodium/randombytes.h>

namespace rankscope {
namespace {

static_assert(SealedSession::kOverhead == crypto_secretbox_MACBYTES);

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Never the same twice with one key: the direction, and the number of the message in it.
std::array<unsigned char, crypto_secretbox_NONCEBYTES> nonce_of(SealedSession::Side from,
                                                                std::uint64_t number) {
    std::array<unsigned char, crypto_secretbox_NONCEBYTES> nonce{};
    nonce[0] = from == SealedSession::Side::Listener ? 'l' : 'd';
    for (std::size_t i = 0; i < sizeof number; ++i) {
        nonce[i + 1] = static_cast<unsigned char>(number >> (8 * i) & 0xFFU);
    }
    return nonce;
}

SealedSession::Side other(SealedSession::Side side) {
    return side == SealedSession::Side::Listener ? SealedSession::Side::Dialer
                                                 : SealedSession::Side::Listener;
}

}  // namespace

SealedSession::SealedSession(const TokenKey& key, Side side)
    : key_(key), side_(side), own_nonce_(kNonceBytes, '\0') {
    [[maybe_unused]] static const int ready = sodium_init();
    ::randombytes_buf(own_nonce_.data(), own_nonce_.size());
}

bool SealedSession::begin(std::string_view their_nonce, std::string_view context) {
    if (begun_ || their_nonce.size() != kNonceBytes || their_nonce == own_nonce_) {
        return false;
    }
    std::string bound = "rankscope session 1";
    bound += side_ == Side::Listener ? own_nonce_ : their_nonce;
    bound += side_ == Side::Listener ? their_nonce : own_nonce_;
    bound += context;
    TokenKey session{};
    ::crypto_generichash(session.data(), session.size(), bytes_of(bound), bound.size(), key_.data(),
                         key_.size());
    key_ = session;
    begun_ = true;
    return true;
}

std::string SealedSession::seal(std::string_view plain) {
    std::string sealed(plain.size() + kOverhead, '\0');
    const auto nonce = nonce_of(side_, sealed_++);
    ::crypto_secretbox_easy(reinterpret_cast<unsigned char*>(sealed.data()), bytes_of(plain), plain.size(),
                            nonce.data(), key_.data());
    return sealed;
}

std::optional<std::string> SealedSession::open(std::string_view sealed) {
    if (!begun_ || sealed.size() < kOverhead) {
        return std::nullopt;
    }
    std::string plain(sealed.size() - kOverhead, '\0');
    const auto nonce = nonce_of(other(side_), opened_);
    if (::crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(plain.data()), bytes_of(sealed),
                                     sealed.size(), nonce.data(), key_.data()) != 0) {
        return std::nullopt;
    }
    ++opened_;
    return plain;
}

}  // namespace rankscope
