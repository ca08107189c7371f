// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Every kernel of the CUDA backend against its slow twin; on a GPU, and on the CPU with the emulation.

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/input.h>
#include <engine/backend/cuda/loss.h>
#include <engine/backend/cuda/max_pool.h>
#include <engine/backend/cuda/optimizer.h>
#include <engine/backend/cuda/stream.h>
#include <engine/optim/loss_scale.h>
#include <engine/optim/optimizer_update.h>

#include <tests/engine/cuda_arrays.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rankscope::engine::cuda::test {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Of a result that is rounded once to the type.
double tolerance(ElementType type) {
    return type == ElementType::f32 ? 2e-6 : (type == ElementType::bf16 ? 8e-3 : 1e-3);
}

/// Compares with a tolerance relative to the largest expected value.
void expect_near(const Floats& got, const Doubles& wanted, double relative, const char* what) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    double largest = 1e-6;
    for (const double value : wanted) {
        largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], wanted[i], relative * largest) << what << "[" << i << "]";
    }
}

class Kernels : public OnGpu, public testing::WithParamInterface<ElementType> {
protected:
    ElementType type() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Types, Kernels,
                         testing::Values(ElementType::f32, ElementType::bf16, ElementType::f16),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

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

void check_norm(const Norm& n, ElementType type, bool synchronised) {
    SCOPED_TRACE(testing::Message() << n.rows << " rows, " << n.channels << " channels, residual "
                                    << n.residual << ", relu " << n.relu << ", parts " << n.parts);
    const BatchNormShape shape{n.rows, n.channels, type};
    const auto count = static_cast<std::size_t>(n.rows * n.channels);
    const auto channels = static_cast<std::size_t>(n.channels);
    // Far from 0, as sums of squares do not like it. The mask must not hang on a rounding: few results are
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
    if (synchronised) {
        batch_norm_statistics_sums(shape, gx.data(), sums.data(), scratch, stream.get());
        batch_norm_statistics_finish(shape, sums.data(), v, stream.get());
    } else {
        batch_norm_statistics(shape, gx.data(), v, scratch, stream.get());
    }
    batch_norm_apply(shape, gx.data(), n.residual ? gr.data() : nullptr, n.relu, v, y.data(), stream.get());

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
    if (synchronised) {
        batch_norm_backward_local_sums(shape, backward, v, backward_sums.data(), scratch, stream.get());
        batch_norm_backward_finish(shape, backward, v, backward_sums.data(), sums.data() + 2 * channels,
                                   stream.get());
    } else {
        batch_norm_backward_sums(shape, backward, v, scratch, stream.get());
    }
    batch_norm_backward_apply(shape, backward, v, stream.get());
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
    if (n.residual) {
        expect_near(masked.values(), slow.masked, loose, "masked gradient");
    }
    expect_near(dx.values(), slow.dx, type == ElementType::f32 ? 2e-5 : 3e-2, "dx");
    for (const unsigned counter : counters.values()) {
        EXPECT_EQ(counter, 0U);
    }
}

TEST_P(Kernels, BatchNormEqualsItsSlowTwin) {
    for (const Norm& n :
         {Norm{5, 8, false, false, 1}, Norm{7, 16, false, true, 1}, Norm{300, 24, true, true, 1},
          Norm{97, 64, true, true, 3}, Norm{64, 264, false, true, 2}, Norm{33, 512, true, false, 4},
          Norm{5000, 8, false, false, 1}}) {
        check_norm(n, type(), false);
        check_norm(n, type(), true);
    }
}

TEST_P(Kernels, EvaluationUsesTheRunningStatistics) {
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

TEST_P(Kernels, ColumnSums) {
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

TEST_P(Kernels, MaxPoolEqualsItsSlowTwin) {
    for (const PoolShape& shape :
         {PoolShape{2, 8, 6, 16, type(), 2, 2, 0, true}, PoolShape{1, 7, 9, 8, type(), 3, 2, 1, false},
          PoolShape{3, 5, 5, 24, type(), 2, 1, 0, true}, PoolShape{1, 4, 4, 8, type(), 3, 3, 1, true}}) {
        const auto at = [&](int n, int y, int x, int c, int height, int width) {
            return static_cast<std::size_t>(((n * height + y) * width + x) * shape.channels + c);
        };
        const auto in_count =
            static_cast<std::size_t>(shape.batch * shape.height * shape.width * shape.channels);
        const int oh = shape.out_height();
        const int ow = shape.out_width();
        const auto out_count = static_cast<std::size_t>(shape.batch * oh * ow * shape.channels);
        Floats x = rounded(noise(in_count, 1, -2.0F, 1.0F), type());
        x[3] = kNaN;
        const Floats g = rounded(noise(out_count, 2), type());
        Doubles y(out_count);
        Doubles dx(in_count, 0.0);
        for (int n = 0; n < shape.batch; ++n) {
            for (int oy = 0; oy < oh; ++oy) {
                for (int ox = 0; ox < ow; ++ox) {
                    for (int c = 0; c < shape.channels; ++c) {
                        double best = -std::numeric_limits<double>::infinity();
                        std::size_t from = in_count;
                        for (int k = 0; k < shape.kernel * shape.kernel; ++k) {
                            const int iy = oy * shape.stride - shape.padding + k / shape.kernel;
                            const int ix = ox * shape.stride - shape.padding + k % shape.kernel;
                            if (iy < 0 || iy >= shape.height || ix < 0 || ix >= shape.width) {
                                continue;
                            }
                            const std::size_t here = at(n, iy, ix, c, shape.height, shape.width);
                            if (!std::isnan(best) && (x[here] > best || std::isnan(x[here]))) {
                                best = x[here];
                                from = here;
                            }
                        }
                        const bool cut = shape.relu && best <= 0.0;
                        y[at(n, oy, ox, c, oh, ow)] = cut ? 0.0 : best;
                        if (!cut) {
                            dx[from] += g[at(n, oy, ox, c, oh, ow)];
                        }
                    }
                }
            }
        }
        const Stream stream;
        const Array gx(type(), x);
        const Array gy(type(), out_count);
        const Array gg(type(), g);
        const Array gdx(type(), in_count);
        const Objects<std::int8_t> origin(std::vector<std::int8_t>(out_count, -9));
        max_pool_forward(shape, gx.data(), gy.data(), origin.data(), stream.get());
        max_pool_backward(shape, gg.data(), origin.data(), gdx.data(), stream.get());
        stream.wait();
        const Floats got = gy.values();
        for (std::size_t i = 0; i < out_count; ++i) {
            ASSERT_TRUE(got[i] == static_cast<float>(y[i]) || (std::isnan(got[i]) && std::isnan(y[i]))) << i;
        }
        expect_near(gdx.values(), dx, tolerance(type()), "dx");
    }
}

TEST_P(Kernels, AveragePool) {
    const PoolShape shape{3, 4, 5, 16, type()};
    const auto count = static_cast<std::size_t>(3 * 4 * 5 * 16);
    const Floats x = rounded(noise(count, 1), type());
    const Floats g = rounded(noise(3 * 16, 2), type());
    Doubles means(3 * 16, 0.0);
    Doubles dx;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t mean = i / (16 * 20) * 16 + i % 16;
        means[mean] += x[i] / 20.0;
        dx.push_back(g[mean] / 20.0);
    }
    const Stream stream;
    const Array gx(type(), x);
    const Array gm(type(), means.size());
    const Array gg(type(), g);
    const Array gdx(type(), count);
    average_pool_forward(shape, gx.data(), gm.data(), stream.get());
    average_pool_backward(shape, gg.data(), gdx.data(), stream.get());
    stream.wait();
    expect_near(gm.values(), means, tolerance(type()), "means");
    expect_near(gdx.values(), dx, tolerance(type()), "dx");
}

TEST_P(Kernels, ElementByElement) {
    constexpr std::size_t kCount = 8 * 700;
    constexpr int kChannels = 56;
    const Floats a = rounded(noise(kCount, 1), type());
    const Floats b = rounded(noise(kCount, 2), type());
    const Floats c = rounded(noise(kCount, 3), type());
    const Floats bias = rounded(noise(kChannels, 4), type());
    const Stream stream;
    const Array ga(type(), a);
    const Array gb(type(), b);
    const Array gc(type(), c);
    const Array gbias(type(), bias);
    const Array relu(type(), kCount);
    const Array sum(type(), kCount);
    const Array masked(type(), kCount);
    const Array biased(type(), a);
    const Array clamped_only(type(), a);
    const Array scaled(type(), a);
    relu_forward(type(), kCount, ga.data(), relu.data(), stream.get());
    add(type(), kCount, ga.data(), gb.data(), true, sum.data(), stream.get());
    GradientParts parts;
    parts.parts[0] = gb.data();
    parts.parts[1] = gc.data();
    parts.count = 2;
    gradient_sum(type(), kCount, parts, ga.data(), masked.data(), stream.get());
    add_bias(type(), kCount / kChannels, kChannels, gbias.data(), true, biased.data(), stream.get());
    add_bias(type(), kCount / kChannels, kChannels, nullptr, true, clamped_only.data(), stream.get());
    scale(type(), kCount, 0.25F, scaled.data(), stream.get());
    stream.wait();
    Doubles w_relu;
    Doubles w_sum;
    Doubles w_masked;
    Doubles w_biased;
    Doubles w_scaled;
    for (std::size_t i = 0; i < kCount; ++i) {
        w_relu.push_back(std::max(a[i], 0.0F));
        w_sum.push_back(std::max(a[i] + b[i], 0.0F));
        w_masked.push_back(a[i] > 0.0F ? b[i] + c[i] : 0.0F);
        w_biased.push_back(std::max(a[i] + bias[i % kChannels], 0.0F));
        w_scaled.push_back(a[i] * 0.25F);
    }
    expect_near(relu.values(), w_relu, 0.0, "relu");
    expect_near(sum.values(), w_sum, tolerance(type()), "sum");
    expect_near(masked.values(), w_masked, tolerance(type()), "masked");
    expect_near(biased.values(), w_biased, tolerance(type()), "biased");
    expect_near(clamped_only.values(), w_relu, 0.0, "clamped");
    expect_near(scaled.values(), w_scaled, tolerance(type()), "scaled");
}

TEST_P(Kernels, ConversionsAndNumbersThatAreNotFinite) {
    Floats values = noise(8 * 90, 1);
    const Stream stream;
    const Array floats(ElementType::f32, values);
    const Array there(type(), values.size());
    const Array back(ElementType::f32, values.size());
    from_floats(type(), static_cast<std::int64_t>(values.size()), floats.floats(), there.data(),
                stream.get());
    to_floats(type(), static_cast<std::int64_t>(values.size()), there.data(), back.floats(), stream.get());
    add_floats(static_cast<std::int64_t>(values.size()), floats.floats(), back.floats(), stream.get());
    stream.wait();
    const Floats got = back.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(got[i], rounded(values[i], type()) + values[i]);
    }
    values[5] = kNaN;
    values[700] = -std::numeric_limits<float>::infinity();
    const Array broken(type(), values);
    const Objects<unsigned> found(std::vector<unsigned>{0U});
    count_non_finite(type(), static_cast<std::int64_t>(values.size()), broken.data(), found.data(),
                     stream.get());
    stream.wait();
    EXPECT_EQ(found.values().front(), 2U);
}

TEST_P(Kernels, CrossEntropyEqualsTheCpus) {
    for (const auto& [batch, classes] : {std::pair{1, 10}, {37, 10}, {9, 100}, {3, 1000}}) {
        for (const float smoothing : {0.0F, 0.1F}) {
            const int width = static_cast<int>(padded(classes));
            Floats logits(static_cast<std::size_t>(batch * width), 0.0F);
            Floats dense;
            const Floats random = noise(static_cast<std::size_t>(batch * classes), 1, -4.0F, 4.0F);
            std::vector<std::int32_t> labels;
            for (int row = 0; row < batch; ++row) {
                for (int c = 0; c < classes; ++c) {
                    const float value = random[static_cast<std::size_t>(row * classes + c)];
                    logits[static_cast<std::size_t>(row * width + c)] = value;
                    dense.push_back(value);
                }
                labels.push_back(row * 7 % classes);
            }
            Floats wanted(dense.size());
            const BatchResult cpu = cpu::cross_entropy({classes, 5, smoothing}, dense, labels, wanted);
            constexpr float kScale = 8.0F;
            const Stream stream;
            const Array glogits(ElementType::f32, logits);
            const Objects<std::int32_t> glabels(labels);
            const Objects<const std::int32_t*> pointer(std::vector<const std::int32_t*>{glabels.data()});
            const Array scale_factor(ElementType::f32, Floats{kScale});
            const Array gradient(type(), logits.size());
            const Objects<LossTotals> totals(std::vector<LossTotals>(1));
            const Objects<unsigned> counter(std::vector<unsigned>{0U});
            const Objects<std::byte> rows(std::vector<std::byte>(loss_scratch_bytes(batch)));
            const LossShape shape{batch, classes, width, 5, smoothing, type()};
            for (int repeat = 0; repeat < 2; ++repeat) {
                cross_entropy(shape, glogits.floats(), pointer.data(), scale_factor.floats(), gradient.data(),
                              totals.data(), {rows.data(), counter.data()}, stream.get());
            }
            stream.wait();
            const LossTotals got = totals.values().front();
            EXPECT_NEAR(got.loss, cpu.loss, 2e-6 * std::abs(cpu.loss));
            EXPECT_EQ(got.correct, cpu.correct);
            EXPECT_EQ(got.correct_topk, cpu.correct_topk);
            Doubles padded_gradient(logits.size(), 0.0);
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const auto c = i % static_cast<std::size_t>(classes);
                padded_gradient[i / static_cast<std::size_t>(classes) * static_cast<std::size_t>(width) + c] =
                    wanted[i] * kScale;
            }
            expect_near(gradient.values(), padded_gradient, std::max(tolerance(type()), 5e-6), "gradient");
        }
    }
}

