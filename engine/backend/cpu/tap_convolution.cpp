// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/gemm.h>
#include <engine/backend/cpu/tap_convolution.h>

#include <algorithm>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

struct Pair {
    std::int64_t tap;
    std::int64_t from;
    std::int64_t to;
};

std::vector<Pair> pairs_of(const TapConvolution& s) {
    std::vector<Pair> pairs;
    // The middle tap first: it usually meets every position, so that its one product may overwrite.
    std::vector<std::int64_t> taps;
    const std::int64_t middle = s.kernel * s.kernel / 2;
    taps.push_back(middle);
    for (std::int64_t tap = 0; tap < s.kernel * s.kernel; ++tap) {
        if (tap != middle) {
            taps.push_back(tap);
        }
    }
    for (const std::int64_t tap : taps) {
        for (std::int64_t to = 0; to < s.out_height * s.out_width; ++to) {
            const std::int64_t y = to / s.out_width * s.stride + tap / s.kernel - s.padding;
            const std::int64_t x = to % s.out_width * s.stride + tap % s.kernel - s.padding;
            if (y >= 0 && y < s.in_height && x >= 0 && x < s.in_width) {
                pairs.push_back({tap, y * s.in_width + x, to});
            }
        }
    }
    return pairs;
}

}  // namespace

std::vector<TapRun> tap_runs(const TapConvolution& shape) {
    std::vector<bool> output_written(static_cast<std::size_t>(shape.out_height * shape.out_width), false);
    std::vector<bool> input_written(static_cast<std::size_t>(shape.in_height * shape.in_width), false);
    std::vector<bool> tap_seen(static_cast<std::size_t>(shape.kernel * shape.kernel), false);
    std::vector<TapRun> runs;
    for (const Pair& pair : pairs_of(shape)) {
        const auto output = static_cast<std::size_t>(pair.to);
        const auto input = static_cast<std::size_t>(pair.from);
        const bool first_output = !output_written[output];
        const bool first_input = !input_written[input];
        if (!runs.empty() && runs.back().tap == pair.tap &&
            runs.back().from + runs.back().count == pair.from &&
            runs.back().to + runs.back().count == pair.to && runs.back().first_output == first_output &&
            runs.back().first_input == first_input) {
            ++runs.back().count;
        } else {
            const auto tap = static_cast<std::size_t>(pair.tap);
            runs.push_back({pair.tap, pair.from, pair.to, 1, first_output, first_input, !tap_seen[tap]});
            tap_seen[tap] = true;
        }
        output_written[output] = true;
        input_written[input] = true;
    }
    return runs;
}

void tap_forward(const TapConvolution& shape, const std::vector<TapRun>& runs, const float* input,
                 const float* weights, float* output) {
    const std::int64_t in_size = shape.batch * shape.in_channels;
    const std::int64_t out_size = shape.batch * shape.out_channels;
    std::vector<bool> written(static_cast<std::size_t>(shape.out_height * shape.out_width), false);
    for (const TapRun& run : runs) {
        gemm(run.count * shape.batch, shape.out_channels, shape.in_channels,
             {input + run.from * in_size, shape.in_channels},
             {weights + run.tap * shape.in_channels * shape.out_channels, shape.out_channels},
             !run.first_output, output + run.to * out_size, shape.out_channels);
        std::fill_n(written.begin() + run.to, run.count, true);
    }
    for (std::size_t to = 0; to < written.size(); ++to) {
        if (!written[to]) {
            std::fill_n(output + static_cast<std::int64_t>(to) * out_size, out_size, 0.0F);
        }
    }
}

void tap_backward_data(const TapConvolution& shape, const std::vector<TapRun>& runs,
                       const float* output_gradient, const float* weights, float* input_gradient) {
    const std::int64_t in_size = shape.batch * shape.in_channels;
    const std::int64_t out_size = shape.batch * shape.out_channels;
    std::vector<bool> written(static_cast<std::size_t>(shape.in_height * shape.in_width), false);
    for (const TapRun& run : runs) {
        gemm(run.count * shape.batch, shape.in_channels, shape.out_channels,
             {output_gradient + run.to * out_size, shape.out_channels},
             {weights + run.tap * shape.in_channels * shape.out_channels, shape.out_channels, true},
             !run.first_input, input_gradient + run.from * in_size, shape.in_channels);
        std::fill_n(written.begin() + run.from, run.count, true);
    }
    for (std::size_t from = 0; from < written.size(); ++from) {
        if (!written[from]) {
            std::fill_n(input_gradient + static_cast<std::int64_t>(from) * in_size, in_size, 0.0F);
        }
    }
}

void tap_backward_weights(const TapConvolution& shape, const std::vector<TapRun>& runs, const float* input,
                          const float* output_gradient, float* weights_gradient) {
    const std::int64_t in_size = shape.batch * shape.in_channels;
    const std::int64_t out_size = shape.batch * shape.out_channels;
    for (const TapRun& run : runs) {
        gemm(shape.in_channels, shape.out_channels, run.count * shape.batch,
             {input + run.from * in_size, shape.in_channels, true},
             {output_gradient + run.to * out_size, shape.out_channels}, !run.first_of_tap,
             weights_gradient + run.tap * shape.in_channels * shape.out_channels, shape.out_channels);
    }
}

}  // namespace rankscope::engine::cpu
