// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/rank_directory.h>

#include <algorithm>

namespace rankscope::inline runs {

void RankDirectory::add_member(std::uint64_t communicator, int rank_there, int rank) {
    members_[{communicator, rank_there}] = rank;
}

void RankDirectory::add_process(const std::string& node, std::int64_t pid, int rank) {
    const auto [begin, end] = processes_.equal_range(pid);
    if (pid > 0 &&
        std::none_of(begin, end, [&](const auto& entry) { return entry.second == std::pair(node, rank); })) {
        processes_.emplace(pid, std::pair(node, rank));
    }
}

void RankDirectory::clear() {
    members_.clear();
    processes_.clear();
}

int RankDirectory::rank_of(const RasRank& rank, std::uint64_t communicator, int size,
                           const LaunchPlan& plan) const {
    if (const auto member = members_.find({communicator, rank.rank}); member != members_.end()) {
        return member->second;
    }
    std::set<int> found;
    const auto [begin, end] = processes_.equal_range(rank.pid);
    for (auto entry = begin; entry != end; ++entry) {
        const auto& [node, candidate] = entry->second;
        const auto there = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                        [&, &name = node](const NodePlan& one) { return one.node == name; });
        // NCCL may use another interface than the plan: where only one process has this number, it is the one.
        const bool same_host = there != plan.nodes.end() && there->address == rank.host;
        if (same_host || std::distance(begin, end) == 1) {
            found.insert(candidate);
        }
    }
    if (found.size() == 1) {
        return *found.begin();
    }
    return size == plan.world_size && rank.rank >= 0 && rank.rank < plan.world_size ? rank.rank : -1;
}

}  // namespace rankscope::inline runs
