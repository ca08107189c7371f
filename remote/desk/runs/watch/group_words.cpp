// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";

/// By rank.
std::vector<std::string> nodes_of(const LaunchPlan& plan) {
    std::vector<std::string> nodes(plan.ranks.size());
    for (const RankPlan& rank : plan.ranks) {
        if (rank.rank >= 0 && static_cast<std::size_t>(rank.rank) < nodes.size()) {
            nodes[static_cast<std::size_t>(rank.rank)] = rank.node;
        }
    }
    return nodes;
}

/// The ranks of each node follow one another.
bool in_blocks(const std::vector<std::string>& nodes) {
    std::set<std::string> done;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        if ((rank == 0 || nodes[rank] != nodes[rank - 1]) && !done.insert(nodes[rank]).second) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::optional<NoticeEvent> tensor_across_nodes(const RunMesh& run, const LaunchPlan& plan) {
    const std::vector<std::string> nodes = nodes_of(plan);
    std::map<std::string, std::size_t> room;
    for (const std::string& node : nodes) {
        ++room[node];
    }
    const std::vector<ObservedGroup>& groups = run.groups;
    std::set<std::pair<std::string, int>>
        tensor_groups;  // axis and number: a group may have several communicators
    std::size_t crossing = 0;
    std::string example;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const GroupPlace& place = run.mesh.places[i];
        if (place.role != GroupRole::Tensor || tensor_groups.contains({place.axis, place.number})) {
            continue;
        }
        std::set<std::string> of_group;
        for (const int rank : groups[i].ranks) {
            if (rank < 0 || static_cast<std::size_t>(rank) >= nodes.size()) {
                return std::nullopt;  // a program has started ranks that the plan does not have yet
            }
            of_group.insert(nodes[static_cast<std::size_t>(rank)]);
        }
        const bool fits = std::any_of(room.begin(), room.end(), [&](const auto& node) {
            return node.second >= groups[i].ranks.size();
        });
        tensor_groups.emplace(place.axis, place.number);
        if (of_group.size() < 2 || !fits) {
            continue;
        }
        if (++crossing == 1) {
            std::string names;
            for (const std::string& node : of_group) {
                names += (names.empty() ? "" : ", ") + node;
            }
            example = text(kContext, "%1 on %2", {group_words(place, groups[i]), names});
        }
    }
    if (crossing == 0) {
        return std::nullopt;
    }
    NoticeEvent notice;
    notice.id = kTensorAcrossNodes;
    notice.args = {std::to_string(crossing), std::to_string(tensor_groups.size()), example};
    notice.title = text(kContext,
                        "Tensor groups cross nodes: %1 of %2, for example %3. Every layer waits for the "
                        "network between them.",
                        {notice.args[0], notice.args[1], notice.args[2]});
    notice.fix = {in_blocks(nodes)
                      ? text(kContext, "Make the tensor-parallel size a divisor of the ranks of a node.")
                      : text(kContext,
                             "Give the ranks of each node consecutive numbers: `rank_order: block` in "
                             "the job, with Slurm `--distribution=block`.")};
    return notice;
}

std::string group_words(const GroupPlace& place, const ObservedGroup& group) {
    if (place.axis.empty() || place.role == GroupRole::World) {
        return {};
    }
    return place.groups > 1 ? text(kContext, "%1 group %2 (ranks %3)",
                                   {place.axis, std::to_string(place.number), list_ranks(group.ranks)})
                            : text(kContext, "%1 group (ranks %2)", {place.axis, list_ranks(group.ranks)});
}

std::map<std::string, std::string> words_of_groups(const RunMesh& run) {
    std::map<std::string, std::string> words;
    for (std::size_t i = 0; i < run.groups.size(); ++i) {
        std::string one = group_words(run.mesh.places[i], run.groups[i]);
        if (!one.empty() && !run.groups[i].name.empty()) {
            words.emplace(run.groups[i].name, std::move(one));
        }
    }
    return words;
}

}  // namespace rankscope::inline runs
