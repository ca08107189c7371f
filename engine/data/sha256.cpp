// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/sha256.h>

#include <sodium.h>

#include <array>
#include <fstream>
#include <vector>

namespace rankscope::engine {
namespace {

class Sha256 {
public:
    Sha256() { crypto_hash_sha256_init(&state_); }
    void add(const unsigned char* data, std::size_t size) { crypto_hash_sha256_update(&state_, data, size); }
    std::string hex() {
        std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
        crypto_hash_sha256_final(&state_, hash.data());
        std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text{};
        return sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
    }

private:
    crypto_hash_sha256_state state_{};
};

}  // namespace

std::string sha256_of(std::span<const std::byte> data) {
    Sha256 hash;
    hash.add(static_cast<const unsigned char*>(static_cast<const void*>(data.data())), data.size());
    return hash.hex();
}

std::string sha256_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return {};
    }
    Sha256 hash;
    std::vector<char> piece(std::size_t{1} << 18U);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        hash.add(static_cast<const unsigned char*>(static_cast<const void*>(piece.data())),
                 static_cast<std::size_t>(in.gcount()));
    }
    return in.bad() ? std::string{} : hash.hex();
}

}  // namespace rankscope::engine
