// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// ZeRO against data-parallel training: the same weights to the last bit, less memory, the same bytes.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/training_step.h>
#include <engine/checkpoint/model_state.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>
#include <tests/engine/small_networks.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <random>

namespace rankscope::engine::test {
namespace {

struct Network {
    std::string name;
    std::function<Graph()> graph;
};

/// Large worlds take long on few cores: not all.
std::vector<Network> networks(int ranks) {
    if (ranks > 3) {
        return {{"mlp", mlp}, {"taps", residual_small}, {"language", language}};
    }
    return {{"mlp", mlp},
            {"convnet", convnet},
            {"taps", residual_small},
            {"odd", residual_odd},
            {"resnet18", resnet18_tiny_images},
            {"language", language},
            {"patches", patches},
            {"distances", distances},
            {"dense", dense_blocks}};
}

constexpr std::int64_t kBatch = 3;
constexpr std::array kStages{ZeroStage::optimizer_state, ZeroStage::gradients, ZeroStage::parameters};

Batch batch_of(const Graph& graph, int rank, int number) {
    Batch batch;
    batch.rows = graph.rows;
    std::mt19937 random(static_cast<std::uint32_t>(100 * number + rank));
    const auto count = static_cast<std::size_t>(kBatch * element_count(graph.values[kInputValue].shape));
    std::vector<float> pixels(count);
    for (float& pixel : pixels) {
        pixel = static_cast<float>(random() % 1000) * 0.0015F - 0.5F;
    }
    as_tokens(graph, pixels);
    batch.pixels.resize(count);
    std::copy(pixels.begin(), pixels.end(), batch.pixels.begin());
    batch.labels.resize(static_cast<std::size_t>(kBatch * graph.rows));
    for (std::int32_t& label : batch.labels) {
        label = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(graph.classes));
    }
    return batch;
}

/// A rank's model and its way to train it.
struct Rank {
    int rank;
    std::unique_ptr<Backend> backend = make_cpu_backend(1);
    std::unique_ptr<CompiledModel> model;
    std::unique_ptr<TrainingStep> step;

    Rank(const Graph& graph, ProcessGroup& group, ZeroStage stage, const StepOptions& options = {},
         StorageOrder order = StorageOrder::native)
        : rank(group.rank()) {
        constexpr std::size_t kSmall = std::size_t{16} << 10U;  // several buckets
        const BucketLimits limits{kSmall / 2, kSmall};
        CompileOptions compile{.batch_size = kBatch, .order = order};
        compile.topk = std::min<std::int64_t>(5, graph.classes);
        compile.allocate = [&group](std::size_t floats) { return group.allocate(floats); };
        if (stage != ZeroStage::none) {
            compile.sharding =
                Sharding{.stage = stage, .rank = group.rank(), .ranks = group.size(), .limits = limits};
            compile.gather_shares = [&group](std::span<const Piece> pieces, Shares shares, When when) {
                return group.gather_shares(pieces, shares, when);
            };
        }
        model = backend->compile(graph, compile);
        const CanonicalParameters initial = default_initialisation(graph, 1);
        for (const ParameterId id : initial.indices()) {
            model->set_weight(id, initial[id]);
        }
        step = model->training_step(options, {.group = &group, .limits = limits});
    }