TEST_P(Kernels, MeanSquaredErrorEqualsTheCpus) {
    constexpr int kBatch = 21;
    constexpr int kOutputs = 5;
    const Floats outputs = noise(kBatch * kOutputs, 1);
    const Floats targets = noise(kBatch * kOutputs, 2);
    Floats wanted(outputs.size());
    const BatchResult cpu = cpu::mean_squared_error(outputs, targets, wanted);
    Floats stored(kBatch * 8, 0.0F);
    Doubles stored_gradient(kBatch * 8, 0.0);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        stored[i / kOutputs * 8 + i % kOutputs] = outputs[i];
        stored_gradient[i / kOutputs * 8 + i % kOutputs] = wanted[i];
    }
    const Stream stream;
    const Array gout(ElementType::f32, stored);
    const Array gtargets(ElementType::f32, targets);
    const Objects<const float*> pointer(std::vector<const float*>{gtargets.floats()});
    const Array one(ElementType::f32, Floats{1.0F});
    const Array gradient(type(), stored.size());
    const Objects<LossTotals> totals(std::vector<LossTotals>(1));
    const Objects<unsigned> counter(std::vector<unsigned>{0U});
    const Objects<std::byte> rows(std::vector<std::byte>(loss_scratch_bytes(kBatch)));
    mean_squared_error({kBatch, kOutputs, 8, 1, 0.0F, type()}, gout.floats(), pointer.data(), one.floats(),
                       gradient.data(), totals.data(), {rows.data(), counter.data()}, stream.get());
    stream.wait();
    EXPECT_NEAR(totals.values().front().loss, cpu.loss, 1e-6 * cpu.loss);
    expect_near(gradient.values(), stored_gradient, tolerance(type()), "gradient");
}

