// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/watch/mesh_record.h>
#include <remote/wire/event.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// "tp group 2 (ranks 4, 5)"; empty: its purpose is unknown.
std::string group_words(const GroupPlace& place, const ObservedGroup& group);
/// By ObservedGroup::name, those that are known.
std::map<std::string, std::string> words_of_groups(const RunMesh& run);

inline constexpr FailureId kTensorAcrossNodes = "tensor-across-nodes";

/// A notice when tensor groups have ranks on several nodes although a node has room for a group: the ranks of a tensor
/// group exchange something in every layer.
std::optional<NoticeEvent> tensor_across_nodes(const RunMesh& run, const LaunchPlan& plan);

}  // namespace rankscope::inline runs
