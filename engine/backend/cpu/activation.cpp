// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/activation_formula.h>
#include <engine/backend/cpu/activation.h>
#include <engine/backend/cpu/vector_math.h>

namespace rankscope::engine::cpu {
namespace {

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
