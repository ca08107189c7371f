// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Slices of layers against the whole network.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/part_model.h>
#include <engine/backend/training_step.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <string>

namespace rankscope::engine::test {
namespace {

struct Network {
    std::string name;
    std::function<Graph()> graph;
};

Graph gpt() {
    return build_model("gpt2-mini", {16}, 65, {.dropout = 0.2});
}

/// Whose layers so many ranks can divide.
std::vector<Network> networks(int slices = 2) {
    const std::vector<Network> all{{"mlp", mlp},
                                   {"convnet", convnet},
                                   {"odd", residual_odd},
                                   {"unfused", unfused},
                                   {"excited", excited},
                                   {"dense", dense_blocks},
                                   {"resnet18", resnet18_tiny_images},
                                   {"language", language},
                                   {"patches", patches},
                                   {"forgetful language", forgetful_language},
                                   {"gpt2-mini", gpt}};
    std::vector<Network> fitting;
    std::copy_if(all.begin(), all.end(), std::back_inserter(fitting), [&](const Network& network) {
        const std::vector<int> counts = fitting_tensor_slices(network.graph(), slices);
        return !counts.empty() && counts.back() == slices;
    });
    return fitting;
}

std::string operations_text(const Graph& graph) {
    std::string text;
    for (const Node& node : graph.nodes) {
        text += node.name + to_string(graph.values[node.output].shape) + " ";
    }
    return text;
}

TEST(TensorPart, TakesAndPutsRangesOfADimension) {
    const Shape shape{2, 6, 2};
    std::vector<float> whole(24);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        whole[i] = static_cast<float>(i);
    }
    const TensorPart part{.dimension = 1, .ranges = {{1, 1}, {4, 1}}};
    EXPECT_EQ(part.shape(shape), (Shape{2, 2, 2}));
    std::vector<float> taken(8);
    part.take(shape, std::span<const float>(whole), std::span<float>(taken));
    EXPECT_EQ(taken, (std::vector<float>{2, 3, 8, 9, 14, 15, 20, 21}));
    std::vector<float> put(24, -1.0F);
    part.put(shape, std::span<const float>(taken), std::span<float>(put));
    for (std::size_t i = 0; i < put.size(); ++i) {
        EXPECT_EQ(put[i], std::find(taken.begin(), taken.end(), whole[i]) != taken.end() ? whole[i] : -1.0F);
    }
}

TEST(TensorSlices, OfATransformerDivideHeadsAndHiddenFeatures) {
    GraphBuilder net({8, 4, 1});
    net.layer_norm("ln_1").linear("attn.c_attn", 24).attention("attn", {.heads = 4}).linear("attn.c_proj", 8);
    net.layer_norm("ln_2").linear("mlp.c_fc", 32).activate(Activation::gelu_erf).linear("mlp.c_proj", 8);
    const Graph whole = net.cross_entropy();
    const TensorSlice slice = tensor_slice(whole, 2, 1);
    EXPECT_EQ(
        operations_text(slice.graph),
        "ln_1[8, 4, 1] attn.c_attn.input[8, 4, 1] attn.c_attn[12, 4, 1] attn[4, 4, 1] attn.c_proj[8, 4, 1] "
        "attn.c_proj.sum[8, 4, 1] ln_2[8, 4, 1] mlp.c_fc.input[8, 4, 1] mlp.c_fc[16, 4, 1] activation[16, 4, "
        "1] "
        "mlp.c_proj[8, 4, 1] mlp.c_proj.sum[8, 4, 1] cross_entropy[] ");
    const auto ranges = [&](const std::string& name) {
        std::string text;
        for (const SlicedTensor<ParameterId>& one : slice.parameters) {
            if (whole.parameters[one.whole].name == name) {
                text = one.on_all_slices ? "all" : std::to_string(one.part.dimension) + ":";
                for (const TensorPart::Range& range : one.part.ranges) {
                    text += " " + std::to_string(range.begin) + "+" + std::to_string(range.size);
                }
            }
        }
        return text;
    };
    EXPECT_EQ(ranges("ln_1.weight"), "all");
    // The second half of the heads: of their queries, keys and values.
    EXPECT_EQ(ranges("attn.c_attn.weight"), "0: 4+4 12+4 20+4");
    EXPECT_EQ(ranges("attn.c_attn.bias"), "0: 4+4 12+4 20+4");
    EXPECT_EQ(ranges("attn.c_proj.weight"), "1: 4+4");
    EXPECT_EQ(ranges("attn.c_proj.bias"), "") << "the first slice adds it";
    EXPECT_EQ(ranges("mlp.c_fc.weight"), "0: 16+16");
    EXPECT_EQ(ranges("mlp.c_proj.weight"), "1: 16+16");
    // Megatron-LM's four all-reduces of a layer.
    const SlicedSums sums = sums_of_slices(slice.graph, differentiate(slice.graph));
    EXPECT_EQ(sums.forward, 2 * 8 * 4);
    EXPECT_EQ(sums.backward, 2 * 8 * 4);
    EXPECT_EQ(fitting_tensor_slices(whole, 8), (std::vector<int>{2, 4, 8}));
}

TEST(TensorSlices, HaveEveryElementOnce) {
    for (const Network& network : networks()) {
        const Graph whole = network.graph();
        for (const int slices : fitting_tensor_slices(whole, 8)) {
            std::vector<std::vector<int>> owners;
            for (const Parameter& parameter : whole.parameters) {
                owners.emplace_back(static_cast<std::size_t>(element_count(parameter.shape)));
            }
            std::string operations;
            for (int slice = 0; slice < slices; ++slice) {
                const TensorSlice made = tensor_slice(whole, slices, slice);
                for (const ParameterId id : made.parameters.indices()) {
                    const SlicedTensor<ParameterId>& one = made.parameters[id];
                    const Shape& shape = whole.parameters[one.whole].shape;
                    EXPECT_EQ(made.graph.parameters[id].shape, one.part.shape(shape));
                    std::vector<int> mark(owners[one.whole.value()].size());
                    const std::vector<int> ones(
                        static_cast<std::size_t>(element_count(made.graph.parameters[id].shape)), 1);
                    one.part.put(shape, std::span<const int>(ones), std::span<int>(mark));
                    for (std::size_t i = 0; i < mark.size(); ++i) {
                        owners[one.whole.value()][i] += one.on_all_slices && slice > 0 ? 0 : mark[i];
                    }
                }
                operations = slice == 0 ? operations_text(made.graph) : operations;
                EXPECT_EQ(operations_text(made.graph), operations) << network.name;
            }
            for (const std::vector<int>& parameter : owners) {
                EXPECT_EQ(std::count(parameter.begin(), parameter.end(), 1),
                          static_cast<std::ptrdiff_t>(parameter.size()))
                    << network.name << ", " << slices << " slices";
            }
        }
    }
}

TEST(TensorSlices, SayWhichNumbersFit) {
    try {
        tensor_slice(gpt(), 3, 0);
        ADD_FAILURE() << "four heads are not divided among three";
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("parallel.tensor can be 2"), std::string::npos)
            << error.what();
    }
    GraphBuilder single({4});
    const Graph one_layer = single.linear("fc", 8).cross_entropy();
    EXPECT_TRUE(fitting_tensor_slices(one_layer, 8).empty());
    EXPECT_THROW(tensor_slice(one_layer, 2, 0), ConfigError);
}

