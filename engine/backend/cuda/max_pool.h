// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstdint>

/// Pooling of images stored [batch][height][width][channels], in device memory.
namespace rankscope::engine::cuda {

struct PoolShape {
    int batch = 0;
    int height = 0;  ///< of the input
    int width = 0;
    int channels = 0;  ///< a multiple of kGroup
    ElementType type = ElementType::f32;
    int kernel = 2;  ///< at most 11: a place in the window must fit a byte
    int stride = 2;
    int padding = 0;    ///< never the largest
    bool relu = false;  ///< the result is clamped at 0

    __host__ __device__ int out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
    __host__ __device__ int out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
};

/// `origin` [batch][out height][out width][channels]: the place in the window (row by row) of the first
/// largest element, kernel · kernel where the ReLU cut it off. NaN wins, as in PyTorch. May be null.
void max_pool_forward(const PoolShape& shape, const void* input, void* output, std::int8_t* origin,
                      cudaStream_t stream);
/// Overwrites the whole input gradient.
void max_pool_backward(const PoolShape& shape, const void* output_gradient, const std::int8_t* origin,
                       void* input_gradient, cudaStream_t stream);

/// Mean over each window; padding and relu have no meaning.
void window_average_forward(const PoolShape& shape, const void* input, void* output, cudaStream_t stream);
/// Overwrites the whole input gradient.
void window_average_backward(const PoolShape& shape, const void* output_gradient, void* input_gradient,
                             cudaStream_t stream);

/// Mean over all pixels of an image: [batch][channels]. kernel, stride and padding have no meaning.
void average_pool_forward(const PoolShape& shape, const void* input, void* means, cudaStream_t stream);
void average_pool_backward(const PoolShape& shape, const void* means_gradient, void* input_gradient,
                           cudaStream_t stream);

}  // namespace rankscope::engine::cuda
