// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The batch norm kernels of the CUDA backend against their slow twins; on a GPU, and on the CPU with the emulation.

#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/cluster_norm.h>
#include <engine/backend/cuda/stream.h>

#include <tests/engine/cuda_kernel_test.h>

#include <cmath>
#include <utility>

namespace rankscope::engine::cuda::test {
namespace {

class BatchNormKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Types, BatchNormKernels, all_element_types(), element_type_name);

struct Norm {
    std::int64_t rows;
    int channels;
    bool residual;
    bool relu;
    int parts;
};

/// A batch norm forward and backward, in double.
struct SlowNorm {
    Doubles y, dx, masked, weight_gradient, bias_gradient, mean, variance;
    /// Elements whose result lies so near 0 that a rounding decides on the mask.
    std::vector<std::size_t> doubtful;
};

SlowNorm slow_norm(const Norm& n, const Floats& x, const Floats& residual, const Floats& weight,
                   const Floats& bias, const std::vector<Floats>& gradients, ElementType type) {
    SlowNorm slow;
    const auto channels = static_cast<std::size_t>(n.channels);
    const auto rows = static_cast<std::size_t>(n.rows);
    slow.y.resize(x.size());
    slow.dx.resize(x.size());
    slow.masked.resize(x.size());
    for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0.0;
        for (std::size_t r = 0; r < rows; ++r) {
            sum += x[r * channels + c];
        }
        const double mean = sum / static_cast<double>(rows);
        double squares = 0.0;
        for (std::size_t r = 0; r < rows; ++r) {
            squares += std::pow(x[r * channels + c] - mean, 2);
        }
        const double variance = squares / static_cast<double>(rows);
        const double inv_std = 1.0 / std::sqrt(variance + 1e-5);
        double g_sum = 0.0;
        double gx_sum = 0.0;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t i = r * channels + c;
            const double hat = (x[i] - mean) * inv_std;
            double y = hat * weight[c] + bias[c] + (n.residual ? residual[i] : 0.0);
            double g = 0.0;
            for (const Floats& part : gradients) {
                g += part[i];
            }
            if (n.relu && std::abs(y) < 1e-5) {
                slow.doubtful.push_back(i);
            }
            if (n.relu && y < 0.0) {
                y = 0.0;
                g = 0.0;
            }
            slow.y[i] = y;
            slow.masked[i] = g;
            // What is written in between is rounded.
            const double kept = n.residual || n.parts > 1 ? rounded(static_cast<float>(g), type) : g;
            g_sum += kept;
            gx_sum += kept * hat;
        }
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t i = r * channels + c;
            const double hat = (x[i] - mean) * inv_std;
            slow.dx[i] = weight[c] * inv_std *
                         (slow.masked[i] - g_sum / static_cast<double>(rows) -
                          hat * gx_sum / static_cast<double>(rows));
        }
        slow.weight_gradient.push_back(gx_sum);
        slow.bias_gradient.push_back(g_sum);
        slow.mean.push_back(mean);
        slow.variance.push_back(variance);
    }
    return slow;
}

enum class NormKernels { passes, synchronised, cluster };