TEST_P(Kernels, InputsOfEveryForm) {
    const InputShape shape{4, 3, 6, 5, type()};
    const std::size_t pixels = 6 * 5;
    const Floats floats = noise(4 * 3 * pixels, 1);
    std::vector<std::uint8_t> bytes(4 * 3 * pixels);
    Floats table(3 * 256);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<float>(i % 256) / 255.0F - 0.1F * static_cast<float>(i / 256);
    }
    // Images of 7×9 pixels, from which 6×5 are drawn.
    std::vector<std::uint8_t> kept(5 * 3 * 7 * 9);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i] = static_cast<std::uint8_t>(i * 101 + 7);
    }
    const std::vector<ImageWindow> windows{{4, 0, 0, 0}, {0, -2, 3, 1}, {2, 3, -4, 0}, {1, 1, 6, 1}};
    const Stream stream;
    const Array gfloats(ElementType::f32, floats);
    const Objects<std::uint8_t> gbytes(bytes);
    const Objects<std::uint8_t> gkept(kept);
    const Objects<ImageWindow> gdraws(windows);
    const Array gtable(ElementType::f32, table);
    const Objects<const float*> floats_at(std::vector<const float*>{gfloats.floats()});
    const Objects<const std::uint8_t*> bytes_at(std::vector<const std::uint8_t*>{gbytes.data()});
    const Objects<const ImageWindow*> draws_at(std::vector<const ImageWindow*>{gdraws.data()});
    const std::size_t count = 4 * pixels * 8;
    const Array from_f(type(), count);
    const Array from_b(type(), count);
    const Array from_d(type(), count);
    input_from_floats(shape, floats_at.data(), from_f.data(), stream.get());
    input_from_bytes(shape, bytes_at.data(), gtable.floats(), from_b.data(), stream.get());
    input_from_windows(shape, draws_at.data(), {gkept.data(), 7, 9}, gtable.floats(), from_d.data(),
                       stream.get());
    stream.wait();
    Doubles wanted_f(count, 0.0);
    Doubles wanted_b(count, 0.0);
    Doubles wanted_d(count, 0.0);
    for (int n = 0; n < 4; ++n) {
        for (int c = 0; c < 3; ++c) {
            for (int y = 0; y < 6; ++y) {
                for (int x = 0; x < 5; ++x) {
                    const auto to = static_cast<std::size_t>(((n * 6 + y) * 5 + x) * 8 + c);
                    const auto from = static_cast<std::size_t>(((n * 3 + c) * 6 + y) * 5 + x);
                    wanted_f[to] = floats[from];
                    wanted_b[to] = table[static_cast<std::size_t>(c) * 256 + bytes[from]];
                    const ImageWindow& window = windows[static_cast<std::size_t>(n)];
                    const int iy = window.top + y;
                    const int ix = window.left + (window.flip != 0 ? 4 - x : x);
                    std::size_t byte = 0;
                    if (iy >= 0 && iy < 7 && ix >= 0 && ix < 9) {
                        byte = kept[static_cast<std::size_t>(((window.image * 3 + c) * 7 + iy) * 9 + ix)];
                    }
                    wanted_d[to] = table[static_cast<std::size_t>(c) * 256 + byte];
                }
            }
        }
    }
    expect_near(from_f.values(), wanted_f, tolerance(type()), "floats");
    expect_near(from_b.values(), wanted_b, tolerance(type()), "bytes");
    expect_near(from_d.values(), wanted_d, tolerance(type()), "windows");
}

