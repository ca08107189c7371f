// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Kernels of the CUDA backend against their slow twins; on a GPU, and on the CPU with the emulation.

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/input.h>
#include <engine/backend/cuda/loss.h>
#include <engine/backend/cuda/max_pool.h>
#include <engine/backend/cuda/stream.h>

#include <tests/engine/cuda_kernel_test.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rankscope::engine::cuda::test {
namespace {

class Kernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Types, Kernels, all_element_types(), element_type_name);

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

}  // namespace
}  // namespace rankscope::engine::cuda::test
