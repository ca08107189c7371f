// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>
#include <engine/backend/cpu/channel_view.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

/// Batch normalisation with ReLU and the addition of a residual in the same passes (Ioffe, Szegedy: arXiv
/// 1502.03167; arithmetic of torch.nn.BatchNorm2d). A block of channels is normalised while it is still in
/// the second-level cache. T is float or Bf16; sums are double, everything else float.
namespace rankscope::engine::cpu {

/// One batch norm: its parameters and running statistics, each of as many values as channels.
struct BatchNormParameters {
    const float* weight = nullptr;
    const float* bias = nullptr;
    float* running_mean = nullptr;
    float* running_var = nullptr;
    float epsilon = 1e-5F;
    float momentum = 0.1F;
};

/// The input and its gradient may be the first channels of longer images; everything else lies as the result.
struct BatchNormViews {
    ChannelView input;
    ChannelView result;  ///< as many channels, lanes and rows
};

/// What backward needs of the forward pass, each of padded_channels().
struct BatchNormSaved {
    float* mean = nullptr;
    float* inverse_deviation = nullptr;
};

/// Adds up the values over the ranks; empty: the statistics are this rank's alone.
using SumOverRanks = std::function<void(std::span<double>)>;

/// output = relu?(normalised input + residual?). `residual` may be null.
template <typename T>
void batch_norm_forward(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                        const T* residual, bool relu, T* output, const BatchNormSaved& saved,
                        const SumOverRanks& sum_over_ranks);

/// The same with the running statistics.
template <typename T>
void batch_norm_evaluate(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                         const T* residual, bool relu, T* output);

/// Gradients that arrive from the readers of the output: their sum counts.
template <typename T>
struct GradientSum {
    static constexpr std::size_t kMost = 3;
    std::array<const T*, kMost> parts{};
    std::size_t count = 0;
};

/// Where gradients go. `masked` receives the gradient behind the ReLU, which is the residual's own; it may be
/// null without a residual and with a single part.
template <typename T>
struct BatchNormGradients {
    T* input = nullptr;
    bool adds_input = false;  ///< to what is there
    T* masked = nullptr;
    float* weight = nullptr;
    float* bias = nullptr;
};

/// `output` is needed only with a ReLU behind a residual.
template <typename T>
void batch_norm_backward(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                         const T* output, bool relu, const BatchNormSaved& saved,
                         const GradientSum<T>& gradient, const BatchNormGradients<T>& result,
                         const SumOverRanks& sum_over_ranks);

}  // namespace rankscope::engine::cpu
