// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/channel_view.h>

#include <cstddef>
#include <cstdint>

/// 3×3 convolutions with stride 1 by minimal filtering: tiles of the image and the filter are transformed,
/// and what was a convolution becomes one matrix product over the channels for each of the transformed tile's
/// elements (Winograd, "Arithmetic Complexity of Computations", 1980; Lavin, Gray: arXiv 1509.09308). The
/// backward passes are the transposes of the same three linear maps, so that they use the same tiles: one
/// pass over the transformed gradient serves weights and input.
///
/// Two tilings:
/// - four: 6×6 of the input make 4×4 of the result with 36 products instead of 144.
/// - padded_two: 2×2 images with a padding of 1, whole: 9 products instead of the 16 that are not with zero.
///   y = [[w1 w2] [w0 w1]] x in one dimension takes three products: w1·(x0+x1), (w2−w1)·x1, (w0−w1)·x0.
///
/// Layouts: images through a ChannelView whose lanes are a multiple of 8; weights [3·3][in][out]; transformed
/// arrays [products][tiles][channels] and [products][in][out].
namespace rankscope::engine::cpu {

enum class WinogradTiling { four, padded_two };

struct WinogradConvolution {
    WinogradTiling tiling = WinogradTiling::four;
    ChannelView input;   ///< channels: a multiple of 8
    ChannelView output;  ///< the same
    std::int64_t batch = 0;
    std::int64_t in_height = 0;
    std::int64_t in_width = 0;
    std::int64_t out_height = 0;
    std::int64_t out_width = 0;
    std::int64_t padding = 0;

    std::int64_t in_channels() const { return input.channels; }
    std::int64_t out_channels() const { return output.channels; }
    std::int64_t products() const { return tiling == WinogradTiling::four ? 36 : 9; }
    std::int64_t tile_rows() const { return tiling == WinogradTiling::four ? (out_height + 3) / 4 : 1; }
    std::int64_t tile_columns() const { return tiling == WinogradTiling::four ? (out_width + 3) / 4 : 1; }
    std::int64_t tiles_per_image() const { return tile_rows() * tile_columns(); }
    /// Images that go through all stages together, so that the transformed arrays stay in the cache.
    std::int64_t chunk() const;
    std::int64_t tiles() const { return chunk() * tiles_per_image(); }
    /// Floats from one product's matrix to the next. Not a power of two, or all products of a tile would meet
    /// in the same lines of the first-level cache.
    std::int64_t input_stride() const { return tiles() * in_channels() + kCacheLine; }
    std::int64_t output_stride() const { return tiles() * out_channels() + kCacheLine; }
    std::int64_t weights_stride() const { return in_channels() * out_channels() + kCacheLine; }
    /// Floats of the transformed arrays: of a chunk's images, and of all weights.
    std::size_t input_size() const { return static_cast<std::size_t>(products() * input_stride()); }
    std::size_t output_size() const { return static_cast<std::size_t>(products() * output_stride()); }
    std::size_t weights_size() const { return static_cast<std::size_t>(products() * weights_stride()); }

    static constexpr std::int64_t kCacheLine = 16;  ///< floats
};

/// Room for the transformed arrays: input_size() and output_size() floats.
struct WinogradWorkspace {
    float* input = nullptr;
    float* output = nullptr;
};

/// Overwrites output; leaves the transformed weights (weights_size() floats) for the way back. `bias` may be
/// null.
struct WinogradForward {
    const float* input = nullptr;
    const float* weights = nullptr;
    const float* bias = nullptr;
    bool relu = false;
    float* output = nullptr;
    float* transformed_weights = nullptr;
    WinogradWorkspace workspace;
};
void winograd_forward(const WinogradConvolution& shape, const WinogradForward& run);

/// Overwrites the gradients of weights, bias and input; the latter two may be null.
struct WinogradBackward {
    const float* input = nullptr;
    const float* transformed_weights = nullptr;
    const float* output_gradient = nullptr;
    float* weights_gradient = nullptr;
    float* bias_gradient = nullptr;
    float* input_gradient = nullptr;
    float* transformed_weights_gradient = nullptr;  ///< room for weights_size() floats
    WinogradWorkspace workspace;
};
void winograd_backward(const WinogradConvolution& shape, const WinogradBackward& run);

}  // namespace rankscope::engine::cpu
