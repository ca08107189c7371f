// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): a stream so cheap
/// to begin that every sample has one of its own, and does not depend on how many came before it.
class SampleRandom {
public:
    explicit SampleRandom(std::uint64_t state) : state_(state) {}
    /// The stream of one image in one epoch; the same on every rank, world size and number of threads.
    SampleRandom(std::uint64_t seed, std::int64_t epoch, std::int64_t index) : state_(seed) {
        state_ = next() + static_cast<std::uint64_t>(epoch);
        state_ = next() + static_cast<std::uint64_t>(index);
        state_ = next();
    }

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
    float between(float low, float high) {
        return low + (high - low) * static_cast<float>(next() >> 40U) * (1.0F / 16777216.0F);
    }
    /// Uniform in [0, count); the bias, count / 2³², is far below what a training could show.
    std::int64_t below(std::int64_t count) {
        return static_cast<std::int64_t>(((next() >> 32U) * static_cast<std::uint64_t>(count)) >> 32U);
    }

private:
    std::uint64_t state_;
};

}  // namespace rankscope::engine