    UpdateResult train(const Graph& graph, int rank, int number, const OptimizerStep& optimizer,
                       int batches = 1) {
        StepTimes times;
        step->begin(batches);
        for (int i = 0; i < batches; ++i) {
            step->batch(batch_of(graph, rank, number * 10 + i), times);
        }
        OptimizerStep own = optimizer;
        own.step = number + 1;
        step->finish(own, true, times);
        return step->result(times);
    }
};

std::vector<float> parameters(CompiledModel& model, const Graph& graph) {
    std::vector<float> all;
    for (const ParameterId id : graph.parameters.indices()) {
        const std::vector<float> values = model.weight(id);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
    }
    return largest;
}

/// Also where ranks share them: then rank 0 compares. Collective.
void expect_parameters(Rank& rank, const Graph& graph, const std::vector<float>& expected, double tolerance,
                       const std::string& where) {
    const bool shared = rank.model->shards() != nullptr && rank.model->shards()->gathers();
    rank.step->with_whole_arrays(CompiledModel::Whole::weights, [&] {
        if (shared && rank.rank > 0) {
            return;
        }
        const std::vector<float> values = parameters(*rank.model, graph);
        if (tolerance == 0) {
            EXPECT_EQ(values, expected) << where;
        } else {
            EXPECT_LT(largest_difference(values, expected), tolerance) << where;
        }
    });
}

const OptimizerStep kSgd{.lr = 0.05, .weight_decay = 1e-3, .momentum = 0.9};
const OptimizerStep kAdamW{
    .kind = OptimizerKind::adamw, .lr = 1e-3, .weight_decay = 0.1, .decay_norm_bias = false};

class Zero : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, Zero,
                         ::testing::Values(WorldOptions{.ranks = 1}, WorldOptions{.ranks = 2},
                                           WorldOptions{.ranks = 3},
                                           WorldOptions{.ranks = 2, .transport = Transport::gloo},
                                           WorldOptions{.ranks = 4, .hosts = {"a", "a", "b", "b"}},
                                           WorldOptions{.ranks = 8}),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(Zero, TrainsToTheBitsOfDataParallelTraining) {
    for (const Network& network : networks(GetParam().ranks)) {
        const Graph graph = network.graph();
        for (const OptimizerStep& optimizer : {kSgd, kAdamW}) {
            in_world(GetParam(), [&](ProcessGroup& group) {
                Rank whole(graph, group, ZeroStage::none);
                std::deque<Rank> sharded;
                for (const ZeroStage stage : kStages) {
                    sharded.emplace_back(graph, group, stage);
                }
                for (int update = 0; update < 3; ++update) {
                    const UpdateResult expected = whole.train(graph, group.rank(), update, optimizer);
                    for (Rank& rank : sharded) {
                        const UpdateResult result = rank.train(graph, group.rank(), update, optimizer);
                        EXPECT_EQ(result.mine.loss, expected.mine.loss);
                        EXPECT_NEAR(*result.gradient_norm, *expected.gradient_norm,
                                    1e-6 * *expected.gradient_norm);
                    }
                }
                const std::vector<float> expected = parameters(*whole.model, graph);
                for (Rank& rank : sharded) {
                    expect_parameters(rank, graph, expected, 0, network.name);
                }
            });
        }
    }
}

TEST_P(Zero, ClipsAndAccumulatesLikeDataParallelTraining) {
    for (const Graph& graph : {resnet18_tiny_images(), language()}) {
        in_world(GetParam(), [&](ProcessGroup& group) {
            const StepOptions options{.clip_norm = 0.05};
            Rank whole(graph, group, ZeroStage::none, options);
            // One update: rounding in another order is then only what a norm over three images makes of it.
            whole.train(graph, group.rank(), 0, kSgd, 3);
            const std::vector<float> expected = parameters(*whole.model, graph);
            for (const ZeroStage stage : kStages) {
                Rank rank(graph, group, stage, options);
                rank.train(graph, group.rank(), 0, kSgd, 3);
                expect_parameters(rank, graph, expected, 1e-6, std::to_string(static_cast<int>(stage)));
            }
        });
    }
}

TEST_P(Zero, KeepsAShareOfTheStateAndOfTheGradients) {
    const Graph graph = resnet18_tiny_images();
    in_world(GetParam(), [&](ProcessGroup& group) {
        const auto ranks = static_cast<std::size_t>(group.size());
        for (const ZeroStage stage : kStages) {
            Rank rank(graph, group, stage);
            rank.train(graph, group.rank(), 0, kAdamW);
            CompiledModel& model = *rank.model;
            const ShardPlan& shards = *model.shards();
            const std::size_t total = model.layout().total;
            // Shares are rounded to a cache line in each bucket.
            const std::size_t share = total / ranks;
            const std::size_t rounding = 16 * (shards.buckets().size() + 1);
            ASSERT_GT(shards.buckets().size(), 5U);
            EXPECT_LE(shards.owned_size(), share + rounding);
            EXPECT_EQ(model.optimizer_arrays().size(), 2U);
            for (const auto& [name, values] : model.optimizer_arrays()) {
                EXPECT_EQ(values.size(), shards.owned_size()) << name;
            }
            std::size_t largest = 0;
            for (const Bucket& bucket : shards.buckets()) {
                largest = std::max(largest, bucket.ranges.back().offset + bucket.ranges.back().size -
                                                bucket.ranges.front().offset);
            }
            if (stage == ZeroStage::parameters) {
                EXPECT_EQ(model.owned_weights().size(), shards.owned_size());
                // One is read, the next one comes; a layer may end one and begin the next.
                EXPECT_LE(model.weights().size(), 3 * largest);
            } else {
                EXPECT_EQ(model.weights().size(), total);
            }
            if (stage >= ZeroStage::gradients) {
                EXPECT_EQ(model.owned_gradients().size(), shards.owned_size());
                // One is being computed, one is being sent; a layer may end one and begin the next.
                EXPECT_LE(model.gradients().size(), 3 * largest);
                EXPECT_LT(model.gradients().size(), total / 2);
            } else {
                EXPECT_EQ(model.gradients().size(), total);
            }
        }
    });
}

TEST_P(Zero, SendsTheBytesOfAnAllReduce) {
    const WorldOptions world = GetParam();
    if (!world.hosts.empty()) {
        GTEST_SKIP() << "between hosts only one rank of each sends";
    }
    const Graph graph = mlp();
    in_world(world, [&](ProcessGroup& group) {
        std::map<ZeroStage, Traffic> sent;
        for (const ZeroStage stage :
             {ZeroStage::none, ZeroStage::optimizer_state, ZeroStage::gradients, ZeroStage::parameters}) {
            Rank rank(graph, group, stage);
            rank.train(graph, group.rank(), 0, kSgd);  // DDP plans its buckets again
            const Traffic before = group.traffic();
            rank.train(graph, group.rank(), 1, kSgd);
            for (std::size_t kind = 0; kind < kCollectiveKinds; ++kind) {
                sent[stage].bytes[kind] = group.traffic().bytes[kind] - before.bytes[kind];
            }
        }
        const auto ranks = static_cast<double>(group.size());
        const double theory =
            static_cast<double>(parameters(*Rank(graph, group, ZeroStage::none).model, graph).size()) *
            sizeof(float) * (ranks - 1) / ranks;
        const double rounding = 64.0 * ranks * 40;  // of shares, and the sum of the gradients' norm
        EXPECT_NEAR(static_cast<double>(sent[ZeroStage::none].of(CollectiveKind::all_reduce)), 2 * theory,
                    rounding);
        for (const ZeroStage stage : {ZeroStage::optimizer_state, ZeroStage::gradients}) {
            EXPECT_NEAR(static_cast<double>(sent[stage].of(CollectiveKind::reduce_scatter)), theory,
                        rounding);
            EXPECT_NEAR(static_cast<double>(sent[stage].of(CollectiveKind::all_gather)), theory, rounding);
            EXPECT_NEAR(static_cast<double>(sent[stage].total()), 2 * theory, 2 * rounding);
        }
        // Once for each pass, but for the last bucket of the forward pass, which stays.
        const Traffic& gathered = sent[ZeroStage::parameters];
        EXPECT_NEAR(static_cast<double>(gathered.of(CollectiveKind::reduce_scatter)), theory, rounding);
        EXPECT_LE(static_cast<double>(gathered.of(CollectiveKind::all_gather)), 2 * theory + rounding);
        EXPECT_GE(static_cast<double>(gathered.of(CollectiveKind::all_gather)), 1.5 * theory - rounding);
    });
}

TEST_P(Zero, EvaluatesWithRanksThatHaveNoMoreBatches) {
    const Graph graph = language();
    in_world(GetParam(), [&](ProcessGroup& group) {
        Rank whole(graph, group, ZeroStage::none);
        Rank shared(graph, group, ZeroStage::parameters);
        for (int batch = 0; batch < 3; ++batch) {
            if (batch > 0 && group.rank() > 0) {
                shared.step->join_evaluation();
                continue;
            }
            const Batch own = batch_of(graph, group.rank(), batch);
            EXPECT_EQ(shared.step->evaluate(own).loss, whole.step->evaluate(own).loss);
        }
        shared.train(graph, group.rank(), 0, kSgd);
    });
}

TEST_P(Zero, StateGoesFromAnyLayoutIntoAnyOther) {
    const Graph graph = residual_small();
    constexpr std::array kAll{ZeroStage::none, ZeroStage::optimizer_state, ZeroStage::gradients,
                              ZeroStage::parameters};
    Snapshot snapshot;
    std::vector<float> expected;
    for (const ZeroStage from : kAll) {
        in_world(GetParam(), [&](ProcessGroup& group) {
            Rank rank(graph, group, from);
            rank.train(graph, group.rank(), 0, kAdamW);
            rank.train(graph, group.rank(), 1, kAdamW);
            rank.step->with_whole_arrays(CompiledModel::Whole::with_optimizer, [&] {
                if (group.rank() == 0) {
                    snapshot = {};
                    collect(*rank.model, graph, snapshot);
                }
            });
            group.barrier();
            rank.train(graph, group.rank(), 2, kAdamW);
            rank.step->with_whole_arrays(CompiledModel::Whole::weights, [&] {
                if (group.rank() == 0) {
                    expected = parameters(*rank.model, graph);
                }
            });
        });
        EXPECT_EQ(snapshot.optimizer.size(), 2 * graph.parameters.size());
        for (const ZeroStage to : kAll) {
            in_world(GetParam(), [&](ProcessGroup& group) {
                Rank rank(graph, group, to, {}, StorageOrder::native);
                restore_model(snapshot.model, *rank.model, graph);
                restore_optimizer(snapshot.optimizer, *rank.model, graph);
                rank.train(graph, group.rank(), 2, kAdamW);
                expect_parameters(
                    rank, graph, expected, 0,
                    std::to_string(static_cast<int>(from)) + " to " + std::to_string(static_cast<int>(to)));
            });
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