TEST_P(Kernels, OutputsThereAndBack) {
    const InputShape shape{3, 5, 2, 3, type()};
    constexpr std::int64_t kRow = 32;
    const Floats stored = rounded(noise(3 * 6 * 8, 1), type());
    const Floats gradient = rounded(noise(3 * kRow, 2), type());
    const Stream stream;
    const Array gstored(type(), stored);
    const Array floats(ElementType::f32, 3 * kRow);
    const Array ggradient(type(), gradient);
    const Array back(type(), stored.size());
    output_to_floats(shape, gstored.data(), kRow, floats.floats(), stream.get());
    output_gradient(shape, ggradient.data(), kRow, back.data(), stream.get());
    stream.wait();
    Doubles wanted(3 * kRow, 0.0);
    Doubles wanted_back(stored.size(), 0.0);
    for (std::size_t n = 0; n < 3; ++n) {
        for (std::size_t c = 0; c < 5; ++c) {
            for (std::size_t p = 0; p < 6; ++p) {
                wanted[n * kRow + c * 6 + p] = stored[(n * 6 + p) * 8 + c];
                wanted_back[(n * 6 + p) * 8 + c] = gradient[n * kRow + c * 6 + p];
            }
        }
    }
    expect_near(floats.values(), wanted, 0.0, "floats");
    expect_near(back.values(), wanted_back, 0.0, "back");
}

