// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/input.h>
#include <engine/backend/cuda/launch.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);

/// One thread: one group of channels of one pixel. Neighbouring threads take neighbouring pixels, so that
/// reads of planes lie side by side.
struct InputPlace {
    int image;
    int channel;
    int y;
    int x;
    bool inside;
};

__device__ __forceinline__ InputPlace place_of(const InputShape& shape) {
    std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const int groups = (shape.channels + kBlock - 1) / kBlock;
    InputPlace place;
    place.x = static_cast<int>(index % shape.width);
    index /= shape.width;
    place.y = static_cast<int>(index % shape.height);
    index /= shape.height;
    place.channel = static_cast<int>(index % groups) * kBlock;
    index /= groups;
    place.image = static_cast<int>(index);
    place.inside = index < shape.batch;
    return place;
}

__device__ __forceinline__ std::int64_t stored_at(const InputShape& shape, const InputPlace& place) {
    const std::int64_t stored = (shape.channels + kBlock - 1) / kBlock * kBlock;
    return ((static_cast<std::int64_t>(place.image) * shape.height + place.y) * shape.width + place.x) *
               stored +
           place.channel;
}

__device__ __forceinline__ std::int64_t plane_at(const InputShape& shape, const InputPlace& place,
                                                 int channel) {
    return ((static_cast<std::int64_t>(place.image) * shape.channels + channel) * shape.height + place.y) *
               shape.width +
           place.x;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    floats_kernel(InputShape shape, const float* const* source, T* __restrict__ input) {
    wait_for_inputs();
    const InputPlace place = place_of(shape);
    if (!place.inside) {
        return;
    }
    const float* from = *source;
    Group group{};
    for (int i = 0; i < kBlock && place.channel + i < shape.channels; ++i) {
        group.v[i] = from[plane_at(shape, place, place.channel + i)];
    }
    store(input + stored_at(shape, place), group);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    bytes_kernel(InputShape shape, const std::uint8_t* const* source, const float* __restrict__ table,
                 T* __restrict__ input) {
    wait_for_inputs();
    const InputPlace place = place_of(shape);
    if (!place.inside) {
        return;
    }
    const std::uint8_t* from = *source;
    Group group{};
    for (int i = 0; i < kBlock && place.channel + i < shape.channels; ++i) {
        const int channel = place.channel + i;
        group.v[i] = table[256 * channel + from[plane_at(shape, place, channel)]];
    }
    store(input + stored_at(shape, place), group);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    windows_kernel(InputShape shape, const ImageWindow* const* source, KeptImages images,
                   const float* __restrict__ table, T* __restrict__ input) {
    wait_for_inputs();
    const InputPlace place = place_of(shape);
    if (!place.inside) {
        return;
    }
    const ImageWindow window = (*source)[place.image];
    const int y = window.top + place.y;
    const int x = window.left + (window.flip != 0 ? shape.width - 1 - place.x : place.x);
    const bool inside = y >= 0 && y < images.height && x >= 0 && x < images.width;
    Group group{};
    for (int i = 0; i < kBlock && place.channel + i < shape.channels; ++i) {
        const int channel = place.channel + i;
        const std::int64_t at =
            ((static_cast<std::int64_t>(window.image) * shape.channels + channel) * images.height + y) *
                images.width +
            x;
        const std::uint8_t byte = inside ? images.pixels[at] : static_cast<std::uint8_t>(0);
        group.v[i] = table[256 * channel + byte];
    }
    store(input + stored_at(shape, place), group);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    to_floats_kernel(InputShape shape, const T* __restrict__ values, std::int64_t row, std::int64_t count,
                     float* __restrict__ floats) {
    wait_for_inputs();
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (index >= count) {
        return;
    }
    const int pixels = shape.height * shape.width;
    const auto column = static_cast<int>(index % row);
    float value = 0.0F;
    if (column < shape.channels * pixels) {
        const std::int64_t stored = (shape.channels + kBlock - 1) / kBlock * kBlock;
        const std::int64_t image = index / row;
        value = number(values[(image * pixels + column % pixels) * stored + column / pixels]);
    }
    floats[index] = value;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    output_gradient_kernel(InputShape shape, const T* __restrict__ gradient, std::int64_t row,
                           T* __restrict__ values) {
    wait_for_inputs();
    const InputPlace place = place_of(shape);
    if (!place.inside) {
        return;
    }
    Group group{};
    for (int i = 0; i < kBlock && place.channel + i < shape.channels; ++i) {
        const std::int64_t column =
            (static_cast<std::int64_t>(place.channel + i) * shape.height + place.y) * shape.width + place.x;
        group.v[i] = number(gradient[place.image * row + column]);
    }
    store(values + stored_at(shape, place), group);
}

dim3 blocks_of(std::int64_t threads) {
    return {static_cast<unsigned>((threads + kThreads - 1) / kThreads), 1U, 1U};
}

std::int64_t threads_of(const InputShape& shape) {
    return static_cast<std::int64_t>(shape.batch) * shape.height * shape.width *
           (shape.stored_channels() / kBlock);
}

}  // namespace

void input_from_floats(const InputShape& shape, const float* const* source, void* input,
                       cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(floats_kernel<T>, blocks_of(threads_of(shape)), dim3(kThreads), stream, shape, source,
               static_cast<T*>(input));
    });
}

void input_from_bytes(const InputShape& shape, const std::uint8_t* const* source, const float* table,
                      void* input, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(bytes_kernel<T>, blocks_of(threads_of(shape)), dim3(kThreads), stream, shape, source, table,
               static_cast<T*>(input));
    });
}

void input_from_windows(const InputShape& shape, const ImageWindow* const* source, const KeptImages& images,
                        const float* table, void* input, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(windows_kernel<T>, blocks_of(threads_of(shape)), dim3(kThreads), stream, shape, source, images,
               table, static_cast<T*>(input));
    });
}

void output_to_floats(const InputShape& shape, const void* values, std::int64_t row, float* floats,
                      cudaStream_t stream) {
    const std::int64_t count = row * shape.batch;
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(to_floats_kernel<T>, blocks_of(count), dim3(kThreads), stream, shape,
               static_cast<const T*>(values), row, count, floats);
    });
}

void output_gradient(const InputShape& shape, const void* gradient, std::int64_t row, void* values,
                     cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(output_gradient_kernel<T>, blocks_of(threads_of(shape)), dim3(kThreads), stream, shape,
               static_cast<const T*>(gradient), row, static_cast<T*>(values));
    });
}

}  // namespace rankscope::engine::cuda
