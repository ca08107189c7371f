// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/sha256.h>

#include <fcntl.h>
#include <sodium/core.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope {

Sha256::Sha256() : state_{} {
    crypto_hash_sha256_init(&state_);
}

void Sha256::update(std::span<const std::byte> data) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

Sha256Digest Sha256::finish() {
    Sha256Digest digest{};
    crypto_hash_sha256_final(&state_, digest.data());
    return digest;
}

std::string to_hex(std::span<const unsigned char> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const unsigned char byte : bytes) {
        hex += kDigits[byte >> 4U];
        hex += kDigits[byte & 15U];
    }
    return hex;
}

std::string sha256_hex(std::span<const std::byte> data) {
    Sha256 hash;
    hash.update(data);
    return to_hex(hash.finish());
}

std::optional<std::string> bytes_from_hex(std::string_view hex) {
    std::string bytes(hex.size() / 2, '\0');
    std::size_t size = 0;
    const bool whole = ::sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                        hex.data(), hex.size(), nullptr, &size, nullptr) == 0 &&
                       size * 2 == hex.size();
    return whole ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<Sha256Digest> digest_from_hex(const std::string& hex) {
    Sha256Digest digest{};
    const auto bytes = bytes_from_hex(hex);
    if (!bytes || bytes->size() != digest.size()) {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), digest.begin());
    return digest;
}

std::optional<Sha256Digest> sha256_of_file(const std::filesystem::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return std::nullopt;
    }
    Sha256 hash;
    std::vector<std::byte> buffer(1U << 18U);
    for (;;) {
        const auto got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got < 0) {
            return std::nullopt;
        }
        if (got == 0) {
            return hash.finish();
        }
        hash.update({buffer.data(), static_cast<std::size_t>(got)});
    }
}

std::string random_token() {
    [[maybe_unused]] static const int ready = sodium_init();
    std::array<unsigned char, 32> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    return to_hex(bytes);
}

}  // namespace rankscope
