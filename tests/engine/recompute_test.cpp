// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Recomputation: the same step to the last bit, in less memory.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>
#include <tests/engine/small_networks.h>

#include <map>
#include <random>

namespace rankscope::engine::test {
namespace {

struct Step {
    double loss = 0;
    std::vector<float> gradients;
    std::vector<double> statistics;
    std::size_t activation_bytes = 0;
    bool operator==(const Step&) const = default;
};

Step step_of(const Graph& graph, std::int64_t batch, bool recompute) {
    const std::unique_ptr<Backend> backend = make_cpu_backend(1);
    const auto model = backend->compile(
        graph,
        {.batch_size = batch, .topk = std::min<std::int64_t>(5, graph.classes), .recompute = recompute});
    const CanonicalParameters initial = default_initialisation(graph, 1);
    for (const ParameterId id : initial.indices()) {
        model->set_weight(id, initial[id]);
    }
    Executable& executable = model->executable(batch);
    Step step;
    std::mt19937 random(3);
    for (int pass = 0; pass < 2; ++pass) {
        for (float& pixel : executable.input()) {
            pixel = static_cast<float>(random() % 1000) * 0.0015F - 0.5F;
        }
        as_tokens(graph, executable.input());
        for (std::int32_t& label : executable.labels()) {
            label = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(graph.classes));
        }
        for (std::uint64_t& key : executable.sample_keys()) {
            key = random();
        }
        step.loss += executable.forward().loss;
        executable.backward([](ParameterId) {});
    }
    for (const ParameterId id : graph.parameters.indices()) {
        const std::vector<float> values = model->gradient(id);
        step.gradients.insert(step.gradients.end(), values.begin(), values.end());
    }
    for (const StatisticId id : graph.statistics.indices()) {
        const std::vector<double> values = model->statistic(id);
        step.statistics.insert(step.statistics.end(), values.begin(), values.end());
    }
    step.activation_bytes = model->activation_bytes();
    return step;
}

std::size_t recomputed(const Schedule& schedule) {
    return static_cast<std::size_t>(
        std::count_if(schedule.ops.begin(), schedule.ops.end(),
                      [](const ScheduledOp& op) { return op.phase == Phase::recompute; }));
}

TEST(Recompute, EveryNetworkHasTheSameBits) {
    const std::map<std::string, Graph> networks{
        {"mlp", mlp()},
        {"convnet", convnet()},
        {"small", residual_small()},
        {"odd", residual_odd()},
        {"unfused", unfused()},
        {"dense", dense_blocks()},
        {"grouped", grouped()},
        {"excited", excited()},
        {"language", language()},
        {"patches", patches()},
        {"distances", distances()},
        {"forgetful", forgetful()},
        {"forgetful language", forgetful_language()},
        {"resnet18", resnet18_tiny_images()},
        {"gpt2-mini", build_model("gpt2-mini", {64}, 65)},
        {"densenet121", build_model("densenet121", {3, 64, 64}, 10)},
        {"efficientnet_b0", build_model("efficientnet_b0", {3, 64, 64}, 10)},
        {"vit_tiny", build_model("vit_tiny_patch16_224", {3, 224, 224}, 10)}};
    std::size_t with_blocks = 0;
    for (const auto& [name, graph] : networks) {
        const bool large = graph.parameters.size() > 100;
        Step whole = step_of(graph, large ? 2 : 4, false);
        Step again = step_of(graph, large ? 2 : 4, true);
        const std::size_t blocks = recomputed(differentiate_with_recomputation(fuse(graph)));
        with_blocks += blocks > 0 ? 1 : 0;
        if (blocks > 0) {
            EXPECT_LT(static_cast<double>(again.activation_bytes),
                      1.02 * static_cast<double>(whole.activation_bytes))
                << name;
        }
        RecordProperty(name + " recomputed", static_cast<int>(blocks));
        RecordProperty(name + " percent",
                       static_cast<int>(100 * again.activation_bytes / whole.activation_bytes));
        whole.activation_bytes = again.activation_bytes = 0;
        EXPECT_EQ(again.loss, whole.loss) << name;
        EXPECT_EQ(again.statistics, whole.statistics) << name;
        EXPECT_TRUE(again.gradients == whole.gradients) << name;
    }
    EXPECT_GT(with_blocks, 9U);
}

/// What users have it for: deep networks take half and less.
TEST(Recompute, DeepNetworksTakeHalfOfTheMemory) {
    for (const auto& [name, shape, most] :
         {std::tuple<std::string, Shape, double>{"resnet50", {3, 224, 224}, 0.4},
          {"resnet18", {3, 224, 224}, 0.75},
          {"gpt2", {1024}, 0.4},
          {"vit_small_patch16_224", {3, 224, 224}, 0.4},
          {"efficientnet_b0", {3, 224, 224}, 0.6}}) {
        const Graph graph = build_model(name, shape, 1000);
        const double whole = activation_bytes(graph, 4.0);
        const double again = activation_bytes(graph, 4.0, true);
        RecordProperty(name, static_cast<int>(100 * again / whole));
        EXPECT_LT(again, most * whole) << name;
    }
}

TEST(Recompute, ComputesOnceMoreAndOnlyWhatIsRead) {
    const Graph graph = fuse(build_model("gpt2", {64}, 50257));
    const Schedule schedule = differentiate_with_recomputation(graph);
    ASSERT_GT(recomputed(schedule), 10U);
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        if (schedule.ops[i].phase != Phase::recompute) {
            continue;
        }
        const std::size_t node = schedule.ops[i].node;
        const ValueId made = graph.nodes[node].output;
        bool read = false;
        for (std::size_t later = i + 1; later < schedule.ops.size(); ++later) {
            EXPECT_FALSE(schedule.ops[later].phase == Phase::recompute && schedule.ops[later].node == node);
            const std::vector<ValueId>& inputs = graph.nodes[schedule.ops[later].node].inputs;
            read = read || std::find(inputs.begin(), inputs.end(), made) != inputs.end();
        }
        EXPECT_TRUE(read) << graph.nodes[node].name;
    }
}

}  // namespace
}  // namespace rankscope::engine::test
