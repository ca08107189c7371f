// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/probe_exchange.h>

#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>

#include <algorithm>

namespace rankscope::agent {
namespace {

constexpr std::string_view kMagic = "RSPROBE1";
constexpr std::size_t kProofBytes = 32;
constexpr std::size_t kSeenBytes = 16 + 2;

static_assert(kProbeHelloBytes == kMagic.size() + kProbeNonceBytes + kProofBytes);
static_assert(kProbeAnswerBytes == kMagic.size() + kSeenBytes + kProofBytes);

std::string text_of(const ProbeNonce& nonce) {
    return {nonce.begin(), nonce.end()};
}

void fill_random(void* bytes, std::size_t size) {
    [[maybe_unused]] static const int ready = sodium_init();
    ::randombytes_buf(bytes, size);
}

// `role`: a hello's proof must be of no use as an answer's.
std::string proof_of(const TokenKey& key, std::string_view role, std::string_view what) {
    std::string bound(role);
    bound += what;
    std::string proof(kProofBytes, '\0');
    ::crypto_generichash(reinterpret_cast<unsigned char*>(proof.data()), proof.size(),
                         reinterpret_cast<const unsigned char*>(bound.data()), bound.size(), key.data(),
                         key.size());
    return proof;
}

std::string hello_proof(const TokenKey& key, const ProbeNonce& nonce) {
    return proof_of(key, "hello", text_of(nonce));
}

std::string answer_proof(const TokenKey& key, const ProbeNonce& nonce, std::string_view seen) {
    std::string bound = text_of(nonce);
    bound += seen;
    return proof_of(key, "answer", bound);
}

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ::sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

ProbeNonce new_probe_nonce() {
    ProbeNonce nonce{};
    fill_random(nonce.data(), nonce.size());
    return nonce;
}

std::string make_probe_hello(const TokenKey& key, const ProbeNonce& nonce) {
    std::string hello(kMagic);
    hello += text_of(nonce);
    hello += hello_proof(key, nonce);
    return hello;
}

std::optional<ProbeHello> open_probe_hello(const TokenKey& key, std::string_view bytes) {
    if (bytes.size() != kProbeHelloBytes || !bytes.starts_with(kMagic)) {
        return std::nullopt;
    }
    ProbeHello hello{};
    std::copy_n(bytes.begin() + kMagic.size(), hello.nonce.size(), hello.nonce.begin());
    hello.proven = same(bytes.substr(kMagic.size() + kProbeNonceBytes), hello_proof(key, hello.nonce));
    return hello;
}

std::string make_probe_answer(const TokenKey& key, const ProbeNonce& nonce, const SeenAddress& seen) {
    std::string place(seen.address.begin(), seen.address.end());
    place += static_cast<char>(seen.port >> 8U);
    place += static_cast<char>(seen.port & 0xFFU);
    std::string answer(kMagic);
    answer += place;
    answer += answer_proof(key, nonce, place);
    return answer;
}

std::string make_blank_probe_answer() {
    std::string answer(kProbeAnswerBytes, '\0');
    fill_random(answer.data(), answer.size());
    std::copy(kMagic.begin(), kMagic.end(), answer.begin());
    return answer;
}

std::optional<SeenAddress> open_probe_answer(const TokenKey& key, const ProbeNonce& nonce,
                                             std::string_view bytes) {
    if (bytes.size() != kProbeAnswerBytes || !bytes.starts_with(kMagic)) {
        return std::nullopt;
    }
    const std::string_view seen = bytes.substr(kMagic.size(), kSeenBytes);
    if (!same(bytes.substr(kMagic.size() + kSeenBytes), answer_proof(key, nonce, seen))) {
        return std::nullopt;
    }
    SeenAddress address;
    std::copy_n(seen.begin(), address.address.size(), address.address.begin());
    address.port = static_cast<std::uint16_t>(static_cast<unsigned char>(seen[16]) << 8U |
                                              static_cast<unsigned char>(seen[17]));
    return address;
}

bool can_begin_probe_message(std::string_view bytes) {
    return bytes.substr(0, kMagic.size()) == kMagic.substr(0, bytes.size());
}

std::string make_probe_count(std::uint64_t count) {
    std::string bytes(kProbeCountBytes, '\0');
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
        *byte = static_cast<char>(count & 0xFFU);
        count >>= 8U;
    }
    return bytes;
}

std::optional<std::uint64_t> open_probe_count(std::string_view bytes) {
    if (bytes.size() != kProbeCountBytes) {
        return std::nullopt;
    }
    std::uint64_t count = 0;
    for (const char byte : bytes) {
        count = count << 8U | static_cast<unsigned char>(byte);
    }
    return count;
}

}  // namespace rankscope::agent
