// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Against values recorded from PyTorch (data/make_torch_*.py).

#include <base/sha256.h>
#include <engine/backend/cpu/cpu_backend.h>
#include <engine/data/distributed_sampler.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>
#include <engine/optim/optimizer_update.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>

namespace rankscope::engine::test {
namespace {

const nlohmann::json& torch_values() {
    static const nlohmann::json values =
        nlohmann::json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/torch_values.json"));
    return values;
}

template <typename T>
std::string digest(const std::vector<T>& values) {
    return sha256_hex(std::as_bytes(std::span(values)));
}

TEST(TorchParity, Permutations) {
    for (const auto& expected : torch_values()["permutations"]) {
        const auto order = random_permutation(expected["n"], expected["seed"]);
        EXPECT_EQ(digest(order), expected["sha256"]) << expected.dump();
    }
}

TEST(TorchParity, DistributedSampler) {
    for (const auto& expected : torch_values()["samplers"]) {
        const int world = expected["world"];
        for (int rank = 0; rank < world; ++rank) {
            const DistributedSampler sampler({.dataset_size = expected["n"],
                                              .world_size = world,
                                              .rank = rank,
                                              .shuffle = expected["shuffle"],
                                              .drop_last = expected["drop_last"],
                                              .seed = expected["seed"]});
            const std::vector<std::int64_t> wanted = expected["indices"][static_cast<std::size_t>(rank)];
            EXPECT_EQ(sampler.indices(expected["epoch"]), wanted)
                << "rank " << rank << " of " << expected.dump();
            EXPECT_EQ(sampler.samples_per_rank(), static_cast<std::int64_t>(wanted.size()));
        }
    }
}

TEST(TorchParity, InitialParametersBitForBit) {
    const Graph graph = build_model("convnet", {1, 28, 28}, 10);
    for (const auto& expected : torch_values()["initialisation"]) {
        const CanonicalParameters parameters = default_initialisation(graph, expected["seed"]);
        std::vector<float> all;
        for (const ParameterId id : parameters.indices()) {
            EXPECT_EQ(graph.parameters[id].name, expected["parameters"][id.value()]["name"]);
            const std::vector<float> first = expected["parameters"][id.value()]["first"];
            EXPECT_EQ(std::vector<float>(parameters[id].begin(), parameters[id].begin() + 4), first);
            all.insert(all.end(), parameters[id].begin(), parameters[id].end());
        }
        EXPECT_EQ(digest(all), expected["sha256"]);
    }
}

TEST(TorchParity, Sgd) {
    for (const auto& expected : torch_values()["sgd"]) {
        const auto& given = expected["options"];
        OptimizerStep step;
        step.lr = given["lr"];
        step.momentum = given.value("momentum", 0.0);
        step.dampening = given.value("dampening", 0.0);
        step.weight_decay = given.value("weight_decay", 0.0);
        step.nesterov = given.value("nesterov", false);
        std::vector<float> parameters{1.0F, -2.0F, 0.5F, 3.0F};
        std::vector<float> buffer(4);
        for (std::size_t t = 0; t < 4; ++t) {
            const auto time = static_cast<float>(t);
            const std::vector<float> gradients{0.1F * (time + 1), -0.3F, 0.7F - 0.2F * time, 0.0F};
            step.step = static_cast<std::int64_t>(t) + 1;
            optimizer_update(step, true, gradients, parameters, {buffer, {}});
            for (std::size_t i = 0; i < 4; ++i) {
                EXPECT_NEAR(parameters[i], expected["steps"][t][i].get<float>(), 5e-7)
                    << given.dump() << " step " << t;
            }
        }
    }
}

const nlohmann::json& torch_initial() {
    static const nlohmann::json values =
        nlohmann::json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/torch_initial.json"));
    return values;
}

TEST(TorchParity, NormalDrawsBitForBit) {
    for (const auto& expected : torch_initial()["normals"]) {
        std::vector<float> values(expected["n"].get<std::size_t>());
        TorchGenerator(expected["seed"]).normal(values, expected["mean"], expected["std"]);
        EXPECT_EQ(values[0], expected["first"][0].get<float>());
        EXPECT_EQ(values.back(), expected["last"][3].get<float>());
        EXPECT_EQ(digest(values), expected["sha256"]) << expected["n"];
    }
}

TEST(TorchParity, ModelsBeginBitForBitWithPyTorchsNames) {
    for (const auto& expected : torch_initial()["models"]) {
        const Graph graph = build_model(expected["model"], expected["shape"].get<Shape>(), 10);
        std::vector<std::string> names;
        for (const Parameter& parameter : graph.parameters) {
            names.push_back(parameter.name);
        }
        EXPECT_EQ(names, expected["names"].get<std::vector<std::string>>()) << expected["model"];
        std::vector<std::string> statistics;
        for (const Statistic& statistic : graph.statistics) {
            statistics.push_back(statistic.name);
        }
        EXPECT_EQ(statistics, expected["statistics"].get<std::vector<std::string>>()) << expected["model"];
        std::vector<float> all;
        for (const std::vector<float>& values : default_initialisation(graph, expected["seed"])) {
            all.insert(all.end(), values.begin(), values.end());
        }
        EXPECT_EQ(all.size(), expected["count"].get<std::size_t>());
        if (expected["sha256"] != "") {
            EXPECT_EQ(digest(all), expected["sha256"]) << expected["model"];
        }
    }
}

TEST(TorchParity, TenStepsOfTheConvNet) {
    const Graph graph = build_model("convnet", {1, 28, 28}, 10);
    const auto model = make_cpu_backend(1)->compile(graph, {.batch_size = 16});
    const CanonicalParameters initial = default_initialisation(graph, 0);
    for (const ParameterId id : initial.indices()) {
        model->set_weight(id, initial[id]);
    }
    Executable& executable = model->executable(16);
    TorchGenerator(1).uniform(executable.input(), 0.0, 1.0);
    for (std::size_t i = 0; i < 16; ++i) {
        executable.labels()[i] = static_cast<std::int32_t>(i % 10);
    }
    const auto& expected = torch_values()["training"];
    for (std::size_t step = 0; step < 10; ++step) {
        const BatchResult result = executable.forward();
        EXPECT_NEAR(result.loss, expected["losses"][step].get<double>(), 2e-5) << "step " << step;
        if (step == 0) {
            const std::vector<float> logits = executable.logits();
            for (std::size_t i = 0; i < logits.size(); ++i) {
                EXPECT_NEAR(logits[i], expected["logits"][i].get<float>(), 1e-5);
            }
        }
        executable.backward([](ParameterId) {});
        model->optimizer_step({.lr = 0.02,
                               .weight_decay = 1e-3,
                               .momentum = 0.9,
                               .nesterov = true,
                               .step = static_cast<std::int64_t>(step) + 1});
    }
}

/// The fixed vector of make_torch_gradients.py.
double probe(std::size_t i) {
    return static_cast<double>(static_cast<std::uint32_t>(i * 2654435761U)) / 2147483648.0 - 1.0;
}

/// {norm, product with the probe}
template <typename T>
std::array<double, 2> measure(const std::vector<T>& values) {
    double squares = 0;
    double product = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        squares += value * value;
        product += value * probe(i);
    }
    return {std::sqrt(squares), product};
}

/// `floor`: what a vanishing tensor's error is measured against.
void expect_close(const std::array<double, 2>& actual, const std::array<double, 2>& expected,
                  double tolerance, double floor, const std::string& what) {
    const double scale = tolerance * std::max(expected[0], floor);
    EXPECT_NEAR(actual[0], expected[0], scale) << what;
    EXPECT_NEAR(actual[1], expected[1], 4 * scale) << what;
}

template <typename Kind>
bool has(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node& node) { return std::holds_alternative<Kind>(node.operation); });
}

