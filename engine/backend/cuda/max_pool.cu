// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/max_pool.h>

#include <cstdint>
#include <limits>
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

/// `index` below 2³¹ where kSmall: dividing 64-bit numbers takes a GPU a hundred instructions.
template <bool kSmall>
__device__ __forceinline__ Pixel pixel_of(std::int64_t index, int groups, int width, int height) {
    using Number = std::conditional_t<kSmall, unsigned, std::int64_t>;
    auto rest = static_cast<Number>(index);
    Pixel pixel;
    pixel.channel = static_cast<int>(rest % static_cast<Number>(groups)) * kBlock;
    rest /= static_cast<Number>(groups);
    pixel.x = static_cast<int>(rest % static_cast<Number>(width));
    rest /= static_cast<Number>(width);
    pixel.y = static_cast<int>(rest % static_cast<Number>(height));
    pixel.image = static_cast<int>(rest / static_cast<Number>(height));
    return pixel;
}

__device__ __forceinline__ std::int64_t offset_of(const Pixel& pixel, int y, int x, int height, int width,
                                                  int channels) {
    return ((static_cast<std::int64_t>(pixel.image) * height + y) * width + x) * channels + pixel.channel;
}

/// The nearest number of [0, count).
__device__ __forceinline__ int nearest(int number, int count) {
    return number < 0 ? 0 : (number < count ? number : count - 1);
}

