// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/reducer.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>
#include <tests/engine/parameter_ids.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace rankscope::engine::test {
namespace {

const WorldOptions kTwo{.ranks = 2};

ParameterLayout small_layout() {
    return {{{112, 100}, {96, 10}, {32, 64}, {0, 20}}, 224, "test"};
}

ReducerOptions limits(std::size_t first, std::size_t others) {
    ReducerOptions options;
    options.limits = BucketLimits{first, others};
    options.names = {"conv.weight", "conv.bias", "fc.weight", "fc.bias"};
    return options;
}

void fill(std::span<float> gradients, const ParameterLayout& layout, ParameterId id, float value) {
    std::fill_n(gradients.begin() + static_cast<std::ptrdiff_t>(layout.slots[id].offset),
                layout.slots[id].size, value);
}

const std::vector<ParameterId> kBackward = ids({3, 2, 1, 0});

TEST(Reducer, AveragesOverTheRanksWhateverTheBucketsAndTheOrder) {
    const ParameterLayout layout = small_layout();
    for (const std::size_t limit : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 20U}) {
        for (const auto& hosts : {std::vector<std::string>{}, {"a", "b"}}) {
            in_world({.ranks = 2, .hosts = hosts}, [&](ProcessGroup& group) {
                std::vector<float> gradients(layout.total);
                Reducer reducer(group, layout, gradients, limits(limit, limit));
                for (int step = 0; step < 3; ++step) {
                    reducer.reset();
                    // Out of order on purpose: buckets must still start in order on both ranks.
                    for (const ParameterId id : group.rank() == 0 ? kBackward : ids({1, 0, 3, 2})) {
                        fill(gradients, layout, id,
                             static_cast<float>(id.value() + 1) * (group.rank() == 0 ? 1.0F : 3.0F));
                        reducer.ready(id);
                    }
                    reducer.wait();
                    for (const ParameterId id : layout.slots.indices()) {
                        EXPECT_EQ(gradients[layout.slots[id].offset],
                                  static_cast<float>(id.value() + 1) * 2.0F);
                    }
                }
            });
        }
    }
}

TEST(Reducer, PlansItsBucketsAgainInTheOrderOfRankZero) {
    const ParameterLayout layout = small_layout();
    in_world(kTwo, [&](ProcessGroup& group) {
        std::vector<float> gradients(layout.total, 1.0F);
        Reducer reducer(group, layout, gradients, limits(1, 1));
        ASSERT_EQ(reducer.buckets().size(), 4U);
        EXPECT_EQ(reducer.buckets()[0].parameters, ids({3}));
        const std::vector<ParameterId> first = group.rank() == 0 ? ids({2, 0, 3, 1}) : kBackward;
        for (const auto& order : {first, kBackward}) {
            reducer.reset();
            for (const ParameterId id : order) {
                reducer.ready(id);
            }
            reducer.wait();
            const std::vector<ParameterId> expected = ids({2, 0, 3, 1});
            for (std::size_t i = 0; i < 4; ++i) {
                EXPECT_EQ(reducer.buckets()[i].parameters, std::vector<ParameterId>{expected[i]});
            }
        }
        EXPECT_EQ(gradients, std::vector<float>(layout.total, 1.0F));
    });
}

TEST(Reducer, UpdatesEachBucketAsSoonAsItIsThere) {
    const ParameterLayout layout = small_layout();
    in_world(kTwo, [&](ProcessGroup& group) {
        std::vector<float> gradients(layout.total, static_cast<float>(group.rank()));
        Reducer reducer(group, layout, gradients, limits(1, 290));
        for (const ParameterId id : kBackward) {
            reducer.ready(id);
        }
        std::vector<ParameterId> done;
        reducer.wait([&](std::size_t bucket) {
            for (const ParameterId id : reducer.buckets()[bucket].parameters) {
                done.push_back(id);
                EXPECT_EQ(gradients[layout.slots[id].offset], 0.5F);
            }
        });
        EXPECT_EQ(done, kBackward);
        EXPECT_EQ(reducer.last_step().collectives, reducer.buckets().size());
        // 20, 64 + 22 of alignment + 10, and 100 elements.
        EXPECT_EQ(reducer.last_step().bytes, 4U * (20 + 74 + 100));
        EXPECT_GE(reducer.last_step().exposed_ms, 0.0);
    });
}

