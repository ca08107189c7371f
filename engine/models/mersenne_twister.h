// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rankscope::engine {

/// MT19937 (Matsumoto, Nishimura 1998), the same words as std::mt19937, a block of 624 at a time: libstdc++
/// keeps its state in 64-bit words, which no compiler vectorises, and takes four times as long for the 22
/// million words of a ResNet-18's parameters.
class MersenneTwister {
public:
    explicit MersenneTwister(std::uint32_t seed) {
        state_[0] = seed;
        for (std::uint32_t i = 1; i < kSize; ++i) {
            state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
        }
    }

    std::uint32_t operator()() {
        if (next_ == kSize) {
            advance();
        }
        std::uint32_t word = state_[next_++];
        word ^= word >> 11U;
        word ^= (word << 7U) & 0x9d2c5680U;
        word ^= (word << 15U) & 0xefc60000U;
        return word ^ (word >> 18U);
    }

    /// As if called so often.
    void discard(std::size_t words) {
        while (words > kSize - next_) {
            words -= kSize - next_;
            advance();
        }
        next_ += words;
    }

private:
    static constexpr std::size_t kSize = 624;
    static constexpr std::size_t kShift = 397;

    void advance() {
        const auto mixed = [this](std::size_t i, std::size_t after) {
            const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[after] & 0x7fffffffU);
            return (y >> 1U) ^ ((0U - (y & 1U)) & 0x9908b0dfU);
        };
        for (std::size_t i = 0; i < kSize - kShift; ++i) {
            state_[i] = state_[i + kShift] ^ mixed(i, i + 1);
        }
        for (std::size_t i = kSize - kShift; i < kSize - 1; ++i) {
            state_[i] = state_[i + kShift - kSize] ^ mixed(i, i + 1);
        }
        state_[kSize - 1] = state_[kShift - 1] ^ mixed(kSize - 1, 0);
        next_ = 0;
    }

    std::array<std::uint32_t, kSize> state_{};
    std::size_t next_ = kSize;
};

}  // namespace rankscope::engine
