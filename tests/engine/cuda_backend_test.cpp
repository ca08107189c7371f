// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The CUDA backend against the slow twin and against the CPU backend; on a GPU, and on the CPU with kernels,
// streams and graphs emulated.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <tests/engine/cuda_arrays.h>
#include <tests/engine/cuda_models.h>
#include <tests/engine/slow_network.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rankscope::engine::test {
namespace {

using cuda::StepRequest;
using cuda::test::OnGpu;

struct Case {
    const char* name;
    Graph (*build)();
    std::int64_t batch;
    double smoothing = 0.0;
    double tolerance = 2e-5;  ///< of the largest element of a parameter's gradient, in fp32
};

void PrintTo(const Case& test, std::ostream* out) {
    *out << test.name;
}

class CudaAgainstTwin : public OnGpu, public testing::WithParamInterface<Case> {};

TEST_P(CudaAgainstTwin, SameLossAndGradients) {
    const Case& test = GetParam();
    const Graph graph = test.build();
    const auto model = compiled(graph, {.batch_size = 8, .label_smoothing = test.smoothing, .topk = 2});
    IndexedVector<ParameterId, Doubles> parameters;
    const CanonicalParameters initial = default_initialisation(graph, 5);
    for (const ParameterId id : initial.indices()) {
        parameters.add(widened(initial[id]));
        EXPECT_EQ(model->weight(id), initial[id])
            << graph.parameters[id].name << " does not survive its storage";
    }
    Executable& executable = model->executable(test.batch);
    fill(executable, graph, 11);
    SlowOptions options{.label_smoothing = test.smoothing, .topk = 2};
    options.targets = widened(executable.targets());
    const std::vector<std::int32_t> labels(executable.labels().begin(), executable.labels().end());
    const SlowResult slow = run_slowly(graph, parameters, widened(executable.input()), labels, options);
    // Twice: nothing of the first run may leak into the second.
    for (int repeat = 0; repeat < 2; ++repeat) {
        const BatchResult result = executable.forward();
        EXPECT_NEAR(result.loss, slow.loss, 1e-5);
        EXPECT_EQ(result.correct, slow.correct);
        EXPECT_EQ(result.correct_topk, slow.correct_topk);
        // Rounding of ResNet-18's floats: 1.01e-5 on an H200.
        EXPECT_LT(relative_distance(executable.logits(), slow.logits), 2e-5);
        std::multiset<ParameterId> reported;
        executable.backward([&](ParameterId id) { reported.insert(id); });
        for (const ParameterId id : initial.indices()) {
            EXPECT_EQ(reported.count(id), 1U) << graph.parameters[id].name;
            const std::vector<float> gradient = model->gradient(id);
            double largest = 1e-3;
            for (const double g : slow.gradients[id]) {
                largest = std::max(largest, std::abs(g));
            }
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                ASSERT_NEAR(gradient[i], slow.gradients[id][i], test.tolerance * largest + 1e-7)
                    << graph.parameters[id].name << "[" << i << "]";
            }
        }
    }
}