TEST(Reducer, NoSyncKeepsGradientsAndTheLastPassReducesTheSum) {
    const ParameterLayout layout = small_layout();
    in_world(kTwo, [&](ProcessGroup& group) {
        std::vector<float> gradients(layout.total);
        Reducer reducer(group, layout, gradients, limits(300, 300));
        const auto pass = [&](Reducer::Sync sync) {
            reducer.reset(sync);
            for (const ParameterId id : kBackward) {
                for (std::size_t i = 0; i < layout.slots[id].size; ++i) {
                    gradients[layout.slots[id].offset + i] += static_cast<float>(1 + group.rank());
                }
                reducer.ready(id);
            }
            reducer.wait();
        };
        pass(Reducer::Sync::no);
        EXPECT_EQ(reducer.last_step().collectives, 0U);
        EXPECT_EQ(gradients[0], static_cast<float>(1 + group.rank()));
        pass(Reducer::Sync::no);
        pass(Reducer::Sync::yes);
        // Not divided by the number of passes, as in PyTorch: that is the loss's matter.
        EXPECT_EQ(gradients[0], 3.0F * 1.5F);
        EXPECT_EQ(gradients[112], 3.0F * 1.5F);
    });
}

TEST(Reducer, WhatIsAlwaysZeroIsNotSent) {
    ParameterLayout layout = small_layout();
    layout.slots[ParameterId(0)].live = {{112, 16}, {176, 4}};
    for (const auto& hosts : {std::vector<std::string>{}, {"a", "a", "b"}}) {
        in_world({.ranks = 3, .hosts = hosts}, [&](ProcessGroup& group) {
            const std::shared_ptr<float> memory = group.allocate(layout.total);
            const std::span<float> gradients(memory.get(), layout.total);
            Reducer reducer(group, layout, gradients, limits(1 << 20U, 1 << 20U));
            std::fill(gradients.begin(), gradients.end(), static_cast<float>(group.rank()));
            for (const ParameterId id : kBackward) {
                reducer.ready(id);
            }
            reducer.wait();
            EXPECT_EQ(reducer.last_step().bytes, 4U * (106 + 6 + 16 + 4));
            const auto average = static_cast<float>((0 + 1.0 / 3 + 2.0 / 3));
            EXPECT_NEAR(gradients[112], average, 1e-6F);
            EXPECT_NEAR(gradients[179], average, 1e-6F);
            EXPECT_EQ(gradients[170], static_cast<float>(group.rank()));  // not touched
            EXPECT_EQ(gradients[185], static_cast<float>(group.rank()));
        });
    }
}

TEST(Reducer, NamesParametersWithoutAGradient) {
    const ParameterLayout layout = small_layout();
    in_world(kTwo, [&](ProcessGroup& group) {
        std::vector<float> gradients(layout.total, 5.0F);
        Reducer reducer(group, layout, gradients, limits(1, 1));
        for (const ParameterId id : ids({3, 1})) {
            reducer.ready(id);
        }
        try {
            reducer.wait();
            ADD_FAILURE() << "continued";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("no gradient came for conv.weight, fc.weight"),
                      std::string::npos)
                << error.what();
        }
        group.barrier();  // the sums that had begun still use the gradients
    });
}

TEST(Reducer, AParameterReportedTwiceIsAnError) {
    const ParameterLayout layout = small_layout();
    in_world({.ranks = 1}, [&](ProcessGroup& group) {
        std::vector<float> gradients(layout.total);
        Reducer reducer(group, layout, gradients, limits(1, 1));
        reducer.ready(ParameterId(2));
        EXPECT_THROW(reducer.ready(ParameterId(2)), Error);
    });
}

