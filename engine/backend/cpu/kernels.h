// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cpu/bf16.h>
#include <engine/backend/cpu/channel_view.h>

#include <cstddef>
#include <cstdint>
#include <span>

/// The kernels that oneDNN does not have, or that are cheaper by hand. All are free functions with a slow
/// twin in the tests. Element-wise ones work on any layout, as padding is zero and stays so.
namespace rankscope::engine::cpu {

/// x = max(x, 0). T is float or Bf16 everywhere here.
template <typename T>
void relu_in_place(std::span<T> values);

/// gradient = output > 0 ? gradient : 0.
template <typename T>
void relu_backward_in_place(std::span<const T> output, std::span<T> gradient);

/// target += addend.
template <typename T>
void add_in_place(std::span<T> target, std::span<const T> addend);

/// output = a + b, clamped at 0 if requested.
template <typename T>
void add(std::span<const T> a, std::span<const T> b, bool relu, std::span<T> output);

/// Mean over the pixels. `image` is seen through `view` (of [batch, channels, height, width]); `means` is
/// [batch][channels].
template <typename T>
void average_pool_forward(const ChannelView& view, std::int64_t batch, std::span<const T> image,
                          std::span<T> means);
/// Overwrites the whole image gradient.
template <typename T>
void average_pool_backward(const ChannelView& view, std::int64_t batch, std::span<const T> means_gradient,
                           std::span<T> image_gradient);

/// output = image · factors, channel by channel; both images seen through `view`, `factors` is [batch][channels].
template <typename T>
void scale_forward(const ChannelView& view, std::span<const T> image, std::span<const T> factors,
                   std::span<T> output);
/// The gradients of both; either may be empty: it is not wanted.
template <typename T>
void scale_backward(const ChannelView& view, std::span<const T> image, std::span<const T> factors,
                    std::span<const T> gradient, std::span<T> image_gradient, std::span<T> factors_gradient);

/// Rounds to nearest even.
void round_to_bf16(std::span<const float> values, std::span<Bf16> rounded);

struct CrossEntropyOptions {
    std::int64_t classes = 0;
    std::int64_t topk = 1;
    double label_smoothing = 0.0;
};

/// Softmax cross-entropy over logits [batch, classes]: the mean loss, the hits, and the gradient of the mean
/// loss. Labels must be in [0, classes). With smoothing s the target is (1−s) at the label plus s/classes
/// everywhere (torch.nn.CrossEntropyLoss). A label counts among the top k when fewer than k logits are
/// larger.
BatchResult cross_entropy(const CrossEntropyOptions& options, std::span<const float> logits,
                          std::span<const std::int32_t> labels, std::span<float> gradient);

/// Mean of (output − target)² over all elements, and its gradient.
BatchResult mean_squared_error(std::span<const float> outputs, std::span<const float> targets,
                               std::span<float> gradient);

/// values *= factor.
void scale_in_place(std::span<float> values, float factor);

/// No NaN, no infinity.
template <typename T>
bool all_finite(std::span<const T> values);

}  // namespace rankscope::engine::cpu
