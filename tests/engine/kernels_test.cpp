// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/max_pool.h>
#include <engine/backend/cpu/tap_layout.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Values with many ties, zeros and negatives.
std::vector<float> awkward(std::int64_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) {
        value = static_cast<float>(static_cast<int>(random() % 7) - 4);
    }
    return values;
}

struct Window {
    int kernel;
    int stride;
    int padding;
};

class MaxPool : public ::testing::TestWithParam<Window> {};

void pool_and_compare(int block, const Window& window, int height, int width, bool relu) {
    const auto [kernel, stride, padding] = window;
    const MaxPoolShape shape{3, block, height, width, stride, relu, kernel, padding};
    const std::int64_t outputs = shape.planes * shape.out_height() * shape.out_width() * block;
    const std::vector<float> input = awkward(shape.planes * height * width * block, 1);
    const std::vector<float> gradient = awkward(outputs, 2);
    std::vector<float> output(static_cast<std::size_t>(outputs), kNan);
    std::vector<std::int8_t> origin(output.size(), 9);
    std::vector<float> input_gradient(input.size(), kNan);
    max_pool_forward<float>(shape, input, output, origin);
    max_pool_backward<float>(shape, gradient, origin, input_gradient);

    std::vector<float> expected(input.size(), 0.0F);
    std::size_t o = 0;
    for (std::int64_t p = 0; p < shape.planes; ++p) {
        for (std::int64_t y = 0; y < shape.out_height(); ++y) {
            for (std::int64_t x = 0; x < shape.out_width(); ++x) {
                for (std::int64_t b = 0; b < block; ++b, ++o) {
                    std::optional<std::size_t> best;
                    for (std::int64_t k = 0; k < kernel * kernel; ++k) {
                        const std::int64_t iy = y * stride + k / kernel - padding;
                        const std::int64_t ix = x * stride + k % kernel - padding;
                        if (iy < 0 || iy >= height || ix < 0 || ix >= width) {
                            continue;
                        }
                        const auto at =
                            static_cast<std::size_t>(((p * height + iy) * width + ix) * block + b);
                        best = !best || input[at] > input[*best] ? at : *best;
                    }
                    const bool cut = relu && input[*best] <= 0;
                    ASSERT_EQ(output[o], cut ? 0.0F : input[*best]) << "output " << o;
                    expected[*best] += cut ? 0.0F : gradient[o];
                }
            }
        }
    }
    EXPECT_EQ(input_gradient, expected);
}

TEST_P(MaxPool, EqualsItsSlowTwin) {
    const Window window = GetParam();
    for (const int block : {1, 4, 8, 16}) {
        for (const int height : {2, 6, 7}) {
            for (const int width : {2, 8, 11}) {
                const int least = window.kernel - 2 * window.padding;
                if (height >= least && width >= least) {
                    pool_and_compare(block, window, height, width, false);
                    pool_and_compare(block, window, height, width, true);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Windows, MaxPool,
                         ::testing::Values(Window{2, 1, 0}, Window{2, 2, 0}, Window{2, 3, 0}, Window{3, 2, 1},
                                           Window{3, 1, 1}, Window{3, 3, 0}, Window{5, 2, 2}),
                         [](const auto& tested) {
                             const Window& w = tested.param;
                             return "kernel" + std::to_string(w.kernel) + "_stride" +
                                    std::to_string(w.stride) + "_padding" + std::to_string(w.padding);
                         });

TEST(MaxPool, NotANumberWins) {
    std::vector<float> input(4 * 8, 1.0F);
    input[2 * 8 + 3] = kNan;
    std::vector<float> output(8);
    std::vector<std::int8_t> origin(8);
    max_pool_forward<float>({1, 8, 2, 2, 2, true}, input, output, origin);
    EXPECT_TRUE(std::isnan(output[3]));
    EXPECT_EQ(output[4], 1.0F);
}

TEST(Relu, ForwardAndBackward) {
    std::vector<float> values{-1.0F, 0.0F, 2.0F, kNan};
    relu_in_place<float>(values);
    EXPECT_EQ(values[0], 0.0F);
    EXPECT_EQ(values[2], 2.0F);
    EXPECT_TRUE(std::isnan(values[3]));
    std::vector<float> gradient{5.0F, 5.0F, 5.0F, 5.0F};
    relu_backward_in_place<float>(values, gradient);
    EXPECT_EQ(gradient, (std::vector<float>{0.0F, 0.0F, 5.0F, 5.0F}));
}

TEST(CrossEntropy, LossHitsAndGradient) {
    const std::vector<float> logits{1.0F, 2.0F, 3.0F, 1000.0F, 0.0F, -1000.0F};
    const std::vector<std::int32_t> labels{2, 1};
    std::vector<float> gradient(6);
    const BatchResult result = cross_entropy({.classes = 3}, logits, labels, gradient);
    const double sum = std::exp(-2.0) + std::exp(-1.0) + 1.0;
    EXPECT_NEAR(result.loss, (std::log(sum) + 1000.0) / 2, 1e-4);
    EXPECT_EQ(result.correct, 1);
    EXPECT_NEAR(gradient[0], std::exp(-2.0) / sum / 2, 1e-7);
    EXPECT_NEAR(gradient[2], (1.0 / sum - 1.0) / 2, 1e-7);
    EXPECT_NEAR(gradient[3], 0.5, 1e-7);
    EXPECT_NEAR(gradient[4], -0.5, 1e-7);
    EXPECT_EQ(gradient[5], 0.0F);
}

TEST(TapLayout, PutsEveryWeightInItsPlaceAndBack) {
    for (const auto& [out, in, taps] : {std::array<std::int64_t, 3>{32, 3, 9}, {21, 5, 9}, {7, 16, 1}}) {
        std::vector<float> canonical(static_cast<std::size_t>(out * in * taps));
        std::iota(canonical.begin(), canonical.end(), 1.0F);
        std::vector<float> stored(canonical.size());
        std::vector<float> back(canonical.size());
        to_tap_major(out, in, taps, canonical.data(), stored.data());
        from_tap_major(out, in, taps, stored.data(), back.data());
        EXPECT_EQ(back, canonical);
        for (std::int64_t o = 0; o < out; ++o) {
            for (std::int64_t i = 0; i < in; ++i) {
                for (std::int64_t tap = 0; tap < taps; ++tap) {
                    ASSERT_EQ(stored[static_cast<std::size_t>((tap * in + i) * out + o)],
                              canonical[static_cast<std::size_t>((o * in + i) * taps + tap)]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::cpu
