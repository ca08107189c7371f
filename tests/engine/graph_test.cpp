// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <engine/ddp/buckets.h>
#include <engine/error.h>
#include <engine/graph/buffer_plan.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/rewrite.h>
#include <engine/graph/schedule.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>
#include <tests/engine/parameter_ids.h>

#include <algorithm>
#include <random>

namespace rankscope::engine::test {
namespace {

TEST(Graph, ConvNetHasTheTutorialsShapes) {
    const Graph graph = build_model("convnet", {1, 28, 28}, 10);
    std::int64_t total = 0;
    for (const Parameter& parameter : graph.parameters) {
        total += element_count(parameter.shape);
    }
    EXPECT_EQ(total, 113674);
    EXPECT_EQ(graph.parameters.items().front().name, "conv1.weight");
    EXPECT_EQ(graph.parameters.items().back().name, "fc1.bias");
    EXPECT_EQ(graph.parameters[ParameterId(6)].shape, (Shape{10, 2048}));
}

TEST(Graph, ShapesThatDoNotFitAreNamed) {
    GraphBuilder builder({1, 4, 4});
    try {
        builder.conv2d("stem", {.out_channels = 2, .kernel = 7, .stride = 1, .padding = 0});
        FAIL();
    } catch (const ShapeError& error) {
        EXPECT_NE(std::string(error.what()).find("stem"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("[1, 4, 4]"), std::string::npos);
    }
    EXPECT_THROW(GraphBuilder({1, 4}).linear("f", 3), ShapeError);
}

std::string fault_of(const Shape& input, const Conv2d& conv) {
    try {
        GraphBuilder(input).conv2d("stem", conv);
    } catch (const ShapeError& error) {
        return error.what();
    }
    return "";
}

TEST(Graph, GroupsAndDilationsThatDoNotFitAreNamed) {
    EXPECT_EQ(fault_of({6, 9, 9}, {.out_channels = 8, .kernel = 3, .groups = 4}),
              "stem: its groups (4) do not divide its input channels and its 8 output channels, the input is "
              "[6, 9, 9]");
    EXPECT_NE(fault_of({6, 9, 9}, {.out_channels = 8, .groups = 3}).find("its 8 output channels"),
              std::string::npos);
    EXPECT_NE(fault_of({6, 9, 9}, {.out_channels = 8, .groups = 0}).find("groups (0)"), std::string::npos);
    EXPECT_NE(fault_of({6, 9, 9}, {.out_channels = 8, .kernel = 3, .dilation = 0}).find("dilation is 0"),
              std::string::npos);
    EXPECT_NE(fault_of({6, 8, 9}, {.out_channels = 8, .kernel = 3, .dilation = 4}).find("the kernel (9)"),
              std::string::npos);
    const Graph graph = GraphBuilder({6, 9, 9})
                            .conv2d("c", {.out_channels = 9, .kernel = 3, .groups = 3, .dilation = 4})
                            .flatten()
                            .mean_squared_error();
    EXPECT_EQ(graph.parameters[ParameterId(0)].shape, (Shape{9, 2, 3, 3}));
    EXPECT_EQ(graph.parameters[ParameterId(0)].fan_in, 18);
    EXPECT_EQ(graph.values[graph.nodes.front().output].shape, (Shape{9, 1, 1}));
}

TEST(Models, UnknownNameListsTheKnownOnes) {
    try {
        build_model("resnet9000", {1, 28, 28}, 10);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("convnet"), std::string::npos);
    }
}

TEST(Models, TheSchemaHasTheSameNames) {
    EXPECT_EQ(model_names(), config::known_models());
}

TEST(Rewrite, ReluGoesIntoTheMaxPoolBehindIt) {
    const Graph graph = fuse_relu_into_max_pool(build_model("convnet", {1, 28, 28}, 10));
    int pools = 0;
    for (const Node& node : graph.nodes) {
        EXPECT_FALSE(std::holds_alternative<Relu>(node.operation));
        if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
            EXPECT_TRUE(pool->relu);
            ++pools;
        }
    }
    EXPECT_EQ(pools, 3);
}

TEST(Schedule, WeightsBeforeDataAndNoGradientForTheInput) {
    const Graph graph = build_model("mlp", {1, 28, 28}, 10);
    const Schedule schedule = differentiate(graph);
    const ScheduledOp& last = schedule.ops.back();
    EXPECT_EQ(last.phase, Phase::backward_weights);
    EXPECT_EQ(last.finished, ids({0, 1}));
    EXPECT_EQ(schedule.backward_begin, graph.nodes.size());
}

TEST(BufferPlan, WhatLivesTogetherNeverOverlaps) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<BufferLifetime> buffers;
        std::size_t sum = 0;
        for (int i = 0; i < 30; ++i) {
            const std::size_t first = random() % 20;
            buffers.push_back({random() % 5000, first, first + random() % 6});
            sum += buffers.back().bytes + kBufferAlignment;
        }
        const BufferPlan plan = plan_buffers(buffers);
        EXPECT_LE(plan.total, sum);
        for (std::size_t a = 0; a < buffers.size(); ++a) {
            EXPECT_EQ(plan.offsets[a] % kBufferAlignment, 0U);
            EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.total);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
                const bool apart = plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                                   plan.offsets[b] + buffers[b].bytes <= plan.offsets[a];
                EXPECT_TRUE(!together || apart || buffers[a].bytes == 0 || buffers[b].bytes == 0);
            }
        }
    }
}

