// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <cstddef>
#include <cstdint>
#include <span>

/// The kernels that oneDNN does not have, or that are cheaper by hand. All are free functions with a slow
/// twin in the tests. Element-wise ones work on any layout, as padding is zero and stays so.
namespace rankscope::engine::cpu {

/// x = max(x, 0).
void relu_in_place(std::span<float> values);

/// gradient = output > 0 ? gradient : 0.
void relu_backward_in_place(std::span<const float> output, std::span<float> gradient);

/// Softmax cross-entropy over logits [batch, classes]: the mean loss, the hits, and the gradient of the mean
/// loss. Labels must be in [0, classes).
BatchResult cross_entropy(std::span<const float> logits, std::span<const std::int32_t> labels,
                          std::int64_t classes, std::span<float> gradient);

}  // namespace rankscope::engine::cpu
