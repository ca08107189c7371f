// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <span>

namespace rankscope::engine {

/// Sum of the squares, added up in the same order whatever the number of threads (none here); NaN and
/// infinities carry through. Float products, partial sums in double: relative error below 1e-6 for any size.
double sum_of_squares(std::span<const float> values);

/// What gradients of this total norm are multiplied by: min(1, max_norm / (norm + 1e-6)). Not finite: not
/// finite. Source: torch.nn.utils.clip_grad_norm_.
double clip_scale(double norm, double max_norm);

}  // namespace rankscope::engine
