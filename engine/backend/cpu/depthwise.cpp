// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/depthwise.h>
#include <engine/backend/cpu/vector_math.h>

#include <algorithm>
#include <array>

namespace rankscope::engine::cpu {
namespace {

using LaneSums = std::array<float, kDepthwiseLanes>;

/// One line of the result with one line of taps: sums[tap] += Σ dy · x, for the channels of a block.
[[gnu::always_inline]] inline void add_line(const DepthwiseShape& shape, const float* x, const float* dy,
                                            LaneSums* sums) {
    for (std::int64_t tap = 0; tap < shape.kernel; ++tap) {
        const std::int64_t shift = tap * shape.dilation - shape.padding;
        // Results whose tap lies in the image.
        const std::int64_t first = shift >= 0 ? 0 : (-shift + shape.stride - 1) / shape.stride;
        const std::int64_t end =
            shape.width <= shift ? 0
                                 : std::min(shape.out_width, (shape.width - 1 - shift) / shape.stride + 1);
        LaneSums sum = sums[tap];
        for (std::int64_t column = first; column < end; ++column) {
            const float* const from = x + (column * shape.stride + shift) * kDepthwiseLanes;
            const float* const gradient = dy + column * kDepthwiseLanes;
            for (std::size_t lane = 0; lane < sum.size(); ++lane) {
                sum[lane] += from[lane] * gradient[lane];
            }
        }
        sums[tap] = sum;
    }
}

}  // namespace

void depthwise_weight_gradient(const DepthwiseShape& shape, std::span<const float> x,
                               std::span<const float> dy, std::span<float> weight_gradient) {
    constexpr std::int64_t kMostTaps = 16;  // of a line
    const std::int64_t taps = shape.kernel * shape.kernel;
    const std::int64_t in_line = shape.width * kDepthwiseLanes;
    const std::int64_t out_line = shape.out_width * kDepthwiseLanes;
#pragma omp parallel for
    for (std::int64_t block = 0; block < shape.blocks(); ++block) {
        std::array<LaneSums, kMostTaps * kMostTaps> sums{};
        for (std::int64_t sample = 0; sample < shape.batch; ++sample) {
            const std::int64_t image = sample * shape.blocks() + block;
            const float* const from = x.data() + image * shape.height * in_line;
            const float* const gradient = dy.data() + image * shape.out_height * out_line;
            run_widest([&]() __attribute__((always_inline)) {
                for (std::int64_t row = 0; row < shape.out_height; ++row) {
                    for (std::int64_t tap = 0; tap < shape.kernel; ++tap) {
                        const std::int64_t line = row * shape.stride + tap * shape.dilation - shape.padding;
                        if (line >= 0 && line < shape.height) {
                            add_line(shape, from + line * in_line, gradient + row * out_line,
                                     sums.data() + tap * shape.kernel);
                        }
                    }
                }
            });
        }
        for (std::int64_t lane = 0; lane < kDepthwiseLanes; ++lane) {
            const std::int64_t channel = block * kDepthwiseLanes + lane;
            for (std::int64_t tap = 0; channel < shape.channels && tap < taps; ++tap) {
                weight_gradient[static_cast<std::size_t>(channel * taps + tap)] =
                    sums[static_cast<std::size_t>(tap)][static_cast<std::size_t>(lane)];
            }
        }
    }
}

}  // namespace rankscope::engine::cpu
