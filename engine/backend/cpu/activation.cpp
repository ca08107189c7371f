// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/activation_formula.h>
#include <engine/backend/cpu/activation.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace rankscope::engine::cpu {
namespace {

/// e^x without a branch or a call, so that the compiler turns loops into vectors: e^x = 2^n · e^r with |r| ≤ ln 2 / 2, and
/// a polynomial for e^r (Cephes' expf). Its error is below 2e-7 of the result.
struct VectorMath {
    [[gnu::always_inline]] static float exp(float x) {
        constexpr float kLargest = 88.0F;
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
    static float erf(float x) { return std::erf(x); }
};

template <typename Formula, typename T>
[[gnu::always_inline]] inline void forward_loop(std::span<const T> x, std::span<T> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = rounded_to<T>(Formula::value(to_float(x[i])));
    }
}

template <typename Formula, typename T>
[[gnu::always_inline]] inline void backward_loop(std::span<const T> x, std::span<const T> dy,
                                                 std::span<T> dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) {
        dx[i] = rounded_to<T>(to_float(dy[i]) * Formula::slope(to_float(x[i])));
    }
}

#if defined(__x86_64__)
template <typename Formula, typename T>
[[gnu::target("avx2,fma")]] void forward_avx2(std::span<const T> x, std::span<T> y) {
    forward_loop<Formula, T>(x, y);
}
template <typename Formula, typename T>
[[gnu::target("avx2,fma")]] void backward_avx2(std::span<const T> x, std::span<const T> dy, std::span<T> dx) {
    backward_loop<Formula, T>(x, dy, dx);
}
#endif

bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

}  // namespace

template <typename T>
void activate(Activation kind, std::span<const T> x, std::span<T> y) {
    with_formula<VectorMath>(kind, [&]<typename Formula>(Formula) {
#if defined(__x86_64__)
        if (has_avx2()) {
            forward_avx2<Formula, T>(x, y);
            return;
        }
#endif
        forward_loop<Formula, T>(x, y);
    });
}

template <typename T>
void activate_backward(Activation kind, std::span<const T> x, std::span<const T> dy, std::span<T> dx) {
    with_formula<VectorMath>(kind, [&]<typename Formula>(Formula) {
#if defined(__x86_64__)
        if (has_avx2()) {
            backward_avx2<Formula, T>(x, dy, dx);
            return;
        }
#endif
        backward_loop<Formula, T>(x, dy, dx);
    });
}

template void activate<float>(Activation, std::span<const float>, std::span<float>);
template void activate<Bf16>(Activation, std::span<const Bf16>, std::span<Bf16>);
template void activate_backward<float>(Activation, std::span<const float>, std::span<const float>,
                                       std::span<float>);
template void activate_backward<Bf16>(Activation, std::span<const Bf16>, std::span<const Bf16>,
                                      std::span<Bf16>);

}  // namespace rankscope::engine::cpu