TEST(Buckets, CloseWithTheParameterThatReachesTheLimit) {
    // Arrival is the order of storage: the last parameter first.
    const ParameterLayout layout{{{112, 100}, {96, 10}, {32, 64}, {0, 20}}, 224, ""};
    const auto buckets = plan_buckets(layout, {80, 290});
    ASSERT_EQ(buckets.size(), 3U);
    EXPECT_EQ(buckets[0].parameters, ids({3}));
    EXPECT_EQ(buckets[0].ranges, (std::vector<FlatRange>{{0, 20}}));
    EXPECT_EQ(buckets[1].parameters, ids({2, 1}));
    EXPECT_EQ(buckets[1].ranges, (std::vector<FlatRange>{{32, 74}}));
    EXPECT_EQ(buckets[2].ranges, (std::vector<FlatRange>{{112, 100}}));
    EXPECT_EQ(buckets[2].live_size(), 100U);
    EXPECT_EQ(plan_buckets(layout, {1, 1}).size(), 4U);
    EXPECT_EQ(plan_buckets(layout, BucketLimits{}).size(), 1U);
}

TEST(Buckets, FollowTheOrderOfArrivalAndLeaveOutWhatIsAlwaysZero) {
    ParameterLayout layout{{{1000, 900}, {500, 450}, {0, 450}}, 1900, ""};
    layout.slots[ParameterId(0)].live = {{1000, 100}, {1500, 100}};
    const std::vector<ParameterId> order = ids({1, 0, 2});
    const auto buckets = plan_buckets(layout, {2000, 2600}, order);
    ASSERT_EQ(buckets.size(), 2U);
    EXPECT_EQ(buckets[0].parameters, ids({1, 0}));
    EXPECT_EQ(buckets[0].ranges, (std::vector<FlatRange>{{500, 450}, {1000, 900}}));
    EXPECT_EQ(buckets[0].live, (std::vector<FlatRange>{{500, 450}, {1000, 100}, {1500, 100}}));
    EXPECT_EQ(buckets[0].live_size(), 650U);
    EXPECT_EQ(buckets[1].parameters, ids({2}));
}

