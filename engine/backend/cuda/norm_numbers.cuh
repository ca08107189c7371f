// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/batch_norm.h>

/// What a batch norm makes of the sums over a channel's rows.
namespace rankscope::engine::cuda {

/// Read while the sums are still being added up.
struct ChannelNumbers {
    float weight = 0.0F;
    float running_mean = 0.0F;
    float running_var = 0.0F;
};

__device__ inline ChannelNumbers channel_numbers(const BatchNormVectors& vectors, int c) {
    return {vectors.weight[c], vectors.running_mean[c], vectors.running_var[c]};
}

struct ChannelStatistics {
    float mean;
    float scale;
};

/// Everything that follows from a channel's mean and biased variance over `count` rows. `keep`: it is written, too.
__device__ inline ChannelStatistics take_statistics(const BatchNormVectors& vectors, int c,
                                                    const ChannelNumbers& channel, double mean,
                                                    double variance, double count, bool keep = true) {
    const double kept = variance > 0.0 || variance != variance ? variance : 0.0;
    const auto inv_std = static_cast<float>(1.0 / sqrt(kept + static_cast<double>(vectors.epsilon)));
    const auto middle = static_cast<float>(mean);
    const float scale = channel.weight * inv_std;
    if (keep) {
        vectors.mean[c] = middle;
        vectors.inv_std[c] = inv_std;
        vectors.scale[c] = scale;
        const double unbiased = count > 1.0 ? kept * (count / (count - 1.0)) : kept;
        const float momentum = vectors.momentum;
        vectors.running_mean[c] = (1.0F - momentum) * channel.running_mean + momentum * middle;
        vectors.running_var[c] =
            (1.0F - momentum) * channel.running_var + momentum * static_cast<float>(unbiased);
    }
    return {middle, scale};
}

/// dx = gradient · g + deviation · (x − mean) + constant.
struct NormCoefficients {
    float gradient;
    float deviation;
    float constant;
};

/// From the sums of g and of g · x̂ over `count` rows.
__device__ inline NormCoefficients norm_coefficients(float weight, float inv_std, double g_sum, double gx_sum,
                                                     double count) {
    const auto deviation = static_cast<double>(inv_std);
    const double a = static_cast<double>(weight) * deviation;
    return {static_cast<float>(a), static_cast<float>(-a * gx_sum * deviation / count),
            static_cast<float>(-a * g_sum / count)};
}

}  // namespace rankscope::engine::cuda
