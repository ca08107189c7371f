// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

namespace rankscope::test {

/// node1, node2, … with that many ranks each, dealt in order.
inline LaunchPlan plan_of(std::size_t nodes, int ranks_each) {
    LaunchPlan plan;
    plan.job_name = "test";
    plan.backend = "gloo";
    plan.master_node = "node1";
    plan.master_addr = "10.0.0.1";
    plan.master_port = 29500;
    for (std::size_t i = 0; i < nodes; ++i) {
        const std::string name = "node" + std::to_string(i + 1);
        plan.nodes.push_back({name, static_cast<int>(i), ranks_each, "10.0.0." + std::to_string(i + 1), {}});
        for (int local = 0; local < ranks_each; ++local) {
            RankPlan rank;
            rank.rank = plan.world_size++;
            rank.local_rank = local;
            rank.node = name;
            rank.device = "cpu";
            rank.env = {{"RANK", std::to_string(rank.rank)}};
            rank.command = {"{worker}"};
            plan.ranks.push_back(std::move(rank));
        }
    }
    return plan;
}

}  // namespace rankscope::test
