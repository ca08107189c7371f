// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What only the emulation can make happen: little memory, other orders, libraries that can do less.

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_model.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>

#include <gtest/gtest.h>
#include <tests/engine/emulated_cuda/emulated_libraries.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>
#include <tests/engine/small_networks.h>

namespace rankscope::engine::test {
namespace {

std::vector<std::vector<float>> trained(const Graph& graph, Precision precision) {
    const auto model = make_cuda_backend({.tuning = cuda::Tuning::none})
                           ->compile(graph, {.batch_size = 5, .precision = precision});
    const CanonicalParameters initial = default_initialisation(graph, 5);
    for (const ParameterId id : initial.indices()) {
        model->set_weight(id, initial[id]);
    }
    cuda::CudaExecutable& executable = dynamic_cast<cuda::CudaModel&>(*model).cuda_executable(5);
    for (int i = 1; i <= 3; ++i) {
        TorchGenerator(static_cast<std::uint64_t>(i)).uniform(executable.input(), -0.5, 1.0);
        for (std::int32_t& label : executable.labels()) {
            label = i - 1;
        }
        cuda::StepRequest request;
        request.optimizer.momentum = 0.9;
        request.optimizer.lr = 0.05;
        request.optimizer.step = i;
        request.clip_norm = 5.0;
        executable.enqueue_step(request);
    }
    for (int i = 1; i <= 3; ++i) {
        executable.next_result();
    }
    std::vector<std::vector<float>> weights;
    for (const ParameterId id : initial.indices()) {
        weights.push_back(model->weight(id));
    }
    return weights;
}

TEST(EmulatedCuda, AnyOrderThatTheStepAllowsGivesTheSameBits) {
    for (Graph (*const build)() : {residual_small, unfused, tiny_net}) {
        const Graph graph = build();
        const auto expected = trained(graph, Precision::bf16);
        for (unsigned seed = 1; seed <= 12; ++seed) {
            emulated::seed(seed);
            EXPECT_EQ(trained(graph, Precision::bf16), expected) << "order " << seed;
        }
    }
}

TEST(EmulatedCuda, LibrariesThatDoLessGiveTheSameResult) {
    const Graph graph = unfused();
    const auto expected = trained(graph, Precision::fp32);
    for (const bool finishes : {true, false}) {
        emulated::library_behaviour() = {finishes, true};
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
        model->executable(64);
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

TEST(EmulatedCuda, EverythingIsGivenBack) {
    const std::size_t before = emulated::allocated();
    trained(residual_odd(), Precision::bf16);
    EXPECT_EQ(emulated::allocated(), before);
}

}  // namespace
}  // namespace rankscope::engine::test
