// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/content_hash.h>

#define XXH_INLINE_ALL  // no library to load at the start
#include <xxhash.h>

#include <array>
#include <cstdio>

namespace rankscope::engine {

struct ContentHash::State {
    XXH3_state_t xxh3;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
    XXH3_128bits_reset(&state_->xxh3);
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

void ContentHash::add(const std::string& text) {
    add(std::as_bytes(std::span(text)));
}

void ContentHash::add(std::uint64_t number) {
    add(std::as_bytes(std::span(&number, 1)));
}

std::string ContentHash::hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh3);
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

}  // namespace rankscope::engine
