// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rankscope::engine {

/// XXH3 with 128 bits, taken in pieces (https://xxhash.com): finds every accidental change, at the speed of
/// memory; says nothing about who made a file.
class ContentHash {
public:
    ContentHash();
    ~ContentHash();
    void add(std::span<const std::byte> bytes);
    void add(const std::string& text);
    /// Little-endian, as everything else in the files.
    void add(std::uint64_t number);
    /// 32 lower-case hex digits of what was added so far.
    std::string hex() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rankscope::engine
