// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/observe/mesh/group_roles.h>
#include <remote/observe/throughput/stated_sizes.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The groups of a run and what they are for.
struct RunMesh {
    std::vector<ObservedGroup> groups = {};
    Mesh mesh = {};

    /// All ranks are in one group, or nothing is known.
    bool empty() const { return mesh.axes.empty() || mesh.axes.front().role == GroupRole::World; }
};

/// What a running program shows of its groups.
struct SeenGroups {
    std::vector<ObservedGroup> listed = {};          ///< groups_of_line()
    std::vector<throughput::StatedSize> sizes = {};  ///< that it prints; is_axis()
    std::vector<ObservedGroup> opened = {};          ///< communicators, process groups
};

/// Of a mesh: sizes of experts are not.
bool is_axis(const throughput::StatedSize& size);
/// By the plan of a network that ranks of the native engine divide; else by what is listed; else by the sizes that command,
/// environment and output state, where they fit the groups that were opened; and those by their names and traffic. Without
/// `seen`: before the start.
RunMesh mesh_of(const LaunchPlan& plan, SeenGroups seen = {});
/// By what the groups themselves show.
RunMesh mesh_of(std::vector<ObservedGroup> groups, int world_size);

/// The groups of an axis by their first ranks, each once.
std::vector<std::vector<int>> groups_on(const RunMesh& mesh, const std::string& axis);
/// The stage of each rank, where the network is cut into stages; else nothing.
std::map<int, int> stages_of(const RunMesh& mesh);
/// "pp 3 · dp 0 · tp 1"; empty: its place is not known.
std::string place_text(const RunMesh& mesh, int rank);
/// "pp 4 × dp 2 × tp 2"; empty: nothing is known.
std::string mesh_text(const RunMesh& mesh);

}  // namespace rankscope::inline jobs
