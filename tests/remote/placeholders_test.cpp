// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

NodeFacts at_address(const std::string& address) {
    NodeFacts facts;
    facts.hostname = "h";
    facts.peer_address = address;
    return facts;
}

LaunchPlan plan_with_port(int master_port) {
    Inventory inventory;
    inventory.nodes = {NodeSpec{.name = "node1", .cpu_slots = 2}, NodeSpec{.name = "node2", .cpu_slots = 1}};
    Job job;
    job.name = "test";
    job.nodes = {"node1", "node2"};
    job.command = {"./train"};
    job.env = {{"OWN", "{endpoint}"}, {"ALL", "{endpoints}"}};
    job.master_port = master_port;
    const auto plan =
        make_plan(inventory, job, {{"node1", at_address("10.0.0.1")}, {"node2", at_address("fd00::2")}});
    EXPECT_TRUE(plan) << (plan ? "" : to_line(plan.failure()));
    return plan ? *plan : LaunchPlan{};
}

TEST(Placeholders, EndpointsOfAllRanksAreKnownToEach) {
    const auto plan = plan_with_port(29500);
    ASSERT_EQ(plan.ranks.size(), 3U);
    EXPECT_EQ(plan.ranks[1].env.at("OWN"), "10.0.0.1:29502");
    EXPECT_EQ(plan.ranks[2].env.at("OWN"), "[fd00::2]:29501");
    EXPECT_EQ(plan.ranks[0].env.at("ALL"), "10.0.0.1:29501,10.0.0.1:29502,[fd00::2]:29501");
    EXPECT_EQ(plan_with_port(65535).ranks.at(1).env.at("OWN"), "10.0.0.1:65533");
    EXPECT_EQ(plan_with_port(0).ranks.at(1).env.at("OWN"), "10.0.0.1:6171") << "Paddle's own";
}

}  // namespace
}  // namespace rankscope