/// As in engine/bench/peers/networks.py.
void open_relus(const Graph& graph, CanonicalParameters& start) {
    for (const Node& node : graph.nodes) {
        if (has<Relu>(graph) && std::holds_alternative<BatchNorm2d>(node.operation)) {
            std::vector<float>& weight = start[node.parameters[0]];
            if (weight.front() == 0.0F) {
                std::fill(weight.begin(), weight.end(), 1.0F);
            }
            std::vector<float>& bias = start[node.parameters[1]];
            std::fill(bias.begin(), bias.end(), 6.0F);
        }
    }
}

/// One training step of `expected` ("model", "shape", …) from PyTorch's start on PyTorch's random inputs.
std::unique_ptr<CompiledModel> first_step(const nlohmann::json& expected, const Graph& graph, double& loss) {
    const std::int64_t batch = expected["batch"];
    auto model = make_cpu_backend(1)->compile(graph, {.batch_size = batch});
    CanonicalParameters start = default_initialisation(graph, expected["seed"]);
    open_relus(graph, start);
    for (const ParameterId id : start.indices()) {
        model->set_weight(id, start[id]);
    }
    Executable& executable = model->executable(batch);
    TorchGenerator generator(1);
    generator.uniform(executable.input(), 0.0, 1.0);
    if (graph.predicts_tokens()) {
        for (float& token : executable.input()) {
            token = std::floor(token * static_cast<float>(graph.classes));
        }
    }
    if (graph.classifies()) {
        for (std::size_t i = 0; i < executable.labels().size(); ++i) {
            executable.labels()[i] = static_cast<std::int32_t>(i) % static_cast<std::int32_t>(graph.classes);
        }
    } else {
        generator.uniform(executable.targets(), 0.0, 1.0);
    }
    loss = executable.forward().loss;
    executable.backward([](ParameterId) {});
    return model;
}

