// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>

#include <cstdint>
#include <span>

/// Max pooling with a 2×2 window on channel-blocked images, with an optional ReLU on the result. oneDNN's own
/// primitive needs 2–3 times as long here: it cannot take the ReLU in, and its backward pass clears the
/// gradient and scatters into it. Here each result remembers in one byte where it came from, and every
/// gradient is written once.
namespace rankscope::engine::cpu {

struct MaxPoolShape {
    std::int64_t planes = 0;  ///< images × channel blocks; a plane is [height][width][block]
    std::int64_t block = 0;   ///< neighbours that are pooled alike: 8 or 16 channels, 1, or all of a pixel
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t stride = 0;  ///< 1 or more
    bool relu = false;
    std::int64_t kernel = 2;   ///< at most 11: a place must fit a byte
    std::int64_t padding = 0;  ///< at most kernel / 2; never the largest

    std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
    std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
    /// The origin of a result that the ReLU cut off.
    std::int8_t nowhere() const { return static_cast<std::int8_t>(kernel * kernel); }
};

/// Sizes: input planes·height·width·block, output and origin planes·out_height·out_width·block. origin:
/// the place in the window (row by row) of the first largest element, or nowhere(). NaN wins, as in PyTorch.
/// T is float or Bf16.
template <typename T>
void max_pool_forward(const MaxPoolShape& shape, std::span<const T> input, std::span<T> output,
                      std::span<std::int8_t> origin);

/// Overwrites the whole input gradient.
template <typename T>
void max_pool_backward(const MaxPoolShape& shape, std::span<const T> output_gradient,
                       std::span<const std::int8_t> origin, std::span<T> input_gradient);

/// Mean over each window of a shape without padding; relu has no meaning.
template <typename T>
void window_average_forward(const MaxPoolShape& shape, std::span<const T> input, std::span<T> output);
/// Overwrites the whole input gradient.
template <typename T>
void window_average_backward(const MaxPoolShape& shape, std::span<const T> output_gradient,
                             std::span<T> input_gradient);

}  // namespace rankscope::engine::cpu
