// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Whole steps of the CUDA backend: equal to their parts and to the CPU backend's; on a GPU, and on the CPU with
// kernels, streams and graphs emulated.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/ddp/buckets.h>
#include <engine/optim/loss_scale.h>

#include <tests/engine/cuda_arrays.h>
#include <tests/engine/cuda_models.h>
#include <tests/engine/slow_network.h>
#include <tests/engine/small_networks.h>

#include <cmath>
#include <string>
#include <tuple>

namespace rankscope::engine::test {
namespace {

using cuda::StepReduction;
using cuda::StepRequest;
using cuda::StepResult;
using cuda::WirePart;
using cuda::test::OnGpu;

struct Network {
    const char* name;
    Graph (*build)();
};
void PrintTo(const Network& network, std::ostream* out) {
    *out << network.name;
}
class CudaTraining : public OnGpu, public testing::WithParamInterface<std::tuple<Network, Precision>> {};

// A step of the CPU backend, made of its parts, is what a whole step must be.
TEST_P(CudaTraining, WholeStepsEqualTheCpus) {
    const auto& [network, precision] = GetParam();
    const Graph graph = network.build();
    constexpr std::int64_t kBatch = 12;
    constexpr int kSteps = 4;
    const auto model = compiled(graph, {.batch_size = kBatch, .precision = precision});
    const auto cpu = make_cpu_backend(1)->compile(graph, {.batch_size = kBatch});
    for (const ParameterId id : graph.parameters.indices()) {
        cpu->set_weight(id, model->weight(id));
    }
    const std::vector<StepResult> results = train_whole(*model, graph, kBatch, kSteps);
    const bool exact = precision == Precision::fp32;
    for (int i = 1; i <= kSteps; ++i) {
        Executable& executable = cpu->executable(kBatch);
        fill(executable, graph, static_cast<std::uint64_t>(i));
        const BatchResult wanted = executable.forward();
        executable.backward([](ParameterId) {});
        cpu->optimizer_step(training_step(i));
        const StepResult& got = results[static_cast<std::size_t>(i - 1)];
        EXPECT_NEAR(got.batch.loss, wanted.loss, (exact ? 1e-4 : 3e-2) * (1.0 + wanted.loss)) << "step " << i;
        EXPECT_TRUE(got.updated);
        if (exact) {
            EXPECT_EQ(got.batch.correct, wanted.correct) << "step " << i;
        }
    }
    if (exact) {
        EXPECT_LT(largest_distance(graph, *model, *cpu), 1e-4);
    } else {
        // Roundings grow from step to step, most in batch norms' small vectors: all parameters together.
        EXPECT_LT(relative_distance(all_weights(graph, *model), widened(all_weights(graph, *cpu))), 0.05);
    }
    for (const StatisticId id : graph.statistics.indices()) {
        if (graph.statistics[id].kind == Statistic::Kind::batches_tracked) {
            EXPECT_EQ(model->statistic(id), Doubles{kSteps});
        }
    }
    // The optimizer's memory is PyTorch's, by name.
    EXPECT_EQ(model->optimizer_state("exp_avg", ParameterId(0)), std::vector<float>());
    const std::vector<float> momentum = model->optimizer_state("momentum_buffer", ParameterId(0));
    ASSERT_EQ(momentum.size(), cpu->optimizer_state("momentum_buffer", ParameterId(0)).size());
    if (exact) {
        EXPECT_LT(
            relative_distance(momentum, widened(cpu->optimizer_state("momentum_buffer", ParameterId(0)))),
            1e-3);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, CudaTraining,
    ::testing::Combine(::testing::Values(Network{"tiny", tiny_net}, Network{"residual_odd", residual_odd},
                                         Network{"residual_small", residual_small},
                                         Network{"unfused", unfused}, Network{"mlp", mlp},
                                         Network{"toy", toy}, Network{"language", language},
                                         Network{"patches", patches}, Network{"distances", distances}),
                       ::testing::Values(Precision::fp32, Precision::tf32, Precision::bf16)),
    [](const auto& tested) {
        const Precision precision = std::get<1>(tested.param);
        return std::string(std::get<0>(tested.param).name) + (precision == Precision::fp32   ? "_fp32"
                                                              : precision == Precision::tf32 ? "_tf32"
                                                                                             : "_bf16");
    });

class CudaSteps : public OnGpu {};

// The same kernels in the same order give the same bits, whether they are recorded or not, on one stream or
// on three.
TEST_F(CudaSteps, RecordedStepsEqualEnqueuedOnesAndTheirParts) {
    const Graph graph = residual_small();
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
        std::vector<std::vector<std::vector<float>>> weights;
        for (const bool graphs : {true, false}) {
            CudaOptions options = plain_options();
            options.graphs = graphs;
            const auto model = compiled(graph, {.batch_size = 6, .precision = precision}, options);
            train_whole(*model, graph, 6, 5);
            weights.push_back(weights_of(graph, *model));
        }
        const auto model = compiled(graph, {.batch_size = 6, .precision = precision});
        for (int i = 1; i <= 5; ++i) {
            Executable& executable = model->executable(6);
            fill(executable, graph, static_cast<std::uint64_t>(i));
            executable.forward();
            executable.backward([](ParameterId) {});
            model->optimizer_step(training_step(i));
        }
        weights.push_back(weights_of(graph, *model));
        EXPECT_EQ(weights[0], weights[1]) << "recorded and enqueued";
        EXPECT_EQ(weights[0], weights[2]) << "whole steps and their parts";
    }
}

/// A convolution whose result is one pixel: eight of its nine taps only ever see padding.
Graph mostly_idle() {
    return GraphBuilder({3, 2, 2})
        .conv2d("a", {.out_channels = 8, .kernel = 3, .stride = 2, .padding = 1})
        .relu()
        .conv2d("b", {.out_channels = 24, .kernel = 3, .padding = 1})
        .flatten()
        .linear("f", 4)
        .cross_entropy();
}

// Parameters without a gradient make their updates later, many in one pass, with the same bits.
TEST_F(CudaSteps, ParametersWithoutAGradientCatchUp) {
    const Graph graph = mostly_idle();
    std::vector<OptimizerStep> optimizers(3);
    optimizers[0].momentum = 0.9;
    optimizers[0].nesterov = true;
    optimizers[1].momentum = 0.0;
    optimizers[2].kind = OptimizerKind::adamw;
    for (OptimizerStep step : optimizers) {
        step.weight_decay = 0.01;
        const auto whole = compiled(graph, {.batch_size = 4, .precision = Precision::bf16});
        const auto parts = compiled(graph, {.batch_size = 4, .precision = Precision::bf16});
        const std::vector<std::vector<float>> initial = weights_of(graph, *whole);
        const auto live = whole->layout().slots[ParameterId(2)].live;
        ASSERT_EQ(live.size(), 1U) << "the convolution b has taps without data";
        // More than are noted at once, and not all of them.
        constexpr int kSteps = static_cast<int>(cuda::IdleUpdates::kMost) + 20;
        for (int i = 1; i <= kSteps; ++i) {
            step.step = i;
            step.lr = 0.02 / (1.0 + 0.01 * i);
            StepRequest request;
            request.optimizer = step;
            fill(whole->executable(4), graph, static_cast<std::uint64_t>(i % 5));
            on_gpu(*whole).cuda_executable(4).enqueue_step(request);
            on_gpu(*whole).cuda_executable(4).next_result();
            fill(parts->executable(4), graph, static_cast<std::uint64_t>(i % 5));
            parts->executable(4).forward();
            parts->executable(4).backward([](ParameterId) {});
            parts->optimizer_step(step);
            if (i == 7 || i == kSteps) {
                ASSERT_EQ(weights_of(graph, *whole), weights_of(graph, *parts)) << "update " << i;
                for (const char* name : {"momentum_buffer", "exp_avg", "exp_avg_sq"}) {
                    ASSERT_EQ(whole->optimizer_state(name, ParameterId(2)),
                              parts->optimizer_state(name, ParameterId(2)))
                        << name;
                }
            }
        }
        EXPECT_NE(weights_of(graph, *whole)[2], initial[2]);
        // What is set counts from then on.
        whole->set_weight(ParameterId(2), initial[2]);
        EXPECT_EQ(whole->weight(ParameterId(2)), initial[2]);
    }
}

TEST_F(CudaSteps, ResultsMayBeReadLateOrAtOnce) {
    const Graph graph = residual_odd();
    const auto late = compiled(graph, {.batch_size = 4});
    const auto at_once = compiled(graph, {.batch_size = 4});
    const std::vector<StepResult> results = train_whole(*late, graph, 4, 6);
    cuda::CudaExecutable& executable = on_gpu(*at_once).cuda_executable(4);
    for (int i = 1; i <= 6; ++i) {
        fill(executable, graph, static_cast<std::uint64_t>(i));
        StepRequest request;
        request.optimizer = training_step(i);
        executable.enqueue_step(request);
        EXPECT_EQ(executable.next_result().batch.loss, results[static_cast<std::size_t>(i - 1)].batch.loss);
    }
    EXPECT_EQ(weights_of(graph, *late), weights_of(graph, *at_once));
}

/// As if another rank had all zeros.
StepReduction halving(const ParameterLayout& layout, ElementType wire) {
    StepReduction reduction;
    reduction.wire = wire;
    for (const Bucket& bucket : plan_buckets(layout, {.first = 4096, .others = 16384})) {
        reduction.buckets.push_back(bucket.live);
    }
    reduction.enqueue_sum = [type = wire](std::span<const WirePart> parts, void* queue) {
        for (const WirePart& part : parts) {
            cuda::scale(type, static_cast<std::int64_t>(part.count), 0.5F, part.data,
                        static_cast<cudaStream_t>(queue));
        }
    };
    return reduction;
}

TEST_F(CudaSteps, TheAverageIsPartOfTheStep) {
    const Graph graph = residual_small();
    const auto plain = compiled(graph, {.batch_size = 4});
    const auto reduced = compiled(graph, {.batch_size = 4});
    const StepReduction reduction = halving(reduced->layout(), ElementType::f32);
    ASSERT_GT(reduction.buckets.size(), 3U);
    StepRequest halved;
    halved.optimizer.gradient_scale = 0.5;
    StepRequest averaged;
    averaged.reduction = &reduction;
    train_whole(*plain, graph, 4, 4, halved);
    train_whole(*reduced, graph, 4, 4, averaged);
    EXPECT_EQ(weights_of(graph, *plain), weights_of(graph, *reduced));
}

TEST_F(CudaSteps, GradientsAreRoundedForTheWay) {
    const Graph graph = residual_small();
    const auto plain = compiled(graph, {.batch_size = 4});
    StepRequest one;
    train_whole(*plain, graph, 4, 1, one);
    const std::vector<double> whole = widened(plain->optimizer_state("momentum_buffer", ParameterId(0)));
    for (const ElementType wire : {ElementType::bf16, ElementType::f16}) {
        const auto reduced = compiled(graph, {.batch_size = 4});
        const StepReduction reduction = halving(reduced->layout(), wire);
        one.reduction = &reduction;
        one.optimizer.gradient_scale = 2.0;
        train_whole(*reduced, graph, 4, 1, one);
        // The first step's memory is the gradient; halving and doubling are exact.
        const double apart =
            relative_distance(reduced->optimizer_state("momentum_buffer", ParameterId(0)), whole);
        EXPECT_LT(apart, wire == ElementType::bf16 ? 0x1p-8 : 0x1p-11);
        EXPECT_GT(apart, 1e-6) << "nothing was rounded";
    }
}

TEST_F(CudaSteps, AccumulationInWholeSteps) {
    const Graph graph = residual_odd();
    const auto whole = compiled(graph, {.batch_size = 4});
    const auto parts = compiled(graph, {.batch_size = 4});
    for (int update = 1; update <= 3; ++update) {
        for (int micro = 0; micro < 3; ++micro) {
            const auto seed = static_cast<std::uint64_t>(update * 10 + micro);
            const GradientMode mode = micro == 0 ? GradientMode::overwrite : GradientMode::accumulate;
            StepRequest request;
            request.gradients = mode;
            request.update = micro == 2;
            request.optimizer = training_step(update);
            request.optimizer.gradient_scale = 1.0 / 3.0;
            fill(whole->executable(4), graph, seed);
            on_gpu(*whole).cuda_executable(4).enqueue_step(request);
            EXPECT_EQ(on_gpu(*whole).cuda_executable(4).next_result().updated, micro == 2);
            fill(parts->executable(4), graph, seed);
            parts->executable(4).forward();
            parts->executable(4).backward([](ParameterId) {}, mode, 1.0F);
            if (micro == 2) {
                parts->optimizer_step(request.optimizer);
            }
        }
    }
    EXPECT_EQ(weights_of(graph, *whole), weights_of(graph, *parts));
}

TEST_F(CudaSteps, ClippingInWholeSteps) {
    const Graph graph = residual_odd();
    const auto whole = compiled(graph, {.batch_size = 4});
    const auto parts = compiled(graph, {.batch_size = 4});
    StepRequest request;
    request.clip_norm = 0.1;
    const std::vector<StepResult> results = train_whole(*whole, graph, 4, 3, request);
    for (int i = 1; i <= 3; ++i) {
        Executable& executable = parts->executable(4);
        fill(executable, graph, static_cast<std::uint64_t>(i));
        executable.forward();
        executable.backward([](ParameterId) {});
        OptimizerStep step = training_step(i);
        const double norm = parts->gradient_norm();
        EXPECT_NEAR(results[static_cast<std::size_t>(i - 1)].gradient_norm, norm, 1e-4 * norm);
        EXPECT_GT(norm, 0.1);
        step.gradient_scale = 0.1 / (norm + 1e-6);
        parts->optimizer_step(step);
    }
    EXPECT_LT(largest_distance(graph, *whole, *parts), 1e-5);
}

TEST_F(CudaSteps, TheLossScaleLeavesOverflowsOut) {
    const Graph graph = residual_odd();
    const auto model = compiled(graph, {.batch_size = 4, .precision = Precision::fp16});
    LossScale scale;
    scale.scale = 0x1p26;  // overflows for certain
    on_gpu(*model).memory().set_loss_scale(scale);
    cuda::CudaExecutable& executable = on_gpu(*model).cuda_executable(4);
    const std::vector<std::vector<float>> before = weights_of(graph, *model);
    StepRequest request;
    request.scale_loss = true;
    int updates = 0;
    for (int i = 1; i <= 40 && updates < 3; ++i) {
        fill(executable, graph, 3);
        request.optimizer = training_step(i);
        executable.enqueue_step(request);
        const StepResult result = executable.next_result();
        EXPECT_EQ(result.loss_scale, scale.scale);
        EXPECT_EQ(std::isfinite(result.gradient_norm), result.updated);
        if (!result.updated) {
            EXPECT_EQ(weights_of(graph, *model), before);
        }
        update_loss_scale(scale, result.updated);
        updates += result.updated ? 1 : 0;
    }
    EXPECT_EQ(updates, 3);
    EXPECT_EQ(on_gpu(*model).memory().loss_scale().scale, scale.scale);
    EXPECT_NE(weights_of(graph, *model), before);
}

}  // namespace
}  // namespace rankscope::engine::test