// A small parameter between two of another bucket: with the gap it was in both, and its average was averaged
// again, which costs a last digit now and then.
TEST(Buckets, NoElementIsInTwoOfThem) {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        ParameterLayout layout;
        std::vector<ParameterId> order;
        for (int i = 0; i < 12; ++i) {
            const std::size_t size = 1 + random() % 70;
            const ParameterId id = layout.slots.add({layout.total, size, {}});
            if (size > 40 && random() % 2 == 0) {
                layout.slots[id].live = {{layout.total + 3, 5}, {layout.total + 20, 9}};
            }
            layout.total += (size + 15) / 16 * 16;
            order.push_back(id);
        }
        std::shuffle(order.begin(), order.end(), random);
        std::vector<int> reduced(layout.total, 0);
        std::vector<int> updated(layout.total, 0);
        for (const Bucket& bucket : plan_buckets(layout, {100, 300}, order)) {
            for (const FlatRange& range : bucket.live) {
                std::for_each_n(reduced.begin() + static_cast<std::ptrdiff_t>(range.offset), range.size,
                                [](int& count) { ++count; });
            }
            for (const FlatRange& range : bucket.ranges) {
                std::for_each_n(updated.begin() + static_cast<std::ptrdiff_t>(range.offset), range.size,
                                [](int& count) { ++count; });
            }
        }
        EXPECT_LE(*std::max_element(reduced.begin(), reduced.end()), 1);
        EXPECT_LE(*std::max_element(updated.begin(), updated.end()), 1);
        for (const ParameterSlot& slot : layout.slots) {
            for (std::size_t i = 0; i < slot.size; ++i) {
                EXPECT_EQ(updated[slot.offset + i], 1);
                EXPECT_TRUE(!slot.live.empty() || reduced[slot.offset + i] == 1);
            }
        }
    }
}

TEST(Buckets, DefaultLimitSplitsASmallNetAndKeepsDdpsForALargeOne) {
    EXPECT_EQ(default_bucket_limits(1000).first, 64U << 10U);
    EXPECT_LT(default_bucket_limits(454952).others, 100000U);
    EXPECT_EQ(default_bucket_limits(std::size_t{1} << 30U).first, std::size_t{1} << 20U);
    EXPECT_EQ(default_bucket_limits(std::size_t{1} << 30U).others, std::size_t{25} << 20U);
}

// torch.utils.flop_counter of PyTorch 2.15 for one sample, batch norms in training, the networks of torchvision, timm and
// engine/bench/peers. In the backward pass it counts grouped convolutions as if they had no groups, and scores of attention
// once more: those figures are three times the forward pass, less the gradient of the pictures.
TEST(GraphCost, FlopsAreThoseOfPyTorchsCounter) {
    const Shape picture{3, 224, 224};
    const auto expect = [](const std::string& model, const Shape& sample, std::int64_t classes,
                           std::int64_t parameters, double forward, double training) {
        const Graph graph = build_model(model, sample, classes);
        const Flops flops = flops_of(graph);
        EXPECT_EQ(parameter_count(graph), parameters) << model;
        EXPECT_EQ(flops.forward, forward) << model;
        EXPECT_EQ(flops.training, training) << model;
    };
    expect("convnet", {1, 28, 28}, 10, 113674, 15020288.0, 43979264.0);
    expect("resnet18", picture, 1000, 11689512, 3628146688.0, 10648412160.0);
    expect("resnet50", picture, 1000, 25557032, 8178368512.0, 24299077632.0);
    expect("wide_resnet50_2", picture, 1000, 68883240, 22796042240.0, 68152098816.0);
    expect("densenet121", picture, 1000, 7978856, 5668323328.0, 16768942080.0);
    expect("densenet161", picture, 1000, 28681000, 15455814144.0, 46013400576.0);
    expect("densenet201", picture, 1000, 20013928, 8582731776.0, 25512167424.0);
    const double stem = 2.0 * 3 * 9 * 32 * 112 * 112;
    expect("efficientnet_b0", picture, 1000, 5288548, 771629504.0, 3 * 771629504.0 - stem);
    expect("regnety_160", picture, 1000, 83590140, 31823020544.0, 3 * 31823020544.0 - stem);
    expect("vit_tiny_patch16_224", picture, 1000, 5717416, 2507366400.0, 7464296448.0);
    expect("gpt2", {256}, 50257, 124439808, 65664319488.0, 3 * 65664319488.0);
}

}  // namespace
}  // namespace rankscope::engine::test