/// Parameters of the optimizer's tests: lines of 16, every third not decayed, every fifth without gradient.
struct FlatCase {
    static constexpr std::size_t kCount = 16 * 300;
    Floats parameters = noise(kCount, 1);
    Floats gradients = noise(kCount, 2, -0.5F, 0.5F);
    Floats first = noise(kCount, 3, -0.1F, 0.1F);
    Floats second = noise(kCount, 4, 0.0F, 0.1F);
    std::vector<std::uint8_t> lines;

    FlatCase() {
        for (std::size_t line = 0; line < kCount / 16; ++line) {
            const bool live = line % 5 != 4;
            lines.push_back(static_cast<std::uint8_t>((line % 3 != 2 ? kDecayed : 0) | (live ? kLive : 0)));
            for (std::size_t i = 0; !live && i < 16; ++i) {
                gradients[line * 16 + i] = 0.0F;
            }
        }
    }
};

TEST_P(Kernels, OptimizersEqualTheCpus) {
    std::vector<OptimizerStep> steps(5);
    steps[0].momentum = 0.0;
    steps[1].momentum = 0.9;
    steps[1].nesterov = true;
    steps[2].momentum = 0.8;
    steps[2].dampening = 0.3;
    steps[3].kind = OptimizerKind::adam;
    steps[4].kind = OptimizerKind::adamw;
    for (OptimizerStep& step : steps) {
        step.lr = 0.05;
        step.weight_decay = 0.02;
        step.gradient_scale = 0.5;
        step.clip_value = 0.2;
    }
    for (OptimizerStep step : steps) {
        FlatCase flat;
        const int arrays = optimizer_state_count(step.kind, step.momentum);
        const Stream stream;
        const Objects<std::uint8_t> lines(flat.lines);
        const Array gradients(ElementType::f32, flat.gradients);
        const Array parameters(ElementType::f32, flat.parameters);
        const Array first(ElementType::f32, flat.first);
        const Array second(ElementType::f32, flat.second);
        const Array copy(type(), flat.parameters);
        for (step.step = 1; step.step <= 3; ++step.step) {
            for (std::size_t line = 0; line < flat.lines.size(); ++line) {
                const auto part = [&](Floats& of, bool there) {
                    return there ? std::span<float>(of).subspan(line * 16, 16) : std::span<float>();
                };
                optimizer_update(step, (flat.lines[line] & kDecayed) != 0, part(flat.gradients, true),
                                 part(flat.parameters, true),
                                 {part(flat.first, arrays > 0), part(flat.second, arrays > 1)});
            }
            UpdateNumbers numbers;
            set_update_numbers(step, numbers);
            const Objects<UpdateNumbers> device(std::vector<UpdateNumbers>{numbers});
            FlatParameters all;
            all.lines = lines.data();
            all.gradients = gradients.floats();
            all.parameters = parameters.floats();
            all.first = arrays > 0 ? first.floats() : nullptr;
            all.second = arrays > 1 ? second.floats() : nullptr;
            all.copy = type() == ElementType::f32 ? nullptr : copy.data();
            all.copy_type = type();
            // In two ranges, as buckets are.
            all.end = 16 * 113;
            update_parameters(step.kind, all, device.data(), nullptr, stream.get());
            all.begin = all.end;
            all.end = FlatCase::kCount;
            update_parameters(step.kind, all, device.data(), nullptr, stream.get());
            stream.wait();
        }
        const auto widened = [](const Floats& of) { return Doubles(of.begin(), of.end()); };
        expect_near(parameters.values(), widened(flat.parameters), 1e-6, "parameters");
        if (arrays > 0) {
            expect_near(first.values(), widened(flat.first), 1e-6, "first");
        }
        if (arrays > 1) {
            expect_near(second.values(), widened(flat.second), 1e-6, "second");
        }
        if (type() != ElementType::f32) {
            EXPECT_EQ(copy.values(), rounded(parameters.values(), type()));
        }
    }
}

