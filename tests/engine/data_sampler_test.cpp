// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Against values recorded from PyTorch (data/make_sampler_values.py).

#include <base/sha256.h>
#include <engine/data/distributed_sampler.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <span>
#include <vector>

namespace rankscope::engine::test {
namespace {

TEST(Sampler, DealsAsPyTorchsDistributedSampler) {
    const auto cases = nlohmann::json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/sampler_values.json"));
    EXPECT_GE(cases.size(), 20U);
    for (const auto& expected : cases) {
        for (std::size_t i = 0; i < expected["ranks"].size(); ++i) {
            const DistributedSampler sampler({.dataset_size = expected["n"],
                                              .world_size = expected["world"],
                                              .rank = expected["ranks"][i],
                                              .shuffle = expected["shuffle"],
                                              .drop_last = expected["drop_last"],
                                              .seed = expected["seed"]});
            const std::vector<std::int64_t> indices = sampler.indices(expected["epoch"]);
            EXPECT_EQ(sampler.samples_per_rank(), static_cast<std::int64_t>(indices.size()));
            SCOPED_TRACE("n " + expected["n"].dump() + ", rank " + expected["ranks"][i].dump() + " of " +
                         expected["world"].dump());
            if (expected.contains("indices")) {
                EXPECT_EQ(indices, expected["indices"][i].get<std::vector<std::int64_t>>());
            } else {
                EXPECT_EQ(indices.size(), expected["counts"][i].get<std::size_t>());
                EXPECT_EQ(sha256_hex(std::as_bytes(std::span(indices))), expected["sha256"][i]);
            }
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
