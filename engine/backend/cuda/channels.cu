// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/activation_formula.h>
#include <engine/backend/cuda/channels.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>

#include <cmath>
#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);

struct DeviceMath {
    __device__ static float exp(float x) { return ::expf(x); }
    __device__ static float erf(float x) { return ::erff(x); }
};

__device__ __forceinline__ std::int64_t this_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

dim3 blocks_of(std::int64_t count) {
    return {static_cast<unsigned>((count + kThreads - 1) / kThreads), 1U, 1U};
}

/// With dy the gradient, without the value. Elements behind the channels stay 0.
template <typename Formula, typename T>
__global__ void __launch_bounds__(kThreads)
    activate_kernel(std::int64_t groups, std::int64_t row_groups, std::int64_t channels,
                    const T* __restrict__ x, const T* dy, T* result) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    Group value = load(x + i * kBlock);
    const Group gradient = dy == nullptr ? Group{} : load(dy + i * kBlock);
    const std::int64_t present = channels - i % row_groups * kBlock;
    for (int k = 0; k < kBlock; ++k) {
        const float made =
            dy == nullptr ? Formula::value(value.v[k]) : gradient.v[k] * Formula::slope(value.v[k]);
        value.v[k] = k < present ? made : 0.0F;
    }
    store(result + i * kBlock, value);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    scale_channels_kernel(std::int64_t groups, std::int64_t row_groups, std::int64_t image_groups,
                          const T* __restrict__ image, const T* __restrict__ factors, T* __restrict__ y) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    Group value = load(image + i * kBlock);
    const Group factor = load(factors + (i / image_groups * row_groups + i % row_groups) * kBlock);
    for (int k = 0; k < kBlock; ++k) {
        value.v[k] *= factor.v[k];
    }
    store(y + i * kBlock, value);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    scale_gradient_kernel(std::int64_t count, std::int64_t row_groups, std::int64_t pixels,
                          const T* __restrict__ image, const T* __restrict__ gradient,
                          T* __restrict__ result) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= count) {
        return;
    }
    std::int64_t at = i / row_groups * pixels * row_groups + i % row_groups;
    Group sum{};
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel, at += row_groups) {
        const Group x = load(image + at * kBlock);
        const Group dy = load(gradient + at * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            sum.v[k] += x.v[k] * dy.v[k];
        }
    }
    store(result + i * kBlock, sum);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    copy_channels_kernel(std::int64_t elements, std::int64_t width, std::int64_t count, std::int64_t from_row,
                         const T* __restrict__ from, std::int64_t to_row, T* __restrict__ to) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= elements) {
        return;
    }
    const std::int64_t row = i / width;
    const std::int64_t channel = i % width;
    to[row * to_row + channel] = channel < count ? from[row * from_row + channel] : T(0.0F);
}

/// The kernels below need the kind as a type, and nvcc no lambda in a template of the caller's.
template <typename T>
struct LaunchActivation {
    ChannelsShape shape;
    const void* x;
    const void* dy;
    void* result;
    cudaStream_t stream;

    template <typename Formula>
    void operator()(Formula /*formula*/) const {
        const std::int64_t row_groups = shape.stored() / kGroup;
        const std::int64_t groups = shape.batch * shape.pixels * row_groups;
        launch(activate_kernel<Formula, T>, blocks_of(groups), dim3(kThreads), stream, groups, row_groups,
               shape.channels, static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<T*>(result));
    }
};

}  // namespace

void activate(const ChannelsShape& shape, Activation kind, const void* x, void* y, cudaStream_t stream) {
    activate_backward(shape, kind, x, nullptr, y, stream);
}

void activate_backward(const ChannelsShape& shape, Activation kind, const void* x, const void* dy, void* dx,
                       cudaStream_t stream) {
    with_element(shape.type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        with_formula<DeviceMath>(kind, LaunchActivation<T>{shape, x, dy, dx, stream});
    });
}

void scale_channels(const ChannelsShape& shape, const void* image, const void* factors, void* y,
                    cudaStream_t stream) {
    const std::int64_t row_groups = shape.stored() / kGroup;
    const std::int64_t groups = shape.batch * shape.pixels * row_groups;
    with_element(shape.type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(scale_channels_kernel<T>, blocks_of(groups), dim3(kThreads), stream, groups, row_groups,
               shape.pixels * row_groups, static_cast<const T*>(image), static_cast<const T*>(factors),
               static_cast<T*>(y));
    });
}

void scale_gradient(const ChannelsShape& shape, const void* image, const void* gradient,
                    void* factors_gradient, cudaStream_t stream) {
    const std::int64_t row_groups = shape.stored() / kGroup;
    const std::int64_t count = shape.batch * row_groups;
    with_element(shape.type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(scale_gradient_kernel<T>, blocks_of(count), dim3(kThreads), stream, count, row_groups,
               shape.pixels, static_cast<const T*>(image), static_cast<const T*>(gradient),
               static_cast<T*>(factors_gradient));
    });
}

void copy_channels(ElementType type, std::int64_t rows, std::int64_t count, std::int64_t zeros,
                   const ChannelSlice& from_slice, const void* from, const ChannelSlice& to_slice, void* to,
                   cudaStream_t stream) {
    const std::int64_t width = count + zeros;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(copy_channels_kernel<T>, blocks_of(rows * width), dim3(kThreads), stream, rows * width, width,
               count, from_slice.row, static_cast<const T*>(from) + from_slice.first, to_slice.row,
               static_cast<T*>(to) + to_slice.first);
    });
}

}  // namespace rankscope::engine::cuda