TEST(Reducer, RanksThatDifferAreNamedBeforeTheFirstStep) {
    struct Case {
        std::function<void(ParameterLayout&, ReducerOptions&)> change;
        const char* said;
    };
    const std::vector<Case> cases{
        {[](auto& layout, auto&) { layout.slots[ParameterId(2)].size = 60; }, "fc.weight of 60 elements"},
        {[](auto& layout, auto&) {
             layout.slots[ParameterId(0)].live = {{112, 50}};
         },
         "live 112+50"},
        {[](auto&, auto& options) { options.names[ParameterId(1)] = "conv.bia"; }, "conv.bia of 10"},
        {[](auto&, auto& options) { options.limits->others = 301; }, "buckets of 1 and 301 bytes"},
        {[](auto&, auto& options) { options.hook = std::make_unique<CompressionHook>(ElementType::bf16); },
         "compression to bf16"}};
    for (const Case& one : cases) {
        in_world({.ranks = 3}, [&](ProcessGroup& group) {
            ParameterLayout layout = small_layout();
            ReducerOptions options = limits(1, 300);
            if (group.rank() == 2) {
                one.change(layout, options);
            }
            std::vector<float> gradients(layout.total);
            try {
                Reducer reducer(group, layout, gradients, std::move(options));
                ADD_FAILURE() << "accepted " << one.said;
            } catch (const Error& error) {
                const std::string text = error.what();
                EXPECT_NE(text.find("rank 2 has "), std::string::npos) << text;
                EXPECT_NE(text.find(one.said), std::string::npos) << text;
                EXPECT_NE(text.find("rank 0 has "), std::string::npos) << text;
            }
        });
    }
}

class Compression : public ::testing::TestWithParam<ElementType> {};

INSTANTIATE_TEST_SUITE_P(Types, Compression, ::testing::Values(ElementType::bf16, ElementType::f16),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(Compression, StaysWithinItsStatedError) {
    constexpr std::size_t kCount = 100000;
    ParameterLayout layout{{{60000, 40000}, {0, 50000}}, kCount, "test"};
    layout.slots[ParameterId(1)].live = {{0, 1000}, {2000, 30000}};
    const double unit = GetParam() == ElementType::bf16 ? 1.0 / 256 : 1.0 / 2048;
    for (const int ranks : {1, 2, 3, 5}) {
        in_world({.ranks = ranks}, [&](ProcessGroup& group) {
            std::mt19937 random(9);
            std::vector<float> gradients(kCount);
            std::vector<double> sum(kCount);
            std::vector<double> magnitude(kCount);
            std::normal_distribution<float> normal;
            for (int rank = 0; rank < ranks; ++rank) {
                for (std::size_t i = 0; i < kCount; ++i) {
                    const float value = normal(random) * std::pow(10.0F, static_cast<float>(i % 4) - 3.0F);
                    const double scaled = double{value} / ranks;
                    sum[i] += scaled;
                    magnitude[i] += std::fabs(scaled);
                    if (rank == group.rank()) {
                        gradients[i] = value;
                    }
                }
            }
            const std::vector<float> before = gradients;
            ReducerOptions options = limits(1000, 80000);
            options.names = {"a", "b"};
            options.hook = std::make_unique<CompressionHook>(GetParam());
            Reducer reducer(group, layout, gradients, std::move(options));
            reducer.ready(ParameterId(1));
            reducer.ready(ParameterId(0));
            reducer.wait();
            EXPECT_EQ(reducer.last_step().bytes, 2U * 71000U);
            for (std::size_t i = 0; i < kCount; ++i) {
                const bool sent = i < 1000 || (i >= 2000 && i < 32000) || i >= 60000;
                if (!sent) {
                    ASSERT_EQ(gradients[i], before[i]);
                    continue;
                }
                const double bound = 1.01 * unit * (magnitude[i] + std::fabs(sum[i])) + ranks * 3e-8 + 3e-8;
                ASSERT_NEAR(gradients[i], sum[i], bound) << i;
            }
        });
    }
}

}  // namespace
}  // namespace rankscope::engine::test