void check_norm(const Norm& n, ElementType type, NormKernels kernels) {
    SCOPED_TRACE(testing::Message() << n.rows << " rows, " << n.channels << " channels, residual "
                                    << n.residual << ", relu " << n.relu << ", parts " << n.parts
                                    << ", kernels " << static_cast<int>(kernels));
    const BatchNormShape shape{n.rows, n.channels, type};
    const bool synchronised = kernels == NormKernels::synchronised;
    const auto tiling =
        kernels == NormKernels::cluster ? cluster_tiling(shape, cluster_blocks()) : std::nullopt;
    if (kernels == NormKernels::cluster && !tiling) {
        return;  // too many rows for this GPU
    }
    const auto count = static_cast<std::size_t>(n.rows * n.channels);
    const auto channels = static_cast<std::size_t>(n.channels);
    // Far from 0, as sums of squares do not like it. The mask must not depend on a rounding: few results are
    // near 0.
    const Floats x = rounded(noise(count, 1, 4.0F, 9.0F), type);
    const Floats residual = rounded(noise(count, 2), type);
    const Floats weight = noise(channels, 3, 0.5F, 1.5F);
    const Floats bias = noise(channels, 4, -0.5F, 0.5F);
    std::vector<Floats> gradients;
    for (int part = 0; part < n.parts; ++part) {
        gradients.push_back(rounded(noise(count, 5 + static_cast<unsigned>(part), -1.0F, 1.0F), type));
    }
    const SlowNorm slow = slow_norm(n, x, residual, weight, bias, gradients, type);

    const Stream stream;
    const Array gx(type, x);
    const Array gr(type, residual);
    const Array gw(ElementType::f32, weight);
    const Array gb(ElementType::f32, bias);
    const Array y(type, count);
    const Array vectors(ElementType::f32, 3 * channels);
    const Array running_mean(ElementType::f32, Floats(channels, 1.0F));
    const Array running_var(ElementType::f32, Floats(channels, 2.0F));
    const Array partials(ElementType::f32, batch_norm_partials(shape));
    const Objects<unsigned> counters(std::vector<unsigned>(batch_norm_counters(shape), 0U));
    const Objects<double> sums(std::vector<double>(batch_norm_sums(shape), -1.0));
    const Objects<double> backward_sums(std::vector<double>(batch_norm_sums(shape), -1.0));
    const BatchNormScratch scratch{partials.floats(), counters.data()};
    const BatchNormVectors v{gw.floats(),
                             gb.floats(),
                             running_mean.floats(),
                             running_var.floats(),
                             vectors.floats(),
                             vectors.floats() + channels,
                             vectors.floats() + 2 * channels,
                             1e-5F,
                             0.1F};
    const void* const residual_data = n.residual ? gr.data() : nullptr;
    if (tiling) {
        cluster_norm_forward(shape, *tiling, gx.data(), residual_data, n.relu, v, y.data(), stream.get());
    } else {
        if (synchronised) {
            batch_norm_statistics_sums(shape, gx.data(), sums.data(), scratch, stream.get());
            batch_norm_statistics_finish(shape, sums.data(), v, stream.get());
        } else {
            batch_norm_statistics(shape, gx.data(), v, scratch, stream.get());
        }
        batch_norm_apply(shape, gx.data(), residual_data, n.relu, v, y.data(), stream.get());
    }

    std::vector<Array> parts;
    BatchNormBackward backward;
    for (const Floats& part : gradients) {
        parts.emplace_back(type, part);
        backward.gradient.parts[backward.gradient.count++] = parts.back().data();
    }
    const Array dx(type, count);
    const Array masked(type, count);
    const Array dw(ElementType::f32, channels);
    const Array db(ElementType::f32, channels);
    const Array coefficients(ElementType::f32, 3 * channels);
    backward.x = gx.data();
    backward.y = n.relu && n.residual ? y.data() : nullptr;
    backward.relu = n.relu;
    backward.masked = n.residual ? masked.data() : (n.parts > 1 ? dx.data() : nullptr);
    backward.dx = dx.data();
    backward.weight_gradient = dw.floats();
    backward.bias_gradient = db.floats();
    backward.coefficients = coefficients.floats();
    if (tiling && n.parts <= kMostClusterParts) {
        backward.masked = n.residual ? masked.data() : nullptr;
        cluster_norm_backward(shape, *tiling, backward, v, stream.get());
    } else {
        if (synchronised) {
            batch_norm_backward_local_sums(shape, backward, v, backward_sums.data(), scratch, stream.get());
            batch_norm_backward_finish(shape, backward, v, backward_sums.data(), sums.data() + 2 * channels,
                                       stream.get());
        } else {
            batch_norm_backward_sums(shape, backward, v, scratch, stream.get());
        }
        batch_norm_backward_apply(shape, backward, v, stream.get());
    }
    stream.wait();

    const double loose = tolerance(type);
    expect_near(y.values(), slow.y, std::max(loose, 5e-6), "y");
    const Floats got = vectors.values();
    expect_near({got.begin(), got.begin() + n.channels}, slow.mean, 1e-6, "mean");
    Doubles mean(channels);
    Doubles variance(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        mean[c] = 0.9 + 0.1 * slow.mean[c];
        variance[c] = 1.8 + 0.1 * slow.variance[c] * static_cast<double>(n.rows) /
                                static_cast<double>(std::max<std::int64_t>(n.rows - 1, 1));
    }
    expect_near(running_mean.values(), mean, 1e-6, "running mean");
    expect_near(running_var.values(), variance, 2e-6, "running variance");
    // In 16 bits a few results near 0 have lost their sign, so that the mask differs there.
    const double sums_loose = type == ElementType::f32 ? 1e-5 : 2e-2;
    expect_near(db.values(), slow.bias_gradient, sums_loose, "bias gradient");
    expect_near(dw.values(), slow.weight_gradient, sums_loose, "weight gradient");
    Floats got_masked = masked.values();
    Floats got_dx = dx.values();
    for (const std::size_t i : slow.doubtful) {
        got_masked[i] = static_cast<float>(slow.masked[i]);
        got_dx[i] = static_cast<float>(slow.dx[i]);
    }
    if (n.residual) {
        expect_near(got_masked, slow.masked, loose, "masked gradient");
    }
    expect_near(got_dx, slow.dx, type == ElementType::f32 ? 2e-5 : 3e-2, "dx");
    for (const unsigned counter : counters.values()) {
        EXPECT_EQ(counter, 0U);
    }
}

