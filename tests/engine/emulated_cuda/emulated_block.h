// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

// Put before every kernel source by the build: what CUDA's compiler has built in.

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

/// Runs a kernel's blocks on the CPU, one after the other in a random order, the threads of a block as fibers
/// that change at __syncthreads() and at shuffles. Slow, but every index and every barrier is the real one.
namespace emulated {

struct ThreadIndex {
    dim3 thread;
    dim3 block;
    dim3 block_size;
    dim3 grid_size;
};
const ThreadIndex& here();

void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& kernel);
void synchronise_block();
/// This lane's 8 bytes against those of lane ^ mask.
unsigned long long exchange(unsigned long long bits, int mask);

template <typename T>
T shuffle_xor(T value, int mask) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(unsigned long long));
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = exchange(bits, mask);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace emulated

// NOLINTBEGIN: CUDA's names
#undef __global__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)
#define threadIdx (::emulated::here().thread)
#define blockIdx (::emulated::here().block)
#define blockDim (::emulated::here().block_size)
#define gridDim (::emulated::here().grid_size)

inline void __syncthreads() {
    emulated::synchronise_block();
}
inline void __threadfence() {}
template <typename T>
T __shfl_xor_sync(unsigned /*lanes*/, T value, int mask) {
    return emulated::shuffle_xor(value, mask);
}
template <typename T>
T __ldcg(const T* from) {
    return *from;
}
inline unsigned atomicAdd(unsigned* to, unsigned value) {
    const unsigned old = *to;
    *to += value;
    return old;
}
using std::isfinite;
// NOLINTEND
