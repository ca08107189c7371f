// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/formula.h>
#include <engine/graph/activation.h>

/// The activations and their derivatives, once for all backends. `Math` has exp() and erf() of a float. Keeps to
/// C++17, for the CUDA compiler.
namespace rankscope::engine {

template <typename Math, Activation kKind>
struct ActivationFormula {
    static constexpr float kRootHalf = 0.70710678F;          // √½
    static constexpr float kRootTwoOverPi = 0.79788456F;     // √(2/π)
    static constexpr float kRootOneOverTwoPi = 0.39894228F;  // 1/√(2π)
    static constexpr float kCubic = 0.044715F;

    RANKSCOPE_FORMULA static float sigmoid(float x) { return 1.0F / (1.0F + Math::exp(-x)); }
    RANKSCOPE_FORMULA static float tanh(float x) { return 1.0F - 2.0F / (1.0F + Math::exp(2.0F * x)); }

    RANKSCOPE_FORMULA static float value(float x) {
        if constexpr (kKind == Activation::silu) {
            return x * sigmoid(x);
        } else if constexpr (kKind == Activation::sigmoid) {
            return sigmoid(x);
        } else if constexpr (kKind == Activation::gelu_erf) {
            return 0.5F * x * (1.0F + Math::erf(x * kRootHalf));
        } else {
            return 0.5F * x * (1.0F + tanh(kRootTwoOverPi * (x + kCubic * x * x * x)));
        }
    }

    /// The derivative at x.
    RANKSCOPE_FORMULA static float slope(float x) {
        if constexpr (kKind == Activation::silu) {
            const float s = sigmoid(x);
            return s * (1.0F + x * (1.0F - s));
        } else if constexpr (kKind == Activation::sigmoid) {
            const float s = sigmoid(x);
            return s * (1.0F - s);
        } else if constexpr (kKind == Activation::gelu_erf) {
            return 0.5F * (1.0F + Math::erf(x * kRootHalf)) +
                   x * kRootOneOverTwoPi * Math::exp(-0.5F * x * x);
        } else {
            const float t = tanh(kRootTwoOverPi * (x + kCubic * x * x * x));
            return 0.5F * (1.0F + t) +
                   0.5F * x * (1.0F - t * t) * kRootTwoOverPi * (1.0F + 3.0F * kCubic * x * x);
        }
    }
};

/// Calls body(formula) with the activation's formula.
template <typename Math, typename Body>
void with_formula(Activation kind, Body body) {
    switch (kind) {
        case Activation::silu:
            body(ActivationFormula<Math, Activation::silu>());
            break;
        case Activation::sigmoid:
            body(ActivationFormula<Math, Activation::sigmoid>());
            break;
        case Activation::gelu_erf:
            body(ActivationFormula<Math, Activation::gelu_erf>());
            break;
        case Activation::gelu_tanh:
            body(ActivationFormula<Math, Activation::gelu_tanh>());
            break;
    }
}

}  // namespace rankscope::engine

#undef RANKSCOPE_FORMULA
