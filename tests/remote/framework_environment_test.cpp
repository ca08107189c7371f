// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What JAX and TensorFlow are told of the ranks.

#include <remote/desk/jobs/plan/framework_environment.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rankscope {
namespace {

RankPlan planned_rank(int rank, int local_rank, int world_size, int gpus, int ranks_of_node,
                      const std::string& endpoints = "10.0.0.1:29501,10.0.0.1:29502,10.0.0.2:29501") {
    LaunchPlan plan;
    plan.world_size = world_size;
    plan.master_addr = "10.0.0.1";
    plan.master_port = 29500;
    RankPlan planned;
    planned.rank = rank;
    planned.local_rank = local_rank;
    add_framework_environment(planned, plan, endpoints, gpus, ranks_of_node);
    return planned;
}

TEST(FrameworkEnvironment, EveryRankIsToldOfAll) {
    const auto env = planned_rank(2, 1, 3, 2, 2).env;
    EXPECT_EQ(env.at("JAX_COORDINATOR_ADDRESS"), "10.0.0.1:29500");
    EXPECT_EQ(env.at("JAX_NUM_PROCESSES"), "3");
    EXPECT_EQ(env.at("JAX_PROCESS_ID"), "2");
    EXPECT_EQ(env.at("JAX_LOCAL_DEVICE_IDS"), "1");
    const auto config = nlohmann::json::parse(env.at("TF_CONFIG"));
    EXPECT_EQ(config["cluster"]["worker"],
              nlohmann::json({"10.0.0.1:29501", "10.0.0.1:29502", "10.0.0.2:29501"}));
    EXPECT_EQ(config["task"], (nlohmann::json{{"type", "worker"}, {"index", 2}}));
    for (const auto& [name, value] : env) {
        EXPECT_TRUE(is_framework_variable(name)) << name;
    }
}

TEST(FrameworkEnvironment, OneProcessHasAllGpusOfItsNode) {
    EXPECT_EQ(planned_rank(1, 0, 2, 3, 1).env.at("JAX_LOCAL_DEVICE_IDS"), "0,1,2");
    EXPECT_EQ(planned_rank(1, 0, 2, 0, 1).env.count("JAX_LOCAL_DEVICE_IDS"), 0U);
    EXPECT_EQ(planned_rank(1, 0, 2, 0, 1).env.at("PADDLE_DISTRI_BACKEND"), "gloo");
    EXPECT_EQ(planned_rank(1, 0, 2, 3, 1).env.count("PADDLE_DISTRI_BACKEND"), 0U);
}

TEST(FrameworkEnvironment, ARankAloneAndARunOfVeryManyAreNotTold) {
    EXPECT_TRUE(planned_rank(0, 0, 1, 1, 1).env.empty());
    EXPECT_EQ(planned_rank(0, 0, 65, 1, 1).env.count("TF_CONFIG"), 0U);
    EXPECT_EQ(planned_rank(0, 0, 65, 1, 1).env.count("JAX_PROCESS_ID"), 1U);
}

TEST(FrameworkEnvironment, HostsMayBeAnyBytes) {
    EXPECT_NE(planned_rank(0, 0, 2, 0, 1, "\xff:1,b:2").env.at("TF_CONFIG").find("b:2"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