TEST_P(BatchNormKernels, BatchNormEqualsItsSlowTwin) {
    for (const Norm& n :
         {Norm{5, 8, false, false, 1}, Norm{7, 16, false, true, 1}, Norm{300, 24, true, true, 1},
          Norm{97, 64, true, true, 3}, Norm{64, 264, false, true, 2}, Norm{33, 512, true, false, 4},
          Norm{5000, 8, false, false, 1}}) {
        check_norm(n, type(), NormKernels::passes);
        check_norm(n, type(), NormKernels::synchronised);
        check_norm(n, type(), NormKernels::cluster);
    }
}

// The cluster has from one block to all of them, threads have from one row to all that they keep.
TEST_P(BatchNormKernels, AClusterCoversAllRows) {
    for (const Norm& n :
         {Norm{256, 512, true, true, 2}, Norm{1000, 256, false, true, 1}, Norm{1700, 8, true, true, 1},
          Norm{4096, 128, true, true, 2}, Norm{8191, 24, false, true, 1}, Norm{16384, 64, true, true, 2}}) {
        check_norm(n, type(), NormKernels::cluster);
    }
    const int most = cluster_blocks();
    const int rows = std::min(2048 * most, 16384);
    EXPECT_TRUE(cluster_tiling({rows, 16, ElementType::bf16}, most));
    EXPECT_FALSE(cluster_tiling({rows + 1, 16, ElementType::bf16}, most));
    EXPECT_TRUE(cluster_tiling({rows / 2, 16, ElementType::f32}, most));
    EXPECT_FALSE(cluster_tiling({rows / 2 + 1, 16, ElementType::f32}, most));
}

TEST_P(BatchNormKernels, EvaluationUsesTheRunningStatistics) {
    constexpr int kChannels = 16;
    const BatchNormShape shape{5, kChannels, type()};
    const Floats x = rounded(noise(5 * kChannels, 1), type());
    const Floats weight = noise(kChannels, 2);
    const Floats bias = noise(kChannels, 3);
    const Floats mean = noise(kChannels, 4);
    const Floats variance = noise(kChannels, 5, 0.5F, 2.0F);
    const Stream stream;
    const Array gx(type(), x);
    const Array gw(ElementType::f32, weight);
    const Array gb(ElementType::f32, bias);
    const Array gm(ElementType::f32, mean);
    const Array gv(ElementType::f32, variance);
    const Array y(type(), x.size());
    const Array kept(ElementType::f32, 2 * kChannels);
    BatchNormVectors v;
    v.weight = gw.floats();
    v.bias = gb.floats();
    v.running_mean = gm.floats();
    v.running_var = gv.floats();
    v.mean = kept.floats();
    v.scale = kept.floats() + kChannels;
    batch_norm_evaluation(shape, v, stream.get());
    batch_norm_apply(shape, gx.data(), nullptr, false, v, y.data(), stream.get());
    stream.wait();
    Doubles wanted;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i % kChannels;
        wanted.push_back((x[i] - mean[c]) / std::sqrt(static_cast<double>(variance[c]) + 1e-5) * weight[c] +
                         bias[c]);
    }
    expect_near(y.values(), wanted, tolerance(type()), "y");
}

TEST_P(BatchNormKernels, ColumnSums) {
    for (const auto& [rows, channels] : {std::pair{1, 8}, {100, 24}, {3000, 40}, {17, 1000}}) {
        const BatchNormShape shape{rows, channels, type()};
        const Floats x = rounded(noise(static_cast<std::size_t>(rows * channels), 1), type());
        const Stream stream;
        const Array gx(type(), x);
        const Array sums(ElementType::f32, static_cast<std::size_t>(channels));
        const Array partials(ElementType::f32, batch_norm_partials(shape));
        const Objects<unsigned> counters(std::vector<unsigned>(batch_norm_counters(shape), 0U));
        column_sums(shape, gx.data(), sums.floats(), {partials.floats(), counters.data()}, stream.get());
        stream.wait();
        Doubles wanted(static_cast<std::size_t>(channels), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            wanted[i % static_cast<std::size_t>(channels)] += x[i];
        }
        expect_near(sums.values(), wanted, 2e-6, "sums");
    }
}

}  // namespace
}  // namespace rankscope::engine::cuda::test
