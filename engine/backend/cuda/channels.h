// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/graph/activation.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstdint>

/// Activations, factors per channel, and channels put behind one another; images stored [batch][pixel][channels].
namespace rankscope::engine::cuda {

struct ChannelsShape {
    std::int64_t batch = 0;
    std::int64_t pixels = 1;
    std::int64_t channels = 0;  ///< the stored ones behind them are padding and stay 0
    ElementType type = ElementType::f32;

    std::int64_t stored() const { return padded(channels); }
};

/// y = activation(x), and dx = dy · activation'(x).
void activate(const ChannelsShape& shape, Activation kind, const void* x, void* y, cudaStream_t stream);
void activate_backward(const ChannelsShape& shape, Activation kind, const void* x, const void* dy, void* dx,
                       cudaStream_t stream);

/// y = image · factors; factors are [batch][channels].
void scale_channels(const ChannelsShape& shape, const void* image, const void* factors, void* y,
                    cudaStream_t stream);
/// The sum over an image's pixels of image · gradient: [batch][channels].
void scale_gradient(const ChannelsShape& shape, const void* image, const void* gradient,
                    void* factors_gradient, cudaStream_t stream);

/// A part of the channels of every row.
struct ChannelSlice {
    std::int64_t row = 0;    ///< stored channels of a row
    std::int64_t first = 0;  ///< channel
};
/// Copies `count` channels of each row; the next `zeros` of the target become 0.
void copy_channels(ElementType type, std::int64_t rows, std::int64_t count, std::int64_t zeros,
                   const ChannelSlice& from_slice, const void* from, const ChannelSlice& to_slice, void* to,
                   cudaStream_t stream);

}  // namespace rankscope::engine::cuda
