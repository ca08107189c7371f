// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>
#include <engine/graph/activation.h>

#include <span>

namespace rankscope::engine::cpu {

/// y = activation(x), element by element. T is float or Bf16.
template <typename T>
void activate(Activation kind, std::span<const T> x, std::span<T> y);

/// dx = dy · activation'(x).
template <typename T>
void activate_backward(Activation kind, std::span<const T> x, std::span<const T> dy, std::span<T> dx);

}  // namespace rankscope::engine::cpu
