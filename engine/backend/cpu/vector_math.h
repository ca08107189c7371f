// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// What loops need so that the compiler makes vectors of them. Files that include this are compiled with -O3 and without
/// flags of floating-point errors.
namespace rankscope::engine::cpu {

/// e^x without a branch or a call, so that the compiler turns loops into vectors: e^x = 2^n · e^r with |r| ≤ ln 2 / 2, and
/// a polynomial for e^r (Cephes' expf). Its error is below 2e-7 of the result.
struct VectorMath {
    [[gnu::always_inline]] static float exp(float x) {
        // Far from where 1 / (1 + e^x) is denormal: compilers compute with that limit in every element, which is a hundred
        // times slower there.
        constexpr float kLargest = 60.0F;
        constexpr float kSmallest = -87.0F;
        constexpr float kRound =
            12582912.0F;  // 1.5 · 2²³: adding it leaves the nearest integer in the low bits
        constexpr float kLog2E = 1.44269504F;
        constexpr float kLn2High = 0.693359375F;
        constexpr float kLn2Low = -2.12194440e-4F;
        x = x > kLargest ? kLargest : x;
        x = x < kSmallest ? kSmallest : x;
        const float shifted = x * kLog2E + kRound;
        const float n = shifted - kRound;
        const float r = (x - n * kLn2High) - n * kLn2Low;
        float p = 1.9875691500e-4F;
        p = p * r + 1.3981999507e-3F;
        p = p * r + 8.3334519073e-3F;
        p = p * r + 4.1665795894e-2F;
        p = p * r + 1.6666665459e-1F;
        p = p * r + 5.0000001201e-1F;
        p = p * r * r + r + 1.0F;
        const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
        return p * std::bit_cast<float>(exponent);
    }
    /// erf(x) = x · P(x²) / Q(x²) for |x| ≤ 4, where the rest is below a float's rounding; the coefficients are those that
    /// TensorFlow and Eigen use. Its error is below 2e-7.
    [[gnu::always_inline]] static float erf(float x) {
        constexpr float kLargest = 4.0F;
        x = x > kLargest ? kLargest : x;
        x = x < -kLargest ? -kLargest : x;
        const float z = x * x;
        float p = -2.72614225801306e-10F;
        p = p * z + 2.77068142495902e-08F;
        p = p * z - 2.10102402082508e-06F;
        p = p * z - 5.69250639462346e-05F;
        p = p * z - 7.34990630326855e-04F;
        p = p * z - 2.95459980854025e-03F;
        p = p * z - 1.60960333262415e-02F;
        float q = -1.45660718464996e-05F;
        q = q * z - 2.13374055278905e-04F;
        q = q * z - 1.68282697438203e-03F;
        q = q * z - 7.37332916720468e-03F;
        q = q * z - 1.42647390514189e-02F;
        return x * p / q;
    }
};

inline bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

#if defined(__x86_64__)
template <typename Loop>
[[gnu::target("avx2,fma")]] void run_with_avx2(const Loop& loop) {
    loop();
}
#endif

/// Runs the loop, an object whose operator() is always inlined, with the widest instructions of this machine.
template <typename Loop>
void run_widest(const Loop& loop) {
#if defined(__x86_64__)
    if (has_avx2()) {
        run_with_avx2(loop);
        return;
    }
#endif
    loop();
}

/// Σ term(i) for i in [0, count), in an order that vectors can take: sixteen sums side by side.
template <typename Term>
[[gnu::always_inline]] inline float sum_of(std::int64_t count, const Term& term) {
    constexpr std::int64_t kSums = 16;
    float sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + kSums <= count; i += kSums) {
        for (std::int64_t lane = 0; lane < kSums; ++lane) {
            sums[lane] += term(i + lane);
        }
    }
    float sum = 0.0F;
    for (std::int64_t lane = 0; lane < kSums; ++lane) {
        sum += sums[lane];
    }
    for (; i < count; ++i) {
        sum += term(i);
    }
    return sum;
}

}  // namespace rankscope::engine::cpu
