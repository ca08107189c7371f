// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

using Sha256Digest = std::array<unsigned char, 32>;

/// FIPS 180-4, by libsodium.
class Sha256 {
public:
    Sha256();
    void update(std::span<const std::byte> data);
    Sha256Digest finish();

private:
    crypto_hash_sha256_state state_;
};

std::string to_hex(std::span<const unsigned char> bytes);
/// The digest of these bytes, 64 hex digits.
std::string sha256_hex(std::span<const std::byte> data);
/// Nothing: an odd number of digits, or another character.
std::optional<std::string> bytes_from_hex(std::string_view hex);
std::optional<Sha256Digest> digest_from_hex(const std::string& hex);
/// Nothing when the file cannot be read (see errno).
std::optional<Sha256Digest> sha256_of_file(const std::filesystem::path& file);

/// 32 random bytes as 64 hex digits, from the kernel.
std::string random_token();

}  // namespace rankscope