// As far from fp32 as the CPU backend's bf16 is (backend_test.cpp), which is as far as PyTorch's autocast is.
TEST_P(CudaAgainstTwin, SixteenBitsStayNear) {
    const Case& test = GetParam();
    const Graph graph = test.build();
    if (test.build == &resnet18_tiny_images) {
        GTEST_SKIP() << "a batch of four: its statistics are mostly rounding in 16 bits";
    }
    if (test.build == &dense_blocks) {
        GTEST_SKIP() << "eleven batch norms in a row: the first one's bias is off by 0.31; compared in fp32";
    }
    IndexedVector<ParameterId, Doubles> parameters;
    for (const std::vector<float>& initial : default_initialisation(graph, 5)) {
        parameters.add(widened(initial));
    }
    for (const Precision precision : {Precision::bf16, Precision::fp16}) {
        const auto model = compiled(graph, {.batch_size = 16, .precision = precision, .topk = 2});
        Executable& executable = model->executable(16);
        fill(executable, graph, 11);
        SlowOptions options{.topk = 2};
        options.targets = widened(executable.targets());
        const std::vector<std::int32_t> labels(executable.labels().begin(), executable.labels().end());
        const SlowResult slow = run_slowly(graph, parameters, widened(executable.input()), labels, options);
        executable.forward();
        EXPECT_LT(relative_distance(executable.logits(), slow.logits), 0.03);
        EXPECT_GT(relative_distance(executable.logits(), slow.logits), 1e-6)
            << "it did not compute in 16 bits";
        constexpr float kLossScale = 1024.0F;
        executable.backward([](ParameterId) {}, GradientMode::overwrite, kLossScale);
        for (const ParameterId id : graph.parameters.indices()) {
            std::vector<float> gradient = model->gradient(id);
            for (float& value : gradient) {
                value /= kLossScale;
            }
            EXPECT_LT(relative_distance(gradient, slow.gradients[id]), 0.3) << graph.parameters[id].name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, CudaAgainstTwin,
    ::testing::Values(Case{"tiny", tiny_net, 8}, Case{"tiny_other_batch", tiny_net, 3},
                      Case{"pools", pools_and_relus, 4}, Case{"convnet", convnet, 4}, Case{"mlp", mlp, 8},
                      Case{"smoothed", mlp, 4, 0.1}, Case{"toy", toy, 6},
                      Case{"residual_odd", residual_odd, 6, 0.0, 1e-4},
                      Case{"residual_small", residual_small, 6, 0.0, 1e-4},
                      Case{"unfused", unfused, 5, 0.0, 1e-4}, Case{"grouped", grouped, 6, 0.0, 1e-4},
                      Case{"excited", excited, 6, 0.0, 1e-4},
                      Case{"dense_blocks", dense_blocks, 6, 0.0, 1e-4},
                      Case{"language", language, 3, 0.1, 5e-5}, Case{"patches", patches, 5, 0.0, 5e-5},
                      Case{"distances", distances, 5}, Case{"forgetful", forgetful, 6, 0.0, 1e-4},
                      Case{"forgetful_language", forgetful_language, 5, 0.0, 5e-5},
                      Case{"resnet18", resnet18_tiny_images, 4, 0.0, 1e-3}),
    [](const auto& tested) { return std::string(tested.param.name); });

class CudaBackend : public OnGpu {};

TEST_F(CudaBackend, HeadsWithoutKernelsAreRefused) {
    const auto fault = [](const Graph& graph) -> std::string {
        try {
            compiled(graph, {.batch_size = 2});
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    const Graph narrow = GraphBuilder({3, 4, 4})
                             .conv2d("stem", {.out_channels = 36})
                             .attention("heads", {.heads = 2})
                             .flatten()
                             .linear("fc", 2)
                             .cross_entropy();
    EXPECT_NE(fault(narrow).find("heads: attention heads of 6 channels"), std::string::npos);
}

TEST_F(CudaBackend, StatisticsAndEvaluationEqualTheCpus) {
    const Graph graph = residual_small();
    const auto model = compiled(graph, {.batch_size = 4});
    const auto cpu = make_cpu_backend(1)->compile(graph, {.batch_size = 4});
    for (const ParameterId id : graph.parameters.indices()) {
        cpu->set_weight(id, model->weight(id));
    }
    for (std::uint64_t step = 0; step < 3; ++step) {
        for (CompiledModel* one : {model.get(), cpu.get()}) {
            fill(one->executable(4), graph, step);
            one->executable(4).forward(ForwardMode::train);
        }
    }
    for (const StatisticId id : graph.statistics.indices()) {
        const std::vector<double> wanted = cpu->statistic(id);
        const std::vector<double> got = model->statistic(id);
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], wanted[i], 1e-5 * (1.0 + std::abs(wanted[i]))) << graph.statistics[id].name;
        }
    }
    // More often than once: the second and third time it is a recorded graph.
    for (std::uint64_t seed = 20; seed < 23; ++seed) {
        fill(model->executable(4), graph, seed);
        fill(cpu->executable(4), graph, seed);
        const BatchResult got = model->executable(4).forward(ForwardMode::evaluate);
        const BatchResult wanted = cpu->executable(4).forward(ForwardMode::evaluate);
        EXPECT_NEAR(got.loss, wanted.loss, 1e-5);
        EXPECT_EQ(got.correct, wanted.correct);
        EXPECT_LT(relative_distance(model->executable(4).logits(), widened(cpu->executable(4).logits())),
                  1e-5);
    }
    EXPECT_EQ(model->statistic(StatisticId(2)), Doubles{3.0});
    model->set_statistic(StatisticId(2), Doubles{41.0});
    model->set_statistic(StatisticId(0), Doubles(32, 0.25));
    EXPECT_EQ(model->statistic(StatisticId(2)), Doubles{41.0});
    EXPECT_EQ(model->statistic(StatisticId(0)), Doubles(32, 0.25));
}

TEST_F(CudaBackend, GradientsAddUpWhenAsked) {
    const Graph graph = residual_odd();
    const auto model = compiled(graph, {.batch_size = 4});
    Executable& executable = model->executable(4);
    fill(executable, graph, 3);
    executable.forward();
    executable.backward([](ParameterId) {}, GradientMode::overwrite, 0.5F);
    const std::vector<float> half = model->gradient(ParameterId(0));
    executable.forward();
    executable.backward([](ParameterId) {}, GradientMode::accumulate, 1.0F);
    const std::vector<float> sum = model->gradient(ParameterId(0));
    double squares = 0.0;
    for (const ParameterId id : graph.parameters.indices()) {
        for (const float g : model->gradient(id)) {
            squares += static_cast<double>(g) * g;
        }
    }
    EXPECT_NEAR(model->gradient_norm(), std::sqrt(squares), 1e-6 * std::sqrt(squares));
    for (std::size_t i = 0; i < half.size(); ++i) {
        EXPECT_NEAR(sum[i], 3.0F * half[i], 1e-5F * (1.0F + std::abs(sum[i])));
    }
}

TEST_F(CudaBackend, TheFirstLayerWhoseResultIsNotFiniteIsNamed) {
    const Graph graph = residual_small();
    const auto model = compiled(graph, {.batch_size = 2});
    Executable& executable = model->executable(2);
    fill(executable, graph, 3);
    executable.forward();
    EXPECT_EQ(executable.first_non_finite(), std::nullopt);
    const auto two_b =
        std::find_if(graph.parameters.begin(), graph.parameters.end(),
                     [](const Parameter& parameter) { return parameter.name == "two.b.weight"; });
    const ParameterId id(static_cast<std::size_t>(two_b - graph.parameters.begin()));
    std::vector<float> broken = model->weight(id);
    broken[7] = std::numeric_limits<float>::infinity();
    model->set_weight(id, broken);
    executable.forward();
    EXPECT_EQ(executable.first_non_finite(), "two.b");
    executable.input()[4] = std::numeric_limits<float>::quiet_NaN();
    executable.forward();
    EXPECT_EQ(executable.first_non_finite(), "input");
}

TEST_F(CudaBackend, ALabelOutsideTheModelsClassesIsRefused) {
    const Graph graph = mlp();
    const auto model = compiled(graph, {.batch_size = 3});
    cuda::CudaExecutable& executable = on_gpu(*model).cuda_executable(3);
    fill(executable, graph, 3);
    executable.labels()[1] = 10;
    EXPECT_THROW(executable.forward(), Error);
    executable.labels()[1] = -1;
    try {
        executable.enqueue_step({});
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("sample 1 of the batch has label -1"), std::string::npos);
    }
}