constexpr std::int64_t kBatch = 12;

Batch batch_of(const Graph& graph, int replica, int number) {
    Batch batch;
    batch.rows = graph.rows;
    std::mt19937 random(static_cast<std::uint32_t>(100 * number + replica));
    std::vector<float> pixels(
        static_cast<std::size_t>(kBatch * element_count(graph.values[kInputValue].shape)));
    for (float& pixel : pixels) {
        pixel = static_cast<float>(random() % 1000) * 0.0015F - 0.5F;
    }
    as_tokens(graph, pixels);
    batch.pixels.resize(pixels.size());
    std::copy(pixels.begin(), pixels.end(), batch.pixels.begin());
    batch.labels.resize(static_cast<std::size_t>(kBatch * graph.rows));
    for (std::int32_t& label : batch.labels) {
        label = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(graph.classes));
    }
    for (std::int64_t i = 0; i < kBatch; ++i) {
        batch.keys.push_back(random());
    }
    return batch;
}

struct Settings {
    int slices = 2;
    int stages = 1;
    std::int64_t micro_batches = 1;
    ZeroStage zero = ZeroStage::none;
    bool recompute = false;
    std::optional<double> clip_norm{};
    Precision precision = Precision::fp32;
};

CompileOptions compile_options(const Graph& graph, const Settings& settings, ProcessGroup* replicas) {
    CompileOptions compile{
        .batch_size = kBatch, .precision = settings.precision, .recompute = settings.recompute};
    compile.topk = std::min<std::int64_t>(5, graph.classes);
    if (settings.zero != ZeroStage::none && replicas != nullptr) {
        compile.sharding =
            Sharding{.stage = settings.zero, .rank = replicas->rank(), .ranks = replicas->size()};
        compile.gather_shares = [replicas](std::span<const Piece> pieces, Shares shares, When when) {
            return replicas->gather_shares(pieces, shares, when);
        };
    }
    return compile;
}

