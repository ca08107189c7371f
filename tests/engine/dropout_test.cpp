// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/backend/cpu/dropout.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace rankscope::engine::test {
namespace {

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return largest;
}

// The vectors that come with Random123, for zeros.
TEST(Dropout, NumbersAreThoseOfPhilox) {
    constexpr std::uint64_t kOnes = ~std::uint64_t{0};
    const Philox zeros(0, 0, 0);
    EXPECT_THAT(zeros.words, testing::ElementsAre(0x5f6fb709U, 0x0d893f64U, 0x4f121f81U, 0x4f730a48U));
    EXPECT_NE(Philox(kOnes, 0, 0).words[0], zeros.words[0]);
    EXPECT_NE(Philox(0, kOnes, 0).words[0], zeros.words[0]);
    EXPECT_NE(Philox(0, 0, 1).words[0], zeros.words[0]);
}

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
    constexpr int kElements = 100'000;
    for (const double rate : {0.1, 0.5, 0.9}) {
        std::vector<float> values(kElements, 1.0F);
        cpu::drop_in_place<float>(dropout_formula(rate, 3), 42, 0, values);
        const auto dropped = std::count(values.begin(), values.end(), 0.0F);
        EXPECT_NEAR(static_cast<double>(dropped) / kElements, rate, 0.006);
        EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / kElements, 1.0, 0.05);
        // Whatever part of the sample is asked for.
        std::vector<float> part(1001, 1.0F);
        cpu::drop_in_place<float>(dropout_formula(rate, 3), 42, 7777, part);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), values.begin() + 7777));
    }
}

TEST(Dropout, EvaluationDropsNothingAndSamplesLoseTheSameInAnyBatch) {
    const Graph graph = forgetful_language();
    const CanonicalParameters initial = default_initialisation(graph, 5);
    const auto model = make_cpu_backend(1)->compile(graph, {.batch_size = 4});
    for (const ParameterId id : initial.indices()) {
        model->set_weight(id, initial[id]);
    }
    // Logits of sample `at` of a batch in which it has this key.
    const auto logits = [&](std::int64_t batch, std::size_t at, std::uint64_t key, ForwardMode mode) {
        Executable& executable = model->executable(batch);
        const auto size = static_cast<std::size_t>(graph.rows);
        for (std::size_t i = 0; i < executable.input().size(); ++i) {
            executable.input()[i] = static_cast<float>(i % size);
        }
        std::fill(executable.sample_keys().begin(), executable.sample_keys().end(), 99);
        executable.sample_keys()[at] = key;
        executable.forward(mode);
        const std::vector<float> all = executable.logits();
        const std::size_t of_sample = all.size() / static_cast<std::size_t>(batch);
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at * of_sample);
        return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(of_sample));
    };
    const std::vector<float> dropped = logits(4, 2, 7, ForwardMode::train);
    const std::vector<float> alone = logits(1, 0, 7, ForwardMode::train);
    EXPECT_LT(largest_difference(alone, dropped), 1e-5);
    EXPECT_GT(largest_difference(logits(4, 2, 8, ForwardMode::train), dropped), 0.05) << "another key";
    EXPECT_EQ(logits(4, 2, 7, ForwardMode::evaluate), logits(4, 2, 8, ForwardMode::evaluate));
    EXPECT_GT(largest_difference(logits(4, 2, 7, ForwardMode::evaluate), dropped), 0.05);
}

TEST(Dropout, OfAModelThatHasNoneIsRefused) {
    EXPECT_THROW(build_model("resnet18", {3, 32, 32}, 10, {.dropout = 0.1}), ConfigError);
    EXPECT_FALSE(build_model("efficientnet_b0", {3, 64, 64}, 10).drops());
    EXPECT_TRUE(build_model("efficientnet_b0", {3, 64, 64}, 10, {.path = 0.2}).drops());
    EXPECT_TRUE(build_model("vit_tiny_patch16_224", {3, 64, 64}, 10, {.dropout = 0.2}).drops());
    EXPECT_TRUE(build_model("gpt2-mini", {8}, 256, {.dropout = 0.2}).drops());
}

}  // namespace
}  // namespace rankscope::engine::test