TEST_F(CudaBackend, TapsThatOnlySeePaddingAreNotLive) {
    const Graph graph = resnet18_tiny_images();
    const auto model = compiled(graph, {.batch_size = 2});
    std::size_t dead = 0;
    for (const ParameterSlot& slot : model->layout().slots) {
        for (const FlatRange& live : slot.live) {
            EXPECT_EQ(live.offset, slot.offset);
            dead += slot.size - live.size;
        }
    }
    EXPECT_EQ(dead, 6946816U);
}

TEST_F(CudaBackend, BytesAndWindowsGiveWhatFloatsGive) {
    const Graph graph = residual_odd();  // 3×9×10
    const auto model = compiled(graph, {.batch_size = 3});
    std::vector<float> table(3 * 256);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<float>(i % 256) / 255.0F - 0.2F * static_cast<float>(i / 256);
    }
    cuda::CudaExecutable& executable = on_gpu(*model).cuda_executable(3);
    EXPECT_THROW(executable.take_input(SampleForm::bytes), std::logic_error);
    on_gpu(*model).memory().set_pixel_table(table);
    EXPECT_THROW(executable.take_input(SampleForm::windows), std::logic_error);
    std::vector<std::uint8_t> images(5 * 3 * 9 * 10);
    for (std::size_t i = 0; i < images.size(); ++i) {
        images[i] = static_cast<std::uint8_t>(i * 91 + 3);
    }
    ASSERT_TRUE(on_gpu(*model).memory().keep_images({3, 9, 10}, images));
    const std::vector<ImageWindow> windows{{4, 0, 0, 0}, {1, 2, -3, 1}, {0, -1, 4, 0}};
    std::vector<double> losses;
    IndexedVector<StatisticId, Doubles> statistics;
    for (const StatisticId id : graph.statistics.indices()) {
        statistics.add(model->statistic(id));
    }
    for (const SampleForm form : {SampleForm::floats, SampleForm::bytes, SampleForm::windows}) {
        executable.take_input(form);
        fill(executable, graph, 1);
        for (std::size_t n = 0; n < 3; ++n) {
            for (int c = 0; c < 3; ++c) {
                for (int y = 0; y < 9; ++y) {
                    for (int x = 0; x < 10; ++x) {
                        const int iy = windows[n].top + y;
                        const int ix = windows[n].left + (windows[n].flip != 0 ? 9 - x : x);
                        const bool inside = iy >= 0 && iy < 9 && ix >= 0 && ix < 10;
                        const std::uint8_t byte = inside
                                                      ? images[static_cast<std::size_t>(
                                                            ((windows[n].image * 3 + c) * 9 + iy) * 10 + ix)]
                                                      : std::uint8_t{0};
                        const std::size_t to = n * 270 + static_cast<std::size_t>(c * 90 + y * 10 + x);
                        executable.input()[to] = table[static_cast<std::size_t>(c) * 256 + byte];
                        executable.byte_input()[to] = byte;
                    }
                }
            }
            executable.windows()[n] = windows[n];
        }
        losses.push_back(executable.forward(ForwardMode::evaluate).loss);
        losses.push_back(executable.forward(ForwardMode::evaluate).loss);  // recorded
        StepRequest request;
        request.update = false;
        executable.enqueue_step(request);
        losses.push_back(executable.next_result().batch.loss);
        for (const StatisticId id : graph.statistics.indices()) {
            model->set_statistic(id, statistics[id]);
        }
    }
    for (std::size_t i = 3; i < losses.size(); ++i) {
        EXPECT_EQ(losses[i], losses[i % 3]);
    }
    fill(executable, graph, 1);
    executable.windows()[1].image = 5;
    EXPECT_THROW(executable.forward(), Error);
}

TEST_F(CudaBackend, SynchronisedBatchNormsOfOneRankAreBatchNorms) {
    const Graph graph = residual_odd();
    CompileOptions options{.batch_size = 4};
    const auto alone = compiled(graph, options);
    std::size_t sums = 0;
    options.enqueue_sum = [&](std::span<double> values, void*) { sums += values.size(); };
    const auto synchronised = compiled(graph, options);
    train_whole(*alone, graph, 4, 3);
    train_whole(*synchronised, graph, 4, 3);
    EXPECT_LT(largest_distance(graph, *synchronised, *alone), 1e-5);
    EXPECT_GT(sums, 0U);
    options.enqueue_sum = {};
    options.sum_across_ranks = [](std::span<double>) {};
    EXPECT_THROW(compiled(graph, options), ConfigError);
}

}  // namespace
}  // namespace rankscope::engine::test