/// kKernel, kStride: those of `shape`, or 0 for any. Known ones have no loop: all places of a window are fetched before
/// the first is compared, those outside of the image from its edge.
template <typename T, int kKernel, int kStride, bool kSmall>
__global__ void __launch_bounds__(kThreads)
    max_pool_forward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ input,
                            T* __restrict__ output, std::int8_t* __restrict__ origin) {
    wait_for_inputs();
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int out_height = shape.out_height();
    const int out_width = shape.out_width();
    const Pixel pixel = pixel_of<kSmall>(index, shape.channels / kBlock, out_width, out_height);
    const int top = pixel.y * shape.stride - shape.padding;
    const int left = pixel.x * shape.stride - shape.padding;
    Group best{};
    Origins places;
    for (int i = 0; i < kBlock; ++i) {
        places.v[i] = -1;
    }
    const auto fetch = [&](int dy, int dx) {
        return load(input + offset_of(pixel, nearest(top + dy, shape.height), nearest(left + dx, shape.width),
                                      shape.height, shape.width, shape.channels));
    };
    const auto compare = [&](const Group& here, int dy, int dx) {
        const int y = top + dy;
        const int x = left + dx;
        const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
        for (int i = 0; i < kBlock; ++i) {
            // Not a number beats everything but an earlier one.
            const bool better = places.v[i] < 0 || here.v[i] > best.v[i] ||
                                (here.v[i] != here.v[i] && best.v[i] == best.v[i]);
            if (inside && better) {
                best.v[i] = here.v[i];
                places.v[i] = static_cast<std::int8_t>(dy * shape.kernel + dx);
            }
        }
    };
    if (kKernel != 0) {
        constexpr int kPlaces = kKernel != 0 ? kKernel * kKernel : 1;
        constexpr int kWidth = kKernel != 0 ? kKernel : 1;
        Group window[kPlaces];
#pragma unroll
        for (int place = 0; place < kPlaces; ++place) {
            window[place] = fetch(place / kWidth, place % kWidth);
        }
#pragma unroll
        for (int place = 0; place < kPlaces; ++place) {
            compare(window[place], place / kWidth, place % kWidth);
        }
    } else {
        for (int dy = 0; dy < shape.kernel; ++dy) {
            for (int dx = 0; dx < shape.kernel; ++dx) {
                compare(fetch(dy, dx), dy, dx);
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

template <typename T, int kKernel, int kStride, bool kSmall>
__global__ void __launch_bounds__(kThreads)
    max_pool_backward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ output_gradient,
                             const std::int8_t* __restrict__ origin, T* __restrict__ input_gradient) {
    wait_for_inputs();
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int out_height = shape.out_height();
    const int out_width = shape.out_width();
    const Pixel pixel = pixel_of<kSmall>(index, shape.channels / kBlock, shape.width, shape.height);
    const int stride = kStride != 0 ? kStride : shape.stride;
    const int first_y = first_window(pixel.y, shape);
    const int first_x = first_window(pixel.x, shape);
    const int last_y = nearest((pixel.y + shape.padding) / stride, out_height);
    const int last_x = nearest((pixel.x + shape.padding) / stride, out_width);
    struct Window {
        Origins places;
        Group gradient;
    };
    Group sum{};
    const auto fetch = [&](int oy, int ox) {
        const std::int64_t at = offset_of(pixel, nearest(oy, out_height), nearest(ox, out_width), out_height,
                                          out_width, shape.channels);
        Window window;
        window.places.raw = *reinterpret_cast<const uint2*>(origin + at);
        window.gradient = load(output_gradient + at);
        return window;
    };
    const auto add = [&](const Window& window, int oy, int ox) {
        const int place = (pixel.y - (oy * stride - shape.padding)) * shape.kernel + pixel.x -
                          (ox * stride - shape.padding);
        const bool reached = oy <= last_y && ox <= last_x;
        for (int i = 0; i < kBlock; ++i) {
            sum.v[i] += reached && window.places.v[i] == place ? window.gradient.v[i] : 0.0F;
        }
    };
    if (kKernel != 0) {
        constexpr int kSide = kKernel != 0 ? (kKernel + kStride - 1) / kStride : 1;
        Window windows[kSide * kSide];
#pragma unroll
        for (int i = 0; i < kSide * kSide; ++i) {
            windows[i] = fetch(first_y + i / kSide, first_x + i % kSide);
        }
#pragma unroll
        for (int i = 0; i < kSide * kSide; ++i) {
            add(windows[i], first_y + i / kSide, first_x + i % kSide);
        }
    } else {
        for (int oy = first_y; oy <= last_y; ++oy) {
            for (int ox = first_x; ox <= last_x; ++ox) {
                add(fetch(oy, ox), oy, ox);
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
    wait_for_inputs();
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
    wait_for_inputs();
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

template <typename T>
__global__ void __launch_bounds__(kThreads)
    window_average_forward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ input,
                                  T* __restrict__ output) {
    wait_for_inputs();
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int groups = shape.channels / kBlock;
    const std::int64_t place = index / groups;
    const auto column = static_cast<int>(place % shape.out_width()) * shape.stride;
    const auto row = static_cast<int>(place / shape.out_width() % shape.out_height()) * shape.stride;
    const std::int64_t image = place / shape.out_width() / shape.out_height();
    Group sum{};
    for (int k = 0; k < shape.kernel * shape.kernel; ++k) {
        const std::int64_t pixel =
            (image * shape.height + row + k / shape.kernel) * shape.width + column + k % shape.kernel;
        const Group here = load(input + (pixel * groups + index % groups) * kBlock);
        for (int i = 0; i < kBlock; ++i) {
            sum.v[i] += here.v[i];
        }
    }
    for (int i = 0; i < kBlock; ++i) {
        sum.v[i] /= static_cast<float>(shape.kernel * shape.kernel);
    }
    store(output + index * kBlock, sum);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    window_average_backward_kernel(PoolShape shape, std::int64_t count, const T* __restrict__ output_gradient,
                                   T* __restrict__ input_gradient) {
    wait_for_inputs();
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int groups = shape.channels / kBlock;
    const std::int64_t pixel = index / groups;
    const auto column = static_cast<int>(pixel % shape.width);
    const auto row = static_cast<int>(pixel / shape.width % shape.height);
    const std::int64_t image = pixel / shape.width / shape.height;
    // The windows that hold this pixel.
    const int first_row = row < shape.kernel ? 0 : (row - shape.kernel) / shape.stride + 1;
    const int first_column = column < shape.kernel ? 0 : (column - shape.kernel) / shape.stride + 1;
    Group sum{};
    for (int y = first_row; y * shape.stride <= row && y < shape.out_height(); ++y) {
        for (int x = first_column; x * shape.stride <= column && x < shape.out_width(); ++x) {
            const std::int64_t place = (image * shape.out_height() + y) * shape.out_width() + x;
            const Group here = load(output_gradient + (place * groups + index % groups) * kBlock);
            for (int i = 0; i < kBlock; ++i) {
                sum.v[i] += here.v[i];
            }
        }
    }
    for (int i = 0; i < kBlock; ++i) {
        sum.v[i] /= static_cast<float>(shape.kernel * shape.kernel);
    }
    store(input_gradient + index * kBlock, sum);
}

dim3 blocks_for(std::int64_t count) {
    return {static_cast<unsigned>((count + kThreads - 1) / kThreads), 1U, 1U};
}

template <int kKernel, int kStride, bool kSmall>
struct PoolKind {
    static constexpr int kernel = kKernel;
    static constexpr int stride = kStride;
    static constexpr bool small = kSmall;
};

/// Calls `body` with what the kernels know of the usual pools.
template <typename Body>
void with_pool(const PoolShape& shape, std::int64_t count, Body body) {
    if (count > std::numeric_limits<std::int32_t>::max()) {
        body(PoolKind<0, 0, false>());
    } else if (shape.kernel == 3 && shape.stride == 2) {
        body(PoolKind<3, 2, true>());
    } else if (shape.kernel == 2 && shape.stride == 2) {
        body(PoolKind<2, 2, true>());
    } else {
        body(PoolKind<0, 0, true>());
    }
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
        with_pool(shape, count, [&](auto kind) {
            launch(max_pool_forward_kernel<T, kind.kernel, kind.stride, kind.small>, blocks_for(count),
                   dim3(kThreads), stream, shape, count, static_cast<const T*>(input),
                   static_cast<T*>(output), origin);
        });
    });
}

void max_pool_backward(const PoolShape& shape, const void* output_gradient, const std::int8_t* origin,
                       void* input_gradient, cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.height, shape.width);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_pool(shape, count, [&](auto kind) {
            launch(max_pool_backward_kernel<T, kind.kernel, kind.stride, kind.small>, blocks_for(count),
                   dim3(kThreads), stream, shape, count, static_cast<const T*>(output_gradient), origin,
                   static_cast<T*>(input_gradient));
        });
    });
}

void window_average_forward(const PoolShape& shape, const void* input, void* output, cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.out_height(), shape.out_width());
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(window_average_forward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(input), static_cast<T*>(output));
    });
}

void window_average_backward(const PoolShape& shape, const void* output_gradient, void* input_gradient,
                             cudaStream_t stream) {
    const std::int64_t count = groups_of(shape, shape.height, shape.width);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(window_average_backward_kernel<T>, blocks_for(count), dim3(kThreads), stream, shape, count,
               static_cast<const T*>(output_gradient), static_cast<T*>(input_gradient));
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