// Tolerance: relative in the Euclidean norm. Double precision beside single precision; PyTorch's own single
// precision is off by 1e-6 in these cases, and by 3e-5 in the ResNets.
class TorchGradients : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TorchGradients, OfOneStep) {
    const auto values = nlohmann::json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/torch_gradients.json"));
    const auto& expected = values["steps"][GetParam()];
    const std::string name = expected["model"];
    const Graph graph = build_model(name, expected["shape"], expected["classes"]);
    double loss = 0;
    const auto model = first_step(expected, graph, loss);
    const double tolerance = has<BatchNorm2d>(graph) ? 1e-3 : 1e-4;
    EXPECT_NEAR(loss, expected["loss"].get<double>(), 1e-5 * loss) << name;
    double squares = 0;
    double count = 0;
    ASSERT_EQ(expected["gradients"].size(), graph.parameters.size());
    for (const ParameterId id : graph.parameters.indices()) {
        const double norm = expected["gradients"][id.value()][0];
        squares += norm * norm;
        count += static_cast<double>(element_count(graph.parameters[id].shape));
    }
    for (const ParameterId id : graph.parameters.indices()) {
        const auto size = static_cast<double>(element_count(graph.parameters[id].shape));
        expect_close(measure(model->gradient(id)), expected["gradients"][id.value()], tolerance,
                     0.03 * std::sqrt(squares / count * size), name + " " + graph.parameters[id].name);
    }
    ASSERT_EQ(expected["statistics"].size(), graph.statistics.size());
    for (const StatisticId id : graph.statistics.indices()) {
        expect_close(measure(model->statistic(id)), expected["statistics"][id.value()], 1e-5,
                     0.01 * std::sqrt(static_cast<double>(element_count(graph.statistics[id].shape))),
                     name + " " + graph.statistics[id].name);
    }
}

std::string case_name(const ::testing::TestParamInfo<std::size_t>& info) {
    static const std::array names{"Linear",         "Toy",      "Mlp",       "ConvNet",    "PaddleCnn",
                                  "ResNet18",       "ResNet50", "ResNext50", "RegNetY002", "DenseNet121",
                                  "EfficientNetB0", "VitTiny",  "Gpt2Mini"};
    return names.at(info.param);
}
INSTANTIATE_TEST_SUITE_P(Models, TorchGradients, ::testing::Range(std::size_t{0}, std::size_t{13}),
                         case_name);

}  // namespace
}  // namespace rankscope::engine::test