struct Trained {
    std::unique_ptr<Backend> backend = make_cpu_backend(1);
    std::unique_ptr<CompiledModel> model;
    std::unique_ptr<TrainingStep> step;

    void begin(const Graph& graph, const Settings& settings, ProcessGroup* group) {
        const CanonicalParameters initial = default_initialisation(graph, 1);
        for (const ParameterId id : initial.indices()) {
            model->set_weight(id, initial[id]);
        }
        step = model->training_step({.clip_norm = settings.clip_norm}, {.group = group});
    }
    UpdateResult train(const Batch& batch, int number) {
        StepTimes times;
        step->begin(1);
        step->batch(batch, times);
        step->finish({.lr = 0.01, .weight_decay = 1e-3, .momentum = 0.9, .step = number + 1}, true, times);
        return step->result(times);
    }
};

/// A rank of a network that ranks divide.
struct Divided : Trained {
    TensorGroups tensor;
    std::unique_ptr<PipelineGroups> pipeline;
    NetworkDivision division;

    Divided(const Graph& graph, const Settings& settings, ProcessGroup& world)
        : tensor(world, settings.slices),
          division{.slice = tensor_slice(graph, settings.slices, tensor.slice()),
                   .stages = {},
                   .tensor = &tensor} {
        if (settings.stages > 1) {
            pipeline = std::make_unique<PipelineGroups>(*tensor.same_slice(), settings.stages);
            division.stages = pipeline_stages(division.slice.graph, settings.stages, kBatch);
            division.pipeline = {.groups = pipeline.get(), .micro_batches = settings.micro_batches};
        }
        CompileOptions options = compile_options(graph, settings, replicas());
        options.sum_over_slices = [this](const Piece& values, ElementType type) { tensor.sum(values, type); };
        model = std::make_unique<PartModel>(*backend, graph, division, options);
        begin(graph, settings, replicas());
    }
    ProcessGroup* replicas() const { return pipeline ? pipeline->same_stage() : tensor.same_slice(); }
    int replica() const { return replicas() == nullptr ? 0 : replicas()->rank(); }
    bool reports() const { return tensor.first() && (!pipeline || pipeline->last()); }
};

/// All of the network on every rank.
struct Whole : Trained {
    Whole(const Graph& graph, const Settings& settings, ProcessGroup* replicas) {
        model = backend->compile(graph, compile_options(graph, {.precision = settings.precision}, nullptr));
        begin(graph, settings, replicas);
    }
};

double largest_difference(const std::vector<float>& values, const std::vector<float>& expected) {
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double right = expected[i];
        largest = std::max(largest, std::abs(values[i] - right) / std::max(1.0, std::abs(right)));
    }
    return largest;
}

