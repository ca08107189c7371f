// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <span>

/// Max pooling with a 2×2 window on channel-blocked images, with an optional ReLU on the result. oneDNN's own
/// primitive needs 2–3 times as long here: it cannot take the ReLU in, and its backward pass clears the
/// gradient and scatters into it. Here each result remembers in one byte where it came from, and every
/// gradient is written once.
namespace rankscope::engine::cpu {

struct MaxPoolShape {
    std::int64_t planes = 0;  ///< images × channel blocks; a plane is [height][width][block]
    std::int64_t block = 0;   ///< channels of a block: 8 or 16
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t stride = 0;  ///< 1 or more; no padding
    bool relu = false;

    std::int64_t out_height() const { return (height - 2) / stride + 1; }
    std::int64_t out_width() const { return (width - 2) / stride + 1; }
};

/// Sizes: input planes·height·width·block, output and origin planes·out_height·out_width·block. origin: 0 to
/// 3, the place in the window of the first largest element; 4 where the ReLU cut the result off. NaN wins, as
/// in PyTorch.
void max_pool_forward(const MaxPoolShape& shape, std::span<const float> input, std::span<float> output,
                      std::span<std::int8_t> origin);

/// Overwrites the whole input gradient.
void max_pool_backward(const MaxPoolShape& shape, std::span<const float> output_gradient,
                       std::span<const std::int8_t> origin, std::span<float> input_gradient);

}  // namespace rankscope::engine::cpu
