// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <span>

namespace rankscope::engine::cpu {

/// A convolution whose groups are single channels; images in blocks of kDepthwiseLanes channels (nChw16c).
inline constexpr std::int64_t kDepthwiseLanes = 16;
struct DepthwiseShape {
    std::int64_t batch = 0;
    std::int64_t channels = 0;
    std::int64_t height = 0;  ///< of the input
    std::int64_t width = 0;
    std::int64_t out_height = 0;
    std::int64_t out_width = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;

    std::int64_t blocks() const { return (channels + kDepthwiseLanes - 1) / kDepthwiseLanes; }
};
/// The gradient of the weights, [channels][kernel][kernel]. oneDNN 2.6 takes its reference for 5×5.
void depthwise_weight_gradient(const DepthwiseShape& shape, std::span<const float> x,
                               std::span<const float> dy, std::span<float> weight_gradient);

}  // namespace rankscope::engine::cpu
