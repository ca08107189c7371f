// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <vector>

/// Convolution of very small images as matrix products: one for every filter tap and run of positions at
/// which the tap meets an input pixel. oneDNN's convolutions spend most of their time on padding there (its
/// weight gradients reach 2 GFLOP/s on 1×1 images).
///
/// Layouts: images position-major [height · width][batch][channels]; weights tap-major [kernel ·
/// kernel][in][out].
namespace rankscope::engine::cpu {

struct TapConvolution {
    std::int64_t batch = 0;
    std::int64_t in_channels = 0;
    std::int64_t out_channels = 0;
    std::int64_t in_height = 0;
    std::int64_t in_width = 0;
    std::int64_t out_height = 0;
    std::int64_t out_width = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
};

/// The tap meets input positions from, from + 1, … at output positions to, to + 1, …
struct TapRun {
    std::int64_t tap = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t count = 0;
    bool first_output = false;  ///< nothing earlier in the list writes these output positions
    bool first_input = false;   ///< … these input positions
    bool first_of_tap = false;
};

/// Every pair of positions exactly once.
std::vector<TapRun> tap_runs(const TapConvolution& shape);

/// Overwrites the whole output.
void tap_forward(const TapConvolution& shape, const std::vector<TapRun>& runs, const float* input,
                 const float* weights, float* output);
/// Overwrites the whole input gradient.
void tap_backward_data(const TapConvolution& shape, const std::vector<TapRun>& runs,
                       const float* output_gradient, const float* weights, float* input_gradient);
/// Overwrites the gradients of the taps that meet any input; the others are left alone.
void tap_backward_weights(const TapConvolution& shape, const std::vector<TapRun>& runs, const float* input,
                          const float* output_gradient, float* weights_gradient);

}  // namespace rankscope::engine::cpu
