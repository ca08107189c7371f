// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/formula.h>

#include <cstdint>

/// The random numbers of dropout. Each pass computes them again: nothing is stored. A sample's key, the
/// number of the operation in the network and the element in the sample decide, so that the same samples lose the same
/// elements on any number of ranks, in any batch and after a resume. Once for all backends; keeps to C++17, for the CUDA compiler.
namespace rankscope::engine {

/// Philox4x32 with seven rounds (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011, table 2: the fewest
/// that pass BigCrush).
struct Philox {
    static constexpr int kRounds = 7;
    std::uint32_t words[4];

    RANKSCOPE_FORMULA static void step(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d,
                                       std::uint32_t low, std::uint32_t high) {
        constexpr std::uint64_t kFirst = 0xD2511F53U;
        constexpr std::uint64_t kSecond = 0xCD9E8D57U;
        const std::uint64_t first = kFirst * a;
        const std::uint64_t second = kSecond * c;
        a = static_cast<std::uint32_t>(second >> 32U) ^ b ^ low;
        b = static_cast<std::uint32_t>(second);
        c = static_cast<std::uint32_t>(first >> 32U) ^ d ^ high;
        d = static_cast<std::uint32_t>(first);
    }
    RANKSCOPE_FORMULA static void next_key(std::uint32_t& low, std::uint32_t& high) {
        low += 0x9E3779B9U;
        high += 0xBB67AE85U;
    }

    RANKSCOPE_FORMULA Philox(std::uint64_t key, std::uint64_t counter, std::uint32_t stream)
        : words{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U), stream, 0U} {
        auto low = static_cast<std::uint32_t>(key);
        auto high = static_cast<std::uint32_t>(key >> 32U);
        for (int round = 0; round < kRounds; ++round) {
            step(words[0], words[1], words[2], words[3], low, high);
            next_key(low, high);
        }
    }
};

/// Dropout of one operation of the network.
struct DropoutFormula {
    std::uint32_t number = 0;     ///< of the operation
    std::uint32_t threshold = 0;  ///< elements whose word is below are dropped
    float scale = 1.0F;           ///< of those that are kept

    /// Four elements share a counter.
    RANKSCOPE_FORMULA Philox words_of(std::uint64_t key, std::uint64_t quad) const {
        return Philox(key, quad, number);
    }
    RANKSCOPE_FORMULA float factor(const Philox& words, std::uint64_t element) const {
        return words.words[element % 4] < threshold ? 0.0F : scale;
    }
    /// The factor of an element of the sample with this key: 0 or 1 / (1 − rate).
    RANKSCOPE_FORMULA float factor(std::uint64_t key, std::uint64_t element) const {
        return factor(words_of(key, element / 4), element);
    }
};

/// `rate`: share of the elements that are dropped, below 1.
inline DropoutFormula dropout_formula(double rate, std::uint32_t number) {
    constexpr double kWords = 4294967296.0;
    return {number, static_cast<std::uint32_t>(rate * kWords), static_cast<float>(1.0 / (1.0 - rate))};
}

}  // namespace rankscope::engine
