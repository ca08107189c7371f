// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What only the emulation can make happen: little memory, other orders, libraries that can do less.

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_model.h>
#include <engine/backend/training_step.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>

#include <gtest/gtest.h>
#include <tests/engine/emulated_cuda/emulated_libraries.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <set>

namespace rankscope::engine::test {
namespace {

/// With `clip_norm` the update comes last; without, in parts beside the backward pass.
std::vector<std::vector<float>> trained_on(CompiledModel& model, const Graph& graph, double clip_norm) {
    const CanonicalParameters initial = default_initialisation(graph, 5);
    for (const ParameterId id : initial.indices()) {
        model.set_weight(id, initial[id]);
    }
    cuda::CudaExecutable& executable = dynamic_cast<cuda::CudaModel&>(model).cuda_executable(5);
    for (int i = 1; i <= 3; ++i) {
        TorchGenerator(static_cast<std::uint64_t>(i)).uniform(executable.input(), -0.5, 1.0);
        as_tokens(graph, executable.input());
        set_slow_keys(executable.sample_keys());
        for (std::int32_t& label : executable.labels()) {
            label = i - 1;
        }
        cuda::StepRequest request;
        request.optimizer.momentum = 0.9;
        request.optimizer.lr = 0.05;
        request.optimizer.step = i;
        request.clip_norm = clip_norm;
        executable.enqueue_step(request);
    }
    for (int i = 1; i <= 3; ++i) {
        executable.next_result();
    }
    std::vector<std::vector<float>> weights;
    for (const ParameterId id : initial.indices()) {
        weights.push_back(model.weight(id));
    }
    return weights;
}

std::vector<std::vector<float>> trained(const Graph& graph, Precision precision, double clip_norm = 0.0,
                                        bool recompute = false) {
    const auto model =
        make_cuda_backend({.tuning = cuda::Tuning::none})
            ->compile(graph, {.batch_size = 5, .precision = precision, .recompute = recompute});
    return trained_on(*model, graph, clip_norm);
}

Batch batch_of(const Graph& graph, std::int64_t size) {
    Batch batch;
    batch.pixels.resize(static_cast<std::size_t>(size * element_count(graph.values[kInputValue].shape)));
    batch.labels.resize(static_cast<std::size_t>(size));
    std::fill(batch.pixels.begin(), batch.pixels.end(), 0.5F);
    std::fill(batch.labels.begin(), batch.labels.end(), 1);
    return batch;
}

TEST(EmulatedCuda, RecomputedBlocksGiveTheSameBitsInAnyOrder) {
    for (Graph (*const build)() : {residual_small, unfused, patches, forgetful, grouped, excited}) {
        const Graph graph = build();
        for (const Precision precision : {Precision::fp32, Precision::bf16}) {
            const auto expected = trained(graph, precision);
            for (unsigned seed = 0; seed < 3; ++seed) {
                emulated::seed(seed);
                EXPECT_EQ(trained(graph, precision, 0.0, true), expected) << "order " << seed;
            }
            emulated::seed(0);
        }
    }
}

TEST(EmulatedCuda, AnyOrderThatTheStepAllowsGivesTheSameBits) {
    for (Graph (*const build)() :
         {residual_small, unfused, tiny_net, language, patches, distances, forgetful, forgetful_language}) {
        const Graph graph = build();
        for (const double clip_norm : {0.0, 5.0}) {
            const auto expected = trained(graph, Precision::bf16, clip_norm);
            for (unsigned seed = 1; seed <= 12; ++seed) {
                emulated::seed(seed);
                EXPECT_EQ(trained(graph, Precision::bf16, clip_norm), expected) << "order " << seed;
            }
        }
    }
}

TEST(EmulatedCuda, LibrariesThatDoLessGiveTheSameResult) {
    const Graph graph = unfused();
    const auto expected = trained(graph, Precision::fp32);
    for (const bool finishes : {true, false}) {
        emulated::library_behaviour() = {.finishes = finishes};
        const auto got = trained(graph, Precision::fp32);
        for (std::size_t id = 0; id < got.size(); ++id) {
            for (std::size_t i = 0; i < got[id].size(); ++i) {
                ASSERT_NEAR(got[id][i], expected[id][i], 1e-5F);
            }
        }
        trained(graph, Precision::bf16);
    }
    emulated::library_behaviour() = {};
}

TEST(EmulatedCuda, MemoryThatIsNotThereIsNamed) {
    const Graph graph = convnet();
    const auto backend = make_cuda_backend({.tuning = cuda::Tuning::none});
    const auto model = backend->compile(graph, {.batch_size = 64});
    emulated::limit_memory(emulated::allocated() + 1000000);
    try {
        model->executable(64).forward();
        ADD_FAILURE() << "there was enough";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("out of GPU memory"), std::string::npos) << text;
        EXPECT_NE(text.find("the activations of a batch of 64"), std::string::npos) << text;
        EXPECT_NE(text.find("smaller batch_size"), std::string::npos) << text;
        EXPECT_NE(text.find("MiB"), std::string::npos) << text;
    }
    emulated::limit_memory(0);
    EXPECT_EQ(model->executable(8).batch_size(), 8);
}

TEST(EmulatedCuda, APassIsMadeForWhatItIsUsedForAndMeasuredOnlyWhilePreparing) {
    const Graph graph = convnet();
    const auto model = make_cuda_backend({})->compile(graph, {.batch_size = 8});
    const auto step = model->training_step({}, {});
    const auto measured = [](std::int64_t batch) {
        std::vector<bool> all;
        for (const emulated::MadeKernel& one : emulated::made_kernels()) {
            if (one.batch == batch) {
                all.push_back(one.measured);
            }
        }
        return all;
    };
    emulated::made_kernels().clear();
    step->prepare({.training = {8, 3}, .evaluation = {16, 5}});
    const std::size_t passes = measured(8).size();
    const std::size_t forward = measured(16).size();
    ASSERT_GT(forward, 0U);
    EXPECT_GT(passes, 2 * forward) << "forward, data and weights";
    EXPECT_EQ(measured(8), std::vector<bool>(passes, true));
    EXPECT_EQ(measured(3), std::vector<bool>(passes, false)) << "a left-over size is not worth measuring";
    EXPECT_EQ(measured(16), std::vector<bool>(forward, true)) << "an evaluation needs no backward pass";
    EXPECT_EQ(measured(5), std::vector<bool>(forward, false));
    emulated::made_kernels().clear();
    StepTimes times;
    for (const std::int64_t size : {8, 3}) {
        step->train(batch_of(graph, size), {.lr = 0.1, .step = 1}, times);
    }
    for (const std::int64_t size : {16, 5}) {
        step->evaluate(batch_of(graph, size));
    }
    EXPECT_TRUE(emulated::made_kernels().empty()) << "in the middle of a run";
    step->train(batch_of(graph, 2), {.lr = 0.1, .step = 2}, times);
    EXPECT_EQ(measured(2), std::vector<bool>(passes, false)) << "a size that was not announced";
}

TEST(EmulatedCuda, RecordedStepsKeepThePrioritiesOfTheirLanes) {
    emulated::take_recorded_priorities();
    trained(residual_small(), Precision::bf16);
    const std::set<int> priorities = emulated::take_recorded_priorities();
    EXPECT_EQ(priorities, (std::set<int>{-4, 0})) << "the chain before the weight gradients";
}

// With little memory the chain waits for weight gradients sooner; the results are the same.
TEST(EmulatedCuda, MemoryIsUsedAgainWhereItIsScarce) {
    const Graph graph = residual_small();
    const auto model_with = [&](std::size_t spare, std::size_t& bytes) {
        auto model = make_cuda_backend({.tuning = cuda::Tuning::none})
                         ->compile(graph, {.batch_size = 5, .precision = Precision::bf16});
        emulated::limit_memory(spare == 0 ? 0 : emulated::allocated() + spare);
        dynamic_cast<cuda::CudaModel&>(*model).cuda_executable(5).prepare(ForwardMode::train, false);
        emulated::limit_memory(0);
        bytes = model->activation_bytes();
        return model;
    };
    std::size_t plenty = 0;
    std::size_t little = 0;
    const auto first = model_with(0, plenty);
    const auto second = model_with(3 * plenty, little);
    EXPECT_LT(little, plenty);
    EXPECT_EQ(trained_on(*first, graph, 0.0), trained_on(*second, graph, 0.0));
}

TEST(EmulatedCuda, GroupsThatPaddingWouldSplitAreRefused) {
    const Graph graph = GraphBuilder({12, 6, 6})
                            .conv2d("odd", {.out_channels = 24, .kernel = 3, .groups = 12})
                            .flatten()
                            .linear("fc", 3)
                            .cross_entropy();
    try {
        make_cuda_backend({.tuning = cuda::Tuning::none})->compile(graph, {.batch_size = 2});
        ADD_FAILURE() << "it was compiled";
    } catch (const ConfigError& error) {
        EXPECT_EQ(std::string(error.what()).find("odd: a convolution of 12 groups from 12 to 24 channels"),
                  0U)
            << error.what();
    }
}

TEST(EmulatedCuda, EverythingIsGivenBack) {
    const std::size_t before = emulated::allocated();
    trained(residual_odd(), Precision::bf16);
    EXPECT_EQ(emulated::allocated(), before);
}

}  // namespace
}  // namespace rankscope::engine::test
