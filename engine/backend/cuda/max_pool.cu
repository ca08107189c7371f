// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/max_pool.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);

/// Eight origins in one access.
union Origins {
    std::int8_t v[kBlock];
    uint2 raw;
};

/// One thread: one group of channels at one place of an image [batch][height][width].
struct Pixel {
    int channel;
    int x;
    int y;
    int image;
};

__device__ __forceinline__ Pixel pixel_of(std::int64_t index, int groups, int width, int height) {
    Pixel pixel;
    pixel.channel = static_cast<int>(index % groups) * kBlock;
    index /= groups;
    pixel.x = static_cast<int>(index % width);
    index /= width;
    pixel.y = static_cast<int>(index % height);
    pixel.image = static_cast<int>(index / height);
    return pixel;
}

__device__ __forceinline__ std::int64_t offset_of(const Pixel& pixel, int y, int x, int height, int width,
                                                  int channels) {
    return ((static_cast<std::int64_t>(pixel.image) * height + y) * width + x) * channels + pixel.channel;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    max_pool_forward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ input,
                            T* __restrict__ output, std::int8_t* __restrict__ origin) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int out_height = shape.out_height();
    const int out_width = shape.out_width();
    const Pixel pixel = pixel_of(index, shape.channels / kBlock, out_width, out_height);
    const int top = pixel.y * shape.stride - shape.padding;
    const int left = pixel.x * shape.stride - shape.padding;
    Group best{};
    Origins places;
    for (int i = 0; i < kBlock; ++i) {
        places.v[i] = -1;
    }
    for (int dy = 0; dy < shape.kernel; ++dy) {
        for (int dx = 0; dx < shape.kernel; ++dx) {
            const int y = top + dy;
            const int x = left + dx;
            if (y < 0 || y >= shape.height || x < 0 || x >= shape.width) {
                continue;
            }
            const Group here =
                load(input + offset_of(pixel, y, x, shape.height, shape.width, shape.channels));
            for (int i = 0; i < kBlock; ++i) {
                // Not a number beats everything but an earlier one.
                const bool better = places.v[i] < 0 || here.v[i] > best.v[i] ||
                                    (here.v[i] != here.v[i] && best.v[i] == best.v[i]);
                if (better) {
                    best.v[i] = here.v[i];
                    places.v[i] = static_cast<std::int8_t>(dy * shape.kernel + dx);
                }
            }
        }
    }
    if (shape.relu) {
        for (int i = 0; i < kBlock; ++i) {
            if (best.v[i] <= 0.0F) {
                best.v[i] = 0.0F;
                places.v[i] = static_cast<std::int8_t>(shape.kernel * shape.kernel);
            }
        }
    }
    const std::int64_t at = offset_of(pixel, pixel.y, pixel.x, out_height, out_width, shape.channels);
    store(output + at, best);
    if (origin != nullptr) {
        *reinterpret_cast<uint2*>(origin + at) = places.raw;
    }
}

/// The first window, counted from 0, that reaches this place.
__device__ __forceinline__ int first_window(int place, const PoolShape& shape) {
    const int reach = place + shape.padding - shape.kernel + 1;
    return reach <= 0 ? 0 : (reach + shape.stride - 1) / shape.stride;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    max_pool_backward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ output_gradient,
                             const std::int8_t* __restrict__ origin, T* __restrict__ input_gradient) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int out_height = shape.out_height();
    const int out_width = shape.out_width();
    const Pixel pixel = pixel_of(index, shape.channels / kBlock, shape.width, shape.height);
    const int last_y = (pixel.y + shape.padding) / shape.stride;
    const int last_x = (pixel.x + shape.padding) / shape.stride;
    Group sum{};
    for (int oy = first_window(pixel.y, shape); oy <= last_y && oy < out_height; ++oy) {
        for (int ox = first_window(pixel.x, shape); ox <= last_x && ox < out_width; ++ox) {
            const int place = (pixel.y - (oy * shape.stride - shape.padding)) * shape.kernel + pixel.x -
                              (ox * shape.stride - shape.padding);
            const std::int64_t at = offset_of(pixel, oy, ox, out_height, out_width, shape.channels);
            Origins places;
            places.raw = *reinterpret_cast<const uint2*>(origin + at);
            const Group gradient = load(output_gradient + at);
            for (int i = 0; i < kBlock; ++i) {
                sum.v[i] += places.v[i] == place ? gradient.v[i] : 0.0F;
            }
        }
    }
    store(input_gradient + offset_of(pixel, pixel.y, pixel.x, shape.height, shape.width, shape.channels),
          sum);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    average_pool_forward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ input,
                                T* __restrict__ means) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int pixels = shape.height * shape.width;
    const int groups = shape.channels / kBlock;
    const auto channel = static_cast<int>(index % groups) * kBlock;
    const T* from = input + index / groups * pixels * shape.channels + channel;
    Group sum{};
    for (int pixel = 0; pixel < pixels; ++pixel) {
        const Group here = load(from + static_cast<std::int64_t>(pixel) * shape.channels);
        for (int i = 0; i < kBlock; ++i) {
            sum.v[i] += here.v[i];
        }
    }
    for (int i = 0; i < kBlock; ++i) {
        sum.v[i] /= static_cast<float>(pixels);
    }
    store(means + index * kBlock, sum);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    average_pool_backward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ means_gradient,
                                 T* __restrict__ input_gradient) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int pixels = shape.height * shape.width;
    const int groups = shape.channels / kBlock;
    const std::int64_t image = index / groups / pixels;
    Group share = load(means_gradient + (image * groups + index % groups) * kBlock);
    for (int i = 0; i < kBlock; ++i) {
        share.v[i] /= static_cast<float>(pixels);
    }
    store(input_gradient + index * kBlock, share);
}

dim3 blocks_for(std::int64_t count) {
    return {static_cast<unsigned>((count + kThreads - 1) / kThreads), 1U, 1U};
}

std::int64_t groups_of(const PoolShape& shape, int height, int width) {
    return static_cast<std::int64_t>(shape.batch) * height * width * (shape.channels / kBlock);
}

}  // namespace

void max_pool_forward(const PoolShape& shape, const void* input, void* output, std::int8_t* origin,
                      cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.out_height(), shape.out_width());
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(max_pool_forward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(input), static_cast<T*>(output), origin);
    });
}

void max_pool_backward(const PoolShape& shape, const void* output_gradient, const std::int8_t* origin,
                       void* input_gradient, cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.height, shape.width);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(max_pool_backward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(output_gradient), origin, static_cast<T*>(input_gradient));
    });
}

void average_pool_forward(const PoolShape& shape, const void* input, void* means, cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, 1, 1);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(average_pool_forward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(input), static_cast<T*>(means));
    });
}

void average_pool_backward(const PoolShape& shape, const void* means_gradient, void* input_gradient,
                           cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.height, shape.width);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(average_pool_backward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(means_gradient), static_cast<T*>(input_gradient));
    });
}

}  // namespace rankscope::engine::cuda
