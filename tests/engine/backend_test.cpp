// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The backend against its slow twin, for several networks, layouts and batch sizes.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>

#include <gtest/gtest.h>
#include <tests/engine/slow_network.h>

#include <cmath>
#include <functional>
#include <set>
#include <tuple>

namespace rankscope::engine::test {
namespace {

Graph tiny_net() {
    return GraphBuilder({2, 7, 6})
        .conv2d("c1", {.out_channels = 3, .kernel = 3, .stride = 1, .padding = 1})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 1})
        .conv2d("c2", {.out_channels = 5, .kernel = 3, .stride = 2, .padding = 0})
        .relu()
        .flatten()
        .linear("f1", 6)
        .relu()
        .linear("f2", 4)
        .cross_entropy();
}

Graph pools_and_relus() {
    return GraphBuilder({1, 12, 12})
        .conv2d("c1", {.out_channels = 16, .kernel = 5, .stride = 1, .padding = 2})
        .max_pool2d({.kernel = 3, .stride = 2})
        .relu()
        .conv2d("c2", {.out_channels = 20, .kernel = 1, .stride = 1, .padding = 0})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .flatten()
        .linear("f", 3)
        .cross_entropy();
}

Graph convnet() {
    return build_model("convnet", {1, 28, 28}, 10);
}
Graph mlp() {
    return build_model("mlp", {1, 28, 28}, 10);
}

struct Case {
    const char* name;
    Graph (*build)();
    std::int64_t batch;
};

class BackendAgainstTwin : public testing::TestWithParam<std::tuple<Case, StorageOrder>> {};

Doubles widened(std::span<const float> values) {
    return {values.begin(), values.end()};
}

TEST_P(BackendAgainstTwin, SameLossAndGradients) {
    const auto& [test, order] = GetParam();
    const Graph graph = test.build();
    const auto model = make_cpu_backend(1)->compile(graph, 8, order);
    std::vector<Doubles> parameters;
    const CanonicalParameters initial = default_initialisation(graph, 5);
    for (ParameterId id = 0; id < initial.size(); ++id) {
        model->set_weight(id, initial[id]);
        parameters.push_back(widened(initial[id]));
        EXPECT_EQ(model->weight(id), initial[id])
            << graph.parameters[id].name << " does not survive its storage";
    }
    Executable& executable = model->executable(test.batch);
    TorchGenerator(11).uniform(executable.input(), -0.5, 1.0);
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < executable.labels().size(); ++i) {
        labels.push_back(static_cast<std::int32_t>(i * 7 % static_cast<std::size_t>(graph.classes)));
        executable.labels()[i] = labels.back();
    }
    const SlowResult slow = run_slowly(graph, parameters, widened(executable.input()), labels);
    // Twice: nothing of the first run may leak into the second.
    for (int repeat = 0; repeat < 2; ++repeat) {
        const BatchResult result = executable.forward();
        EXPECT_NEAR(result.loss, slow.loss, 1e-5);
        EXPECT_EQ(result.correct, slow.correct);
        std::multiset<ParameterId> reported;
        executable.backward([&](ParameterId id) { reported.insert(id); });
        for (ParameterId id = 0; id < initial.size(); ++id) {
            EXPECT_EQ(reported.count(id), 1U) << graph.parameters[id].name;
            const std::vector<float> gradient = model->gradient(id);
            double largest = 1e-3;
            for (const double g : slow.gradients[id]) {
                largest = std::max(largest, std::abs(g));
            }
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                ASSERT_NEAR(gradient[i], slow.gradients[id][i], 2e-5 * largest + 1e-7)
                    << graph.parameters[id].name << "[" << i << "]";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, BackendAgainstTwin,
    testing::Combine(testing::Values(Case{"tiny", tiny_net, 8}, Case{"tiny_other_batch", tiny_net, 3},
                                     Case{"pools", pools_and_relus, 4}, Case{"convnet", convnet, 4},
                                     Case{"convnet_one", convnet, 1}, Case{"mlp", mlp, 8}),
                     testing::Values(StorageOrder::native, StorageOrder::canonical)),
    [](const auto& tested) {
        return std::string(std::get<0>(tested.param).name) +
               (std::get<1>(tested.param) == StorageOrder::native ? "_native" : "_canonical");
    });

TEST(SlowTwin, GradientsAreFiniteDifferences) {
    const Graph graph = tiny_net();
    std::vector<Doubles> parameters;
    for (const auto& values : default_initialisation(graph, 3)) {
        parameters.push_back(widened(values));
    }
    std::vector<float> noise(2 * 84);
    TorchGenerator(1).uniform(noise, -1.0, 1.0);
    const std::vector<std::int32_t> labels{1, 3};
    const SlowResult result = run_slowly(graph, parameters, widened(noise), labels);
    constexpr double kStep = 1e-6;
    for (std::size_t id = 0; id < parameters.size(); ++id) {
        for (std::size_t i = 0; i < parameters[id].size(); i += 5) {
            std::vector<Doubles> moved = parameters;
            moved[id][i] += kStep;
            const double up = run_slowly(graph, moved, widened(noise), labels).loss;
            moved[id][i] -= 2 * kStep;
            const double down = run_slowly(graph, moved, widened(noise), labels).loss;
            EXPECT_NEAR((up - down) / (2 * kStep), result.gradients[id][i], 1e-7)
                << graph.parameters[id].name;
        }
    }
}

TEST(Backend, GradientsArriveInStorageOrder) {
    const Graph graph = convnet();
    const auto model = make_cpu_backend(1)->compile(graph, 2, StorageOrder::native);
    Executable& executable = model->executable(2);
    executable.forward();
    std::vector<ParameterId> arrival;
    executable.backward([&](ParameterId id) { arrival.push_back(id); });
    // Layer by layer from the back; within a layer both at once.
    const std::vector<ParameterId> expected{6, 7, 4, 5, 2, 3, 0, 1};
    EXPECT_EQ(arrival, expected);
    for (std::size_t id = 1; id < graph.parameters.size(); ++id) {
        EXPECT_GT(model->layout().slots[id - 1].offset, model->layout().slots[id].offset);
    }
}

TEST(Backend, NativeStorageOfTheConvNetNeedsNoPadding) {
    const Graph graph = convnet();
    const auto model = make_cpu_backend(1)->compile(graph, 100, StorageOrder::native);
    EXPECT_LT(model->layout().total, 113674U + 8U * 16U);
}

}  // namespace
}  // namespace rankscope::engine::test