/// Trains both ways, and compares what each update gives.
void expect_equal_training(const Network& network, const Settings& settings, ProcessGroup& world) {
    const Graph graph = network.graph();
    Divided divided(graph, settings, world);
    Whole whole(graph, settings, divided.replicas());
    const bool half = settings.precision == Precision::bf16;
    for (int update = 0; update < 2; ++update) {
        const Batch batch = batch_of(graph, divided.replica(), update);
        const UpdateResult expected = whole.train(batch, update);
        const UpdateResult result = divided.train(batch, update);
        const std::string where = network.name + ", update " + std::to_string(update);
        if (divided.reports()) {
            EXPECT_NEAR(result.mine.loss, expected.mine.loss, (half ? 2e-2 : 1e-4) * expected.mine.loss)
                << where;
            EXPECT_EQ(result.mine.samples, kBatch);
        } else {
            EXPECT_EQ(result.mine.samples, 0);
            EXPECT_EQ(result.elsewhere, kBatch);
        }
        EXPECT_NEAR(*result.gradient_norm, *expected.gradient_norm,
                    (half          ? 5e-2
                     : update == 0 ? 1e-5
                                   : 1e-3) *
                        *expected.gradient_norm)
            << where;
        const auto compare = [&] {
            for (const ParameterId id : graph.parameters.indices()) {
                EXPECT_LE(largest_difference(divided.model->weight(id), whole.model->weight(id)),
                          half          ? 2e-2
                          : update == 0 ? 1e-5
                                        : 1e-3)
                    << where << ", " << graph.parameters[id].name;
            }
            for (const StatisticId id : graph.statistics.indices()) {
                const std::vector<double> values = divided.model->statistic(id);
                const std::vector<double> right = whole.model->statistic(id);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    EXPECT_NEAR(values[i], right[i], 1e-3 * std::max(1.0, std::abs(right[i])))
                        << where << ", " << graph.statistics[id].name;
                }
            }
        };
        divided.step->with_whole_arrays(CompiledModel::Whole::weights, [&] {
            divided.model->with_whole_model(CompiledModel::Whole::weights, [&] {
                if (world.rank() == 0) {
                    compare();
                }
            });
        });
    }
    const Batch batch = batch_of(graph, divided.replica(), 7);
    const BatchResult expected = whole.step->evaluate(batch);
    const BatchResult result = divided.step->evaluate(batch);
    EXPECT_EQ(result.elsewhere, !divided.reports());
    if (divided.reports()) {
        EXPECT_NEAR(result.loss, expected.loss, (half ? 3e-2 : 2e-3) * expected.loss) << network.name;
    }
    world.barrier();  // no stage leaves before its last message is received
}

class TensorWorlds : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, TensorWorlds,
                         ::testing::Values(WorldOptions{.ranks = 2},
                                           WorldOptions{.ranks = 2, .transport = Transport::gloo},
                                           WorldOptions{.ranks = 4},
                                           WorldOptions{.ranks = 4, .hosts = {"a", "a", "b", "b"}}),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(TensorWorlds, TrainLikeTheWholeNetwork) {
    ASSERT_GE(networks().size(), 5U);
    for (const Network& network : networks()) {
        in_world(GetParam(), [&](ProcessGroup& world) { expect_equal_training(network, {}, world); });
    }
}

TEST_P(TensorWorlds, WorkWithZeroRecomputationAndClipping) {
    std::vector<Network> both{{"gpt2-mini", gpt}};
    if (GetParam().hosts.empty()) {
        both.push_back({"resnet18", resnet18_tiny_images});
    }
    for (const Network& network : both) {
        in_world(GetParam(), [&](ProcessGroup& world) {
            expect_equal_training(network, {.recompute = true}, world);
            expect_equal_training(network, {.clip_norm = 0.05}, world);
            if (world.size() == 4) {
                expect_equal_training(network, {.zero = ZeroStage::optimizer_state, .clip_norm = 0.05},
                                      world);
                expect_equal_training(network, {.zero = ZeroStage::gradients, .clip_norm = 0.05}, world);
                expect_equal_training(
                    network, {.zero = ZeroStage::parameters, .recompute = true, .clip_norm = 0.05}, world);
            }
        });
    }
}

