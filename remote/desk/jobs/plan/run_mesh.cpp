// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/run_mesh.h>
#include <remote/observe/mesh/axis_sizes.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::inline jobs {
namespace {

// Ranks of one stage follow one another, and among them those with slices of the same layers
// (engine/train/parallel_setup.h).
std::vector<ObservedGroup> planned_groups(const LaunchPlan& plan) {
    if (!plan.cost || (!plan.cost->pipeline && !plan.cost->slice)) {
        return {};
    }
    const int stages =
        plan.cost->pipeline ? std::max(static_cast<int>(plan.cost->pipeline->stages.size()), 1) : 1;
    const int slices = plan.cost->slice ? plan.cost->slice->slices : 1;
    return groups_of({{"pp", stages}, {"dp", plan.world_size / (stages * slices)}, {"tp", slices}});
}

/// All sizes that agree; nothing: one axis has two.
std::optional<std::vector<AxisSize>> agreed(const std::vector<throughput::StatedSize>& sizes) {
    std::map<std::string, int> by_axis;
    for (const throughput::StatedSize& size : sizes) {
        if (const auto [known, added] = by_axis.emplace(size.axis, static_cast<int>(size.value));
            !added && known->second != static_cast<int>(size.value)) {
            return std::nullopt;
        }
    }
    if (by_axis.contains("dp_shard") || by_axis.contains("dp_replicate")) {
        by_axis.erase("dp");  // their product
    }
    std::vector<AxisSize> axes;
    axes.reserve(by_axis.size());
    for (const auto& [name, size] : by_axis) {
        axes.push_back({name, size});
    }
    return axes;
}

std::vector<throughput::StatedSize> sizes_of(const LaunchPlan& plan) {
    const std::vector<RankPlan>& first = plan.programs.empty() ? plan.ranks : plan.programs;
    if (first.empty()) {
        return {};
    }
    std::vector<std::string> words = first.front().command;
    for (const auto& [name, value] : first.front().env) {
        words.push_back(name + "=" + value);
    }
    return throughput::sizes_of_command(words);
}

std::vector<ObservedGroup> stated_groups(const LaunchPlan& plan, const SeenGroups& seen) {
    std::vector<throughput::StatedSize> sizes = seen.sizes;
    std::vector<throughput::StatedSize> of_plan = sizes_of(plan);
    sizes.insert(sizes.end(), of_plan.begin(), of_plan.end());
    std::erase_if(sizes, [](const throughput::StatedSize& size) { return !is_axis(size); });
    // Their words are those of libraries; "--tp" and "--pp" are anyone's.
    const bool full_names = std::any_of(sizes.begin(), sizes.end(), [](const throughput::StatedSize& size) {
        return size.text.find("parallel") != std::string::npos || size.axis.starts_with("dp_");
    });
    const auto axes = agreed(sizes);
    const auto whole = axes ? complete_mesh(*axes, plan.world_size, seen.opened, full_names) : std::nullopt;
    return whole ? groups_of(*whole) : std::vector<ObservedGroup>();
}

/// The listed groups whose axis covers all ranks: others are those of a part of the program.
std::vector<ObservedGroup> covering(const std::vector<ObservedGroup>& listed, int world_size) {
    std::map<std::string, std::set<int>> ranks;
    for (const ObservedGroup& group : listed) {
        ranks[group.description].insert(group.ranks.begin(), group.ranks.end());
    }
    std::vector<ObservedGroup> whole;
    for (const ObservedGroup& group : listed) {
        const std::set<int>& all = ranks[group.description];
        if (static_cast<int>(all.size()) == world_size && *all.rbegin() == world_size - 1 &&
            group.ranks.size() > 1) {
            whole.push_back(group);
        }
    }
    return whole;
}

}  // namespace

bool is_axis(const throughput::StatedSize& size) {
    return (size.size == throughput::Size::ParallelSplit || size.size == throughput::Size::DataSplit) &&
           !size.axis.empty() && size.axis != "ep";  // experts share the ranks of other axes
}

RunMesh mesh_of(const LaunchPlan& plan, SeenGroups seen) {
    std::vector<ObservedGroup> known = planned_groups(plan);
    if (known.empty()) {
        known = covering(seen.listed, plan.world_size);
    }
    if (known.empty()) {
        known = stated_groups(plan, seen);
    }
    std::map<std::vector<int>, std::string> axis_of;
    for (const ObservedGroup& group : known) {
        axis_of.emplace(group.ranks, group.description);
    }
    for (ObservedGroup& group : seen.opened) {
        const auto axis = axis_of.find(group.ranks);
        if (axis != axis_of.end() && stated_role(group.description).role == GroupRole::Unknown) {
            group.description = axis->second;
        }
    }
    seen.opened.insert(seen.opened.end(), known.begin(), known.end());
    return mesh_of(std::move(seen.opened), plan.world_size);
}

RunMesh mesh_of(std::vector<ObservedGroup> groups, int world_size) {
    RunMesh run{.groups = std::move(groups)};
    run.mesh = infer_mesh(run.groups, world_size);
    return run;
}

std::vector<std::vector<int>> groups_on(const RunMesh& mesh, const std::string& axis) {
    std::set<std::vector<int>> groups;
    for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
        if (mesh.mesh.places[i].axis == axis) {
            groups.insert(mesh.groups[i].ranks);
        }
    }
    return {groups.begin(), groups.end()};
}

std::map<int, int> stages_of(const RunMesh& mesh) {
    std::map<int, int> stages;
    for (std::size_t axis = 0; axis < mesh.mesh.axes.size(); ++axis) {
        if (mesh.mesh.axes[axis].role != GroupRole::Pipeline) {
            continue;
        }
        for (std::size_t rank = 0; rank < mesh.mesh.coordinates.size(); ++rank) {
            if (const int stage = mesh.mesh.coordinates[rank][axis]; stage >= 0) {
                stages.emplace(static_cast<int>(rank), stage);
            }
        }
    }
    return stages;
}

std::string place_text(const RunMesh& mesh, int rank) {
    std::string text;
    if (mesh.empty() || rank < 0 || static_cast<std::size_t>(rank) >= mesh.mesh.coordinates.size()) {
        return text;
    }
    const std::vector<int>& places = mesh.mesh.coordinates[static_cast<std::size_t>(rank)];
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
        if (places[axis] >= 0) {
            text +=
                (text.empty() ? "" : " · ") + mesh.mesh.axes[axis].name + " " + std::to_string(places[axis]);
        }
    }
    return text;
}

std::string mesh_text(const RunMesh& mesh) {
    std::string text;
    if (mesh.empty()) {
        return text;
    }
    for (const MeshAxis& axis : mesh.mesh.axes) {
        text += (text.empty() ? "" : " × ") + axis.name + " " + std::to_string(axis.size);
    }
    return text;
}

}  // namespace rankscope::inline jobs
