// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace rankscope::agent {

/// What a rank started here would be limited to: resource limits of this process, and the tightest of its control
/// groups (v1 and v2) up to the top that is visible.
wire::HostInspection inspect_limits(const InspectionScope& scope);

/// The same for the control groups that a text like /proc/self/cgroup names, where a text like /proc/self/mountinfo
/// mounts them. `root`: in front of the mount points.
wire::HostInspection cgroup_limits(std::string_view cgroup, std::string_view mountinfo,
                                   const std::filesystem::path& root = {});

/// A file of a control group: a number; -1 for "max" and for the numbers by which v1 says the same.
std::optional<std::int64_t> read_cgroup_number(std::string_view text);

}  // namespace rankscope::agent
