// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

/// Sums and maxima over the 32 threads of a warp, which all of them get; all must take part.
namespace rankscope::engine::cuda {

constexpr int kWarp = 32;
constexpr unsigned kAllOfWarp = 0xffffffffU;

template <typename Number>
__device__ __forceinline__ Number warp_sum(Number value) {
    for (int step = kWarp / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(kAllOfWarp, value, step);
    }
    return value;
}
__device__ __forceinline__ float warp_max(float value) {
    for (int step = kWarp / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(kAllOfWarp, value, step));
    }
    return value;
}

}  // namespace rankscope::engine::cuda