class Norms : public OnGpu {};

TEST_F(Norms, NormClippingAndLossScale) {
    FlatCase flat;
    const Stream stream;
    const Objects<std::uint8_t> lines(flat.lines);
    const Array partials(ElementType::f32, Floats(2 * kNormBlocks, 0.0F));
    const Objects<unsigned> counter(std::vector<unsigned>{0U});
    const NormScratch scratch{static_cast<double*>(partials.data()), counter.data()};
    const auto measure = [&](const Floats& values, const OptimizerStep& step, double clip,
                             DeviceLossScale* scale) {
        const Array gradients(ElementType::f32, values);
        UpdateNumbers numbers;
        set_update_numbers(step, numbers);
        const Objects<UpdateNumbers> device(std::vector<UpdateNumbers>{numbers});
        const Objects<UpdateReport> report(std::vector<UpdateReport>(1));
        FlatParameters all;
        all.end = FlatCase::kCount;
        all.lines = lines.data();
        all.gradients = gradients.floats();
        measure_gradients(all, {clip, scale}, device.data(), report.data(), scratch, stream.get());
        stream.wait();
        return std::pair(device.values().front(), report.values().front());
    };
    double squares = 0.0;
    for (const float g : flat.gradients) {
        squares += static_cast<double>(g) * g;
    }
    const double norm = std::sqrt(squares);
    OptimizerStep step;
    step.gradient_scale = 0.5;
    auto [numbers, report] = measure(flat.gradients, step, 0.0, nullptr);
    EXPECT_NEAR(report.norm, norm * 0.5, 1e-6 * norm);
    EXPECT_FLOAT_EQ(numbers.gradient_scale, 0.5F);
    std::tie(numbers, report) = measure(flat.gradients, step, 1.0, nullptr);
    EXPECT_NEAR(numbers.gradient_scale, 0.5 / (norm * 0.5 + 1e-6), 1e-6);
    std::tie(numbers, report) = measure(flat.gradients, step, 1e6, nullptr);
    EXPECT_FLOAT_EQ(numbers.gradient_scale, 0.5F);

    // The loss scale follows the host's rule: halved at an overflow, doubled after so many updates.
    DeviceLossScale initial;
    initial.scale = 1024.0F;
    initial.growth_interval = 2;
    LossScale host{.scale = 1024.0, .growth_interval = 2};
    const Objects<DeviceLossScale> scale_on_device(std::vector<DeviceLossScale>{initial});
    Floats broken = flat.gradients;
    broken[1] = std::numeric_limits<float>::infinity();
    std::int64_t left_out = 0;
    for (int i = 0; i < 7; ++i) {
        const bool finite = i != 2 && i != 3;
        const auto used = static_cast<float>(host.scale);
        step.step = i + 1;
        step.kind = OptimizerKind::adam;
        std::tie(numbers, report) =
            measure(finite ? flat.gradients : broken, step, 0.0, scale_on_device.data());
        const bool updated = update_loss_scale(host, finite);
        EXPECT_EQ(report.updated != 0, updated) << i;
        EXPECT_EQ(numbers.skip == 0, updated) << i;
        EXPECT_FLOAT_EQ(report.loss_scale, used) << i;
        EXPECT_FLOAT_EQ(scale_on_device.values().front().scale, static_cast<float>(host.scale)) << i;
        if (updated) {
            EXPECT_NEAR(report.norm, norm * 0.5 / used, 1e-6 * norm / used) << i;
            // Adam's correction counts the updates that were made.
            UpdateNumbers wanted;
            OptimizerStep made = step;
            made.step = i + 1 - left_out;
            set_update_numbers(made, wanted);
            EXPECT_FLOAT_EQ(numbers.size, wanted.size) << i;
        } else {
            ++left_out;
        }
    }
    EXPECT_EQ(counter.values().front(), 0U);
}

}  // namespace
}  // namespace rankscope::engine::cuda::test
