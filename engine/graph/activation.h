// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

// Headers of the kernels keep to C++17, for the CUDA compiler.
namespace rankscope::engine {

/// What is applied to every element, except the ReLU, which other operations take in.
enum class Activation {
    silu,       ///< x · sigmoid(x), torch.nn.SiLU
    sigmoid,    ///< 1 / (1 + e^−x)
    gelu_erf,   ///< x · Φ(x), torch.nn.GELU()
    gelu_tanh,  ///< its approximation, torch.nn.GELU(approximate="tanh")
};

}  // namespace rankscope::engine
