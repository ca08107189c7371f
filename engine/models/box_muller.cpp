// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/box_muller.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace rankscope::engine {
namespace {

constexpr std::size_t kHalf = 8;

/// c[0]·xⁿ + c[1]·xⁿ⁻¹ + …, by Horner's rule.
template <std::size_t N>
[[gnu::always_inline]] inline float polynomial(const std::array<float, N>& c, float x) {
    float sum = c[0];
    for (std::size_t i = 1; i < N; ++i) {
        sum = std::fma(sum, x, c[i]);
    }
    return sum;
}

/// Natural logarithm of x > 0.
[[gnu::always_inline]] inline float logarithm(float x) {
    constexpr std::array<float, 9> kCoefficients{7.0376836292E-2F,  -1.1514610310E-1F, 1.1676998740E-1F,
                                                 -1.2420140846E-1F, 1.4249322787E-1F,  -1.6668057665E-1F,
                                                 2.0000714765E-1F,  -2.4999993993E-1F, 3.3333331174E-1F};
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto mantissa = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f000000U);
    const bool low = mantissa < std::numbers::sqrt2_v<float> / 2.0F;
    const float exponent =
        static_cast<float>(static_cast<std::int32_t>(bits >> 23U) - 126) - (low ? 1.0F : 0.0F);
    const float m = mantissa - 1.0F + (low ? mantissa : 0.0F);
    const float square = m * m;
    float tail = std::fma(polynomial(kCoefficients, m) * m, square, exponent * -2.12194440e-4F);
    tail = std::fma(square, -0.5F, tail);
    return std::fma(exponent, 0.693359375F, m + tail);
}

/// The sign bit turned over where `sign` has it set.
[[gnu::always_inline]] inline float with_sign(float value, std::uint32_t sign) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ sign);
}

struct SineCosine {
    float sine;
    float cosine;
};

/// Of x ≥ 0.
[[gnu::always_inline]] inline SineCosine sine_cosine(float x) {
    constexpr std::array<float, 3> kCosine{2.443315711809948E-5F, -1.388731625493765E-3F,
                                           4.166664568298827E-2F};
    constexpr std::array<float, 3> kSine{-1.9515295891E-4F, 8.3321608736E-3F, -1.6666654611E-1F};
    const std::int32_t octant =
        (static_cast<std::int32_t>(x * (4.0F / std::numbers::pi_v<float>)) + 1) & ~std::int32_t{1};
    const auto turns = static_cast<float>(octant);
    // x minus its octants of π/4, in three parts so that nothing is lost.
    float rest = std::fma(turns, -0.78515625F, x);
    rest = std::fma(turns, -2.4187564849853515625e-4F, rest);
    rest = std::fma(turns, -3.77489497744594108e-8F, rest);
    const float square = rest * rest;
    const float cosine = std::fma(polynomial(kCosine, square) * square, square, -0.5F * square) + 1.0F;
    const float sine = std::fma(polynomial(kSine, square) * square, rest, rest);
    const bool straight = (octant & 2) == 0;
    // Signs as bits, not as branches: those would stop the compiler from vectorising.
    const std::uint32_t sine_sign = static_cast<std::uint32_t>(octant & 4) << 29U;
    const std::uint32_t cosine_sign = static_cast<std::uint32_t>(~(octant - 2) & 4) << 29U;
    return {with_sign(straight ? sine : cosine, sine_sign), with_sign(straight ? cosine : sine, cosine_sign)};
}

[[gnu::always_inline]] inline void all_pairs(float* first, float* second, std::size_t count, float mean,
                                             float deviation) {
    for (std::size_t i = 0; i < count; ++i) {
        const float radius = std::sqrt(-2.0F * logarithm(1.0F - first[i]));
        const SineCosine angle = sine_cosine(2.0F * std::numbers::pi_v<float> * second[i]);
        first[i] = std::fma(radius * angle.cosine, deviation, mean);
        second[i] = std::fma(radius * angle.sine, deviation, mean);
    }
}

[[gnu::always_inline]] inline void all_blocks(std::span<float> values, float mean, float deviation) {
    // The pairs of many blocks in two rows of their own: a loop that the compiler vectorises.
    constexpr std::size_t kBlocks = 32;
    std::array<float, kBlocks * kHalf> first;
    std::array<float, kBlocks * kHalf> second;
    while (!values.empty()) {
        const std::size_t blocks = std::min(kBlocks, values.size() / (2 * kHalf));
        for (std::size_t b = 0; b < blocks; ++b) {
            std::copy_n(values.data() + 2 * b * kHalf, kHalf, first.data() + b * kHalf);
            std::copy_n(values.data() + (2 * b + 1) * kHalf, kHalf, second.data() + b * kHalf);
        }
        all_pairs(first.data(), second.data(), blocks * kHalf, mean, deviation);
        for (std::size_t b = 0; b < blocks; ++b) {
            std::copy_n(first.data() + b * kHalf, kHalf, values.data() + 2 * b * kHalf);
            std::copy_n(second.data() + b * kHalf, kHalf, values.data() + (2 * b + 1) * kHalf);
        }
        values = values.subspan(2 * blocks * kHalf);
    }
}

void portable(std::span<float> values, float mean, float deviation) {
    all_blocks(values, mean, deviation);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void with_avx2(std::span<float> values, float mean, float deviation) {
    all_blocks(values, mean, deviation);
}
#endif

}  // namespace

void box_muller(std::span<float> values, float mean, float deviation) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        with_avx2(values, mean, deviation);
        return;
    }
#endif
    portable(values, mean, deviation);
}

}  // namespace rankscope::engine
