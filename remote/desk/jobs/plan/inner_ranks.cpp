// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/inner_ranks.h>

#include <algorithm>

namespace rankscope::inline jobs {
namespace {

constexpr int kMostRanks = 1 << 16;

void make_inner(RankPlan& entry, const RankPlan& program, int rank, int local_rank) {
    entry = program;
    entry.rank = rank;
    entry.local_rank = local_rank;
    entry.outer_rank = program.rank;
    if (program.device.starts_with("cuda")) {
        entry.device = "cuda:" + std::to_string(local_rank);
    }
}

// Until each is found: the same number for each program, in their order.
void expect_ranks(LaunchPlan& plan, int world_size) {
    const auto programs = static_cast<int>(plan.programs.size());
    plan.ranks.resize(static_cast<std::size_t>(world_size));
    for (int rank = 0; rank < world_size; ++rank) {
        RankPlan& entry = plan.ranks[static_cast<std::size_t>(rank)];
        if (entry.pid != 0) {
            continue;
        }
        const auto program = static_cast<std::int64_t>(rank) * programs / world_size;
        const auto first = (program * world_size + programs - 1) / programs;
        make_inner(entry, plan.programs[static_cast<std::size_t>(program)], rank,
                   rank - static_cast<int>(first));
    }
}

}  // namespace

bool add_inner_rank(LaunchPlan& plan, const std::string& node, int rank, const InnerRankEvent& inner) {
    const int world_size = std::max(inner.world_size, plan.world_size);
    if (rank < 0 || rank >= world_size || world_size > kMostRanks || plan.ranks.empty()) {
        return false;
    }
    const auto& programs = plan.programs.empty() ? plan.ranks : plan.programs;
    const auto outer = std::find_if(programs.begin(), programs.end(), [&](const RankPlan& one) {
        return one.rank == inner.outer_rank && one.node == node;
    });
    if (outer == programs.end()) {
        return false;
    }
    const RankPlan program = *outer;
    if (plan.programs.empty()) {
        plan.programs = plan.ranks;
    }
    const bool grows = world_size > static_cast<int>(plan.ranks.size()) || plan.ranks.front().outer_rank < 0;
    if (grows) {
        plan.world_size = world_size;
        expect_ranks(plan, world_size);
    }
    RankPlan& entry = plan.ranks[static_cast<std::size_t>(rank)];
    if (!grows && entry.pid == inner.pid && entry.outer_rank == inner.outer_rank &&
        entry.local_rank == inner.local_rank) {
        return false;
    }
    make_inner(entry, program, rank, inner.local_rank);
    entry.pid = inner.pid;
    for (auto& one : plan.nodes) {
        one.local_world_size =
            static_cast<int>(std::count_if(plan.ranks.begin(), plan.ranks.end(),
                                           [&](const RankPlan& other) { return other.node == one.node; }));
    }
    return true;
}

}  // namespace rankscope::inline jobs
