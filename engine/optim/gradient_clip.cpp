// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/optim/gradient_clip.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace rankscope::engine {
namespace {

constexpr std::size_t kLanes = 32;  // independent sums: two AVX-512 registers
constexpr std::size_t kBlock = 4096;

/// One block in float: its error stays small because a lane adds only kBlock / kLanes values.
double block_sum(const float* values, std::size_t count) {
    std::array<float, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            lanes[lane] += values[i + lane] * values[i + lane];
        }
    }
    double sum = 0.0;
    for (; i < count; ++i) {
        sum += static_cast<double>(values[i]) * values[i];
    }
    for (const float lane : lanes) {
        sum += lane;
    }
    return sum;
}

}  // namespace

double sum_of_squares(std::span<const float> values) {
    double sum = 0.0;
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
        sum += block_sum(values.data() + begin, std::min(kBlock, values.size() - begin));
    }
    return sum;
}

double clip_scale(double norm, double max_norm) {
    const double scale = max_norm / (norm + 1e-6);
    return std::isnan(scale) ? scale : std::min(1.0, scale);
}

}  // namespace rankscope::engine