TEST(TensorSlicesOfThree, TrainLikeTheWholeNetwork) {
    ASSERT_GE(networks(3).size(), 2U);
    for (const Network& network : networks(3)) {
        in_world({.ranks = 3},
                 [&](ProcessGroup& world) { expect_equal_training(network, {.slices = 3}, world); });
    }
}

TEST(TensorSlicesOfFour, TrainLikeTheWholeNetwork) {
    for (const Network& network :
         {Network{"mlp", mlp}, Network{"resnet18", resnet18_tiny_images}, Network{"gpt2-mini", gpt}}) {
        in_world({.ranks = 4},
                 [&](ProcessGroup& world) { expect_equal_training(network, {.slices = 4}, world); });
    }
}

/// Data, pipeline and tensor parallelism at once.
TEST(TensorSlicesOfStages, TrainLikeTheWholeNetwork) {
    for (const int ranks : {4, 8}) {
        // One micro-batch: norms see the whole batch.
        in_world({.ranks = ranks}, [&](ProcessGroup& world) {
            expect_equal_training({"resnet18", resnet18_tiny_images}, {.stages = 2, .clip_norm = 0.05},
                                  world);
            expect_equal_training({"gpt2-mini", gpt}, {.stages = 2, .micro_batches = 3, .clip_norm = 0.05},
                                  world);
            expect_equal_training(
                {"gpt2-mini", gpt},
                {.stages = 2, .micro_batches = 4, .zero = ZeroStage::optimizer_state, .recompute = true},
                world);
        });
    }
}

TEST(TensorSlicesInHalfPrecision, TrainLikeTheWholeNetwork) {
    std::unique_ptr<Backend> backend = make_cpu_backend(1);
    try {
        backend->compile(mlp(), {.precision = Precision::bf16});
    } catch (const ConfigError& error) {
        GTEST_SKIP() << error.what();
    }
    in_world({.ranks = 2}, [&](ProcessGroup& world) {
        expect_equal_training({"gpt2-mini", gpt}, {.precision = Precision::bf16}, world);
        expect_equal_training({"convnet", convnet}, {.precision = Precision::bf16}, world);
    });
}

TEST(TensorTraffic, IsThatOfTheory) {
    in_world({.ranks = 2}, [&](ProcessGroup& world) {
        const Graph graph = gpt();
        Divided divided(graph, {}, world);
        const std::uint64_t before = divided.tensor.sent();
        divided.train(batch_of(graph, 0, 0), 0);
        const Graph& slice = divided.division.slice.graph;
        const SlicedSums sums = sums_of_slices(slice, differentiate(slice));
        // Two ranks: each gives half of its numbers and half of the result; and the square of the norm.
        EXPECT_EQ(divided.tensor.sent() - before,
                  static_cast<std::uint64_t>((sums.forward + sums.backward) * kBatch) * sizeof(float) +
                      sizeof(double));
        // Four sums of a layer of batch · tokens · channels, in a network of four layers.
        EXPECT_EQ(sums.forward, 4 * 2 * 16 * 128);
        EXPECT_EQ(sums.backward, 4 * 2 * 16 * 128);
    });
}

TEST(TensorMemory, HoldsASliceOfTheDividedWeights) {
    in_world({.ranks = 2}, [&](ProcessGroup& world) {
        const Graph graph = gpt();
        Divided divided(graph, {}, world);
        std::size_t expected = 0;
        for (const SlicedTensor<ParameterId>& one : divided.division.slice.parameters) {
            const auto size =
                static_cast<std::size_t>(element_count(one.part.shape(graph.parameters[one.whole].shape)));
            expected += (size + 15) / 16 * 16;  // each begins on a cache line
        }
        EXPECT_EQ(divided.model->weights().size(), expected);
        EXPECT_EQ(divided.model->gradients().size(), expected);
    });
}

}  // namespace
}  // namespace rankscope::engine::test
