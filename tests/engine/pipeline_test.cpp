// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Pipelines against gradient accumulation over the same micro-batches.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/part_model.h>
#include <engine/backend/training_step.h>
#include <engine/error.h>
#include <engine/models/initialise.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <thread>

namespace rankscope::engine::test {
namespace {

struct Network {
    std::string name;
    std::function<Graph()> graph;
};

std::vector<Network> networks() {
    return {{"mlp", mlp},
            {"convnet", convnet},
            {"taps", residual_small},
            {"odd", residual_odd},
            {"unfused", unfused},
            {"excited", excited},
            {"dense", dense_blocks},
            {"resnet18", resnet18_tiny_images},
            {"language", language},
            {"patches", patches},
            {"distances", distances},
            {"forgetful", forgetful},
            {"forgetful language", forgetful_language}};
}

std::string actions_text(PipelineOrder order, int stage, int stages, std::int64_t micro_batches) {
    std::string text;
    for (const PipelineAction& action : pipeline_actions(order, stage, stages, micro_batches)) {
        text += (action.forward ? "F" : "B") + std::to_string(action.micro_batch) + " ";
    }
    return text;
}

TEST(PipelineSchedule, IsThatOfThePapers) {
    const PipelineOrder turns = PipelineOrder::one_forward_one_backward;
    EXPECT_EQ(actions_text(PipelineOrder::gpipe, 0, 2, 3), "F0 F1 F2 B0 B1 B2 ");
    EXPECT_EQ(actions_text(PipelineOrder::gpipe, 1, 2, 3), "F0 F1 F2 B0 B1 B2 ");
    EXPECT_EQ(actions_text(turns, 0, 3, 4), "F0 F1 F2 B0 F3 B1 B2 B3 ");
    EXPECT_EQ(actions_text(turns, 1, 3, 4), "F0 F1 B0 F2 B1 F3 B2 B3 ");
    EXPECT_EQ(actions_text(turns, 2, 3, 4), "F0 B0 F1 B1 F2 B2 F3 B3 ");
    EXPECT_EQ(actions_text(turns, 0, 4, 2), "F0 F1 B0 B1 ");
    EXPECT_EQ(actions_text(turns, 0, 4, 1), "F0 B0 ");
    EXPECT_EQ(kept_micro_batches(PipelineOrder::gpipe, 0, 4, 8), 8);
    EXPECT_EQ(kept_micro_batches(turns, 0, 4, 8), 4);
    EXPECT_EQ(kept_micro_batches(turns, 3, 4, 8), 1);
    EXPECT_DOUBLE_EQ(pipeline_bubble(4, 8), 3.0 / 11.0);
    EXPECT_EQ(micro_batch_sizes(10, 4), (std::vector<std::int64_t>{3, 3, 3, 1}));
    EXPECT_EQ(micro_batch_sizes(2, 4), (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(default_micro_batches(4, 100), 16);
    EXPECT_EQ(default_micro_batches(4, 10), 10);
}

TEST(PipelineStages, HaveEveryParameterAndEvenWork) {
    for (const Network& network : networks()) {
        const Graph graph = network.graph();
        const int most = most_pipeline_stages(graph);
        ASSERT_GE(most, 2) << network.name;
        for (int count = 1; count <= most; ++count) {
            const std::vector<PipelineStage> stages = pipeline_stages(graph, count, 4);
            ASSERT_EQ(stages.size(), static_cast<std::size_t>(count));
            std::set<ParameterId> parameters;
            std::set<StatisticId> statistics;
            double work = 0;
            for (const PipelineStage& stage : stages) {
                EXPECT_FALSE(stage.layers().empty());
                parameters.insert(stage.parameters.begin(), stage.parameters.end());
                statistics.insert(stage.statistics.begin(), stage.statistics.end());
                work += stage.share;
                EXPECT_EQ(stage.graph.continues, &stage != &stages.front());
                EXPECT_EQ(stage.graph.hands_over(), &stage != &stages.back());
            }
            EXPECT_EQ(parameters.size(), graph.parameters.size()) << network.name;
            EXPECT_EQ(statistics.size(), graph.statistics.size()) << network.name;
            EXPECT_NEAR(work, 1.0, 1e-9);
        }
        EXPECT_THROW(pipeline_stages(graph, most + 1, 4), ConfigError) << network.name;
    }
    // Nothing of a ResNet is much longer than the rest.
    for (const PipelineStage& stage : pipeline_stages(resnet18_tiny_images(), 4, 64)) {
        EXPECT_LT(stage.share, 0.4) << stage.layers();
    }
}

constexpr std::int64_t kBatch = 7;

Batch batch_of(const Graph& graph, int pipeline, int number, std::int64_t size = kBatch) {
    Batch batch;
    batch.rows = graph.rows;
    std::mt19937 random(static_cast<std::uint32_t>(100 * number + pipeline));
    const auto count = static_cast<std::size_t>(size * element_count(graph.values[kInputValue].shape));
    std::vector<float> pixels(count);
    for (float& pixel : pixels) {
        pixel = static_cast<float>(random() % 1000) * 0.0015F - 0.5F;
    }
    as_tokens(graph, pixels);
    batch.pixels.resize(count);
    std::copy(pixels.begin(), pixels.end(), batch.pixels.begin());
    batch.labels.resize(static_cast<std::size_t>(size * graph.rows));
    for (std::int32_t& label : batch.labels) {
        label = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(graph.classes));
    }
    for (std::int64_t i = 0; i < size; ++i) {
        batch.keys.push_back(random());
    }
    return batch;
}

std::vector<Batch> one_batch(const Graph& graph, int pipeline, int number, std::int64_t size = kBatch) {
    std::vector<Batch> batches;
    batches.push_back(batch_of(graph, pipeline, number, size));
    return batches;
}

/// The samples [begin, begin + size).
Batch part_of(const Batch& batch, std::int64_t begin, std::int64_t size) {
    Batch part;
    part.rows = batch.rows;
    const auto sample = static_cast<std::int64_t>(batch.pixels.size()) / batch.size();
    part.pixels.resize(static_cast<std::size_t>(size * sample));
    std::copy_n(batch.pixels.begin() + begin * sample, size * sample, part.pixels.begin());
    part.labels.resize(static_cast<std::size_t>(size * batch.rows));
    std::copy_n(batch.labels.begin() + begin * batch.rows, size * batch.rows, part.labels.begin());
    part.keys.assign(batch.keys.begin() + begin, batch.keys.begin() + begin + size);
    return part;
}

struct Settings {
    int stages = 2;
    std::int64_t micro_batches = 3;
    PipelineOrder order = PipelineOrder::one_forward_one_backward;
    ZeroStage zero = ZeroStage::none;
    bool recompute = false;
    std::optional<double> clip_norm{};
};

CompileOptions compile_options(const Graph& graph, const Settings& settings, ProcessGroup* group) {
    CompileOptions compile{.batch_size = 3, .recompute = settings.recompute};
    compile.topk = std::min<std::int64_t>(5, graph.classes);
    if (settings.zero != ZeroStage::none) {
        compile.sharding = Sharding{.stage = settings.zero, .rank = group->rank(), .ranks = group->size()};
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
    UpdateResult finish(int number) {
        StepTimes times;
        step->finish({.lr = 0.01, .weight_decay = 1e-3, .momentum = 0.9, .step = number + 1}, true, times);
        return step->result(times);
    }
};

/// A rank of a pipeline.
struct Staged : Trained {
    NetworkDivision division;

    Staged(const Graph& graph, const Settings& settings, PipelineGroups& groups)
        : division{.slice = tensor_slice(graph, 1, 0),
                   .stages = {},
                   .pipeline = {
                       .groups = &groups, .micro_batches = settings.micro_batches, .order = settings.order}} {
        division.stages = pipeline_stages(division.slice.graph, settings.stages, 4);
        ProcessGroup* const group = groups.same_stage();
        model =
            std::make_unique<PartModel>(*backend, graph, division, compile_options(graph, settings, group));
        begin(graph, settings, group);
    }
    UpdateResult train(const std::vector<Batch>& batches, int number) {
        StepTimes times;
        step->begin(static_cast<std::int64_t>(batches.size()));
        for (const Batch& batch : batches) {
            step->batch(batch, times);
        }
        return finish(number);
    }
};

/// The whole network, with gradient accumulation over the same micro-batches; averaged over the pipelines' ranks.
struct Whole : Trained {
    Whole(const Graph& graph, const Settings& settings, PipelineGroups& groups) {
        model = backend->compile(graph, compile_options(graph, {}, nullptr));
        begin(graph, settings, groups.same_stage());
    }
    UpdateResult train(const std::vector<Batch>& batches, std::int64_t micro_batches, int number) {
        StepTimes times;
        std::vector<Batch> parts;
        for (const Batch& batch : batches) {
            std::int64_t begin = 0;
            for (const std::int64_t size : micro_batch_sizes(batch.size(), micro_batches)) {
                parts.push_back(part_of(batch, begin, size));
                begin += size;
            }
        }
        step->begin(static_cast<std::int64_t>(parts.size()));
        for (const Batch& part : parts) {
            step->batch(part, times);
        }
        return finish(number);
    }
};

/// Of all parameters that the rank has, in parts of the larger ones.
double largest_difference(CompiledModel& stage, CompiledModel& whole, const Graph& graph) {
    double largest = 0;
    for (const ParameterId id : graph.parameters.indices()) {
        if (!stage.has(id)) {
            continue;
        }
        const std::vector<float> a = stage.weight(id);
        const std::vector<float> b = whole.weight(id);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double expected = b[i];
            largest = std::max(largest, std::abs(a[i] - expected) / std::max(1.0, std::abs(expected)));
        }
    }
    return largest;
}

class Pipelines : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, Pipelines,
                         ::testing::Values(WorldOptions{.ranks = 2},
                                           WorldOptions{.ranks = 2, .transport = Transport::gloo},
                                           WorldOptions{.ranks = 4},
                                           WorldOptions{.ranks = 4, .hosts = {"a", "b", "a", "b"}}),
                         [](const auto& one) { return test_name(one.param); });

/// Norms over the images of a batch, whose pixels are few, make much of little: of three images the second update has
/// nothing in common any more.
constexpr std::int64_t kLarge = 24;

/// Trains both ways, and compares what each update gives.
void expect_equal_training(const Network& network, const Settings& settings, ProcessGroup& world,
                           std::int64_t batch_size = kLarge, int accumulate = 1) {
    const Graph graph = network.graph();
    PipelineGroups groups(world, settings.stages);
    Staged staged(graph, settings, groups);
    Whole whole(graph, settings, groups);
    for (int update = 0; update < 2; ++update) {
        std::vector<Batch> batches;
        for (int i = 0; i < accumulate; ++i) {
            batches.push_back(batch_of(graph, groups.pipeline(), update * 10 + i, batch_size));
        }
        const UpdateResult expected = whole.train(batches, settings.micro_batches, update);
        const UpdateResult result = staged.train(batches, update);
        if (groups.last()) {
            EXPECT_NEAR(result.mine.loss, expected.mine.loss, 1e-4 * std::abs(expected.mine.loss))
                << network.name;
            EXPECT_EQ(result.mine.samples, expected.mine.samples);
            EXPECT_NEAR(result.mine.correct, expected.mine.correct, 1e-9);
        } else {
            EXPECT_EQ(result.mine.samples, 0);
            EXPECT_EQ(result.elsewhere, batch_size * accumulate);
        }
        EXPECT_NEAR(*result.gradient_norm, *expected.gradient_norm,
                    (update == 0 ? 1e-5 : 1e-3) * *expected.gradient_norm)
            << network.name;
        EXPECT_LE(largest_difference(*staged.model, *whole.model, graph), update == 0 ? 1e-6 : 1e-3)
            << network.name << ", update " << update << ", stage " << groups.stage();
    }
}

TEST_P(Pipelines, TrainLikeAccumulation) {
    for (const Network& network : networks()) {
        for (const PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_forward_one_backward}) {
            in_world(GetParam(),
                     [&](ProcessGroup& world) { expect_equal_training(network, {.order = order}, world); });
        }
    }
}

TEST_P(Pipelines, WorkWithZeroRecomputationClippingAndAccumulation) {
    for (const Network& network : {Network{"resnet18", resnet18_tiny_images}, Network{"excited", excited},
                                   Network{"forgetful language", forgetful_language}}) {
        const bool tied = network.name == "forgetful language";
        in_world(GetParam(), [&](ProcessGroup& world) {
            expect_equal_training(network, {.recompute = true}, world);
            expect_equal_training(network, {.clip_norm = 0.05}, world);
            expect_equal_training(network, {}, world, kLarge, 2);
            if (world.size() == 4) {
                expect_equal_training(network, {.zero = ZeroStage::optimizer_state, .clip_norm = 0.05},
                                      world);
                if (!tied) {
                    expect_equal_training(network, {.zero = ZeroStage::gradients}, world);
                }
            }
        });
    }
}

TEST(Pipeline, OfManyStages) {
    for (const int ranks : {3, 4, 8}) {
        in_world({.ranks = ranks}, [&](ProcessGroup& world) {
            for (const PipelineOrder order :
                 {PipelineOrder::gpipe, PipelineOrder::one_forward_one_backward}) {
                for (const std::int64_t micro_batches : {1, 2, 6}) {
                    expect_equal_training({"resnet18", resnet18_tiny_images},
                                          {.stages = ranks, .micro_batches = micro_batches, .order = order},
                                          world);
                }
            }
        });
    }
}

/// A batch of 7 in 3 parts: 3, 3, 1. Each sample counts the same, as in one batch without batch norms.
TEST(Pipeline, UnequalMicroBatchesAreOneBatch) {
    in_world({.ranks = 2}, [](ProcessGroup& world) {
        const Graph graph = language();
        PipelineGroups groups(world, 2);
        Staged staged(graph, {}, groups);
        Whole whole(graph, {}, groups);
        for (int update = 0; update < 2; ++update) {
            const std::vector<Batch> batch = one_batch(graph, 0, update);
            const UpdateResult expected = whole.train(batch, 1, update);
            const UpdateResult result = staged.train(batch, update);
            EXPECT_NEAR(*result.gradient_norm, *expected.gradient_norm, 1e-5 * *expected.gradient_norm);
            if (groups.last()) {
                EXPECT_NEAR(result.mine.mean_loss(), expected.mine.mean_loss(), 1e-5);
            }
        }
        EXPECT_LE(largest_difference(*staged.model, *whole.model, graph), 1e-5);
    });
}

TEST(Pipeline, EvaluatesAndShowsTheWholeModelToRankZero) {
    for (const Network& network : networks()) {
        in_world({.ranks = 4}, [&](ProcessGroup& world) {
            const Graph graph = network.graph();
            PipelineGroups groups(world, 2);
            Staged staged(graph, {}, groups);
            Whole whole(graph, {}, groups);
            const std::vector<Batch> batch = one_batch(graph, groups.pipeline(), 0, kLarge);
            whole.train(batch, 3, 0);
            staged.train(batch, 0);
            const BatchResult expected = whole.step->evaluate(batch[0]);
            const BatchResult result = staged.step->evaluate(batch[0]);
            EXPECT_EQ(result.elsewhere, !groups.last());
            if (groups.last()) {
                EXPECT_NEAR(result.loss, expected.loss, 1e-4 * expected.loss) << network.name;
            }
            staged.step->with_whole_arrays(CompiledModel::Whole::with_optimizer, [&] {
                staged.model->with_whole_model(CompiledModel::Whole::with_optimizer, [&] {
                    if (world.rank() != 0) {
                        return;
                    }
                    for (const ParameterId id : graph.parameters.indices()) {
                        const std::vector<float> mine = staged.model->weight(id);
                        const std::vector<float> theirs = whole.model->weight(id);
                        std::vector<float> momentum(mine.size());
                        ASSERT_TRUE(staged.model->read_optimizer_state("momentum_buffer", id, momentum));
                        const std::vector<float> expected_momentum =
                            whole.model->optimizer_state("momentum_buffer", id);
                        for (std::size_t i = 0; i < mine.size(); ++i) {
                            ASSERT_NEAR(mine[i], theirs[i], 1e-6) << graph.parameters[id].name;
                            ASSERT_NEAR(momentum[i], expected_momentum[i], 2e-5) << graph.parameters[id].name;
                        }
                    }
                    for (const StatisticId id : graph.statistics.indices()) {
                        const std::vector<double> mine = staged.model->statistic(id);
                        const std::vector<double> theirs = whole.model->statistic(id);
                        ASSERT_EQ(mine.size(), theirs.size());
                        for (std::size_t i = 0; i < mine.size(); ++i) {
                            ASSERT_NEAR(mine[i], theirs[i], 1e-5) << graph.statistics[id].name;
                        }
                    }
                });
            });
            world.barrier();  // a group lives until its messages are received
        });
    }
}

TEST(Pipeline, SendsWhatItsStagesHandOver) {
    for (const Transport transport : {Transport::automatic, Transport::gloo}) {
        in_world({.ranks = 3, .transport = transport}, [](ProcessGroup& world) {
            const Graph graph = resnet18_tiny_images();
            PipelineGroups groups(world, 3);
            Staged staged(graph, {.stages = 3}, groups);
            staged.train(one_batch(graph, 0, 0, 6), 0);
            const std::uint64_t before = groups.sent();
            staged.step->begin(1);
            StepTimes times;
            staged.step->batch(batch_of(graph, 0, 1, 6), times);
            const std::uint64_t sent = groups.sent() - before;
            staged.finish(1);
            const auto bytes = [&](int stage) {
                return static_cast<std::uint64_t>(
                           6 * handed_over(staged.division.stages[static_cast<std::size_t>(stage)].graph)) *
                       sizeof(float);
            };
            const int stage = groups.stage();
            EXPECT_EQ(sent, (groups.last() ? 0 : bytes(stage)) + (groups.first() ? 0 : bytes(stage - 1)));
        });
    }
}

TEST(Pipeline, KeepsTheStateOfItsStageAlone) {
    in_world({.ranks = 4}, [](ProcessGroup& world) {
        const Graph graph = resnet18_tiny_images();
        PipelineGroups groups(world, 4);
        Staged staged(graph, {.stages = 4}, groups);
        Whole whole(graph, {}, groups);
        std::size_t own = 0;
        for (const ParameterId id : graph.parameters.indices()) {
            own += staged.model->has(id) ? staged.model->weight(id).size() : 0;
        }
        const std::size_t padding = 16 * graph.parameters.size();
        EXPECT_GE(staged.model->weights().size(), own);
        // Also layouts that fill groups of channels up.
        std::vector<double> all{static_cast<double>(own),
                                static_cast<double>(staged.model->weights().size())};
        world.sum(std::span(all));
        EXPECT_NEAR(all[1], static_cast<double>(whole.model->weights().size()), static_cast<double>(padding));
        std::size_t total = 0;
        for (const Parameter& parameter : graph.parameters) {
            total += static_cast<std::size_t>(element_count(parameter.shape));
        }
        EXPECT_EQ(all[0], static_cast<double>(total));
    });
}

}  // namespace
}  // namespace rankscope::engine::test
