// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <string_view>

namespace rankscope::agent {

/// /dev/shm, home, the agent's cache, then the paths of the request: what is there, what this user may do with it, and
/// how much room there is. Each is looked at in a process of its own, which is left behind when its file server does
/// not answer. Leaves nothing: the room is tried with a file that has no name.
wire::HostInspection inspect_paths(const InspectionScope& scope);

/// One path, in this process: it may block for ever.
wire::PathState path_state(const std::string& resolved);

/// The type of the file system that an absolute path lies on, by the text of /proc/self/mountinfo; empty: unknown.
std::string file_system_of(std::string_view mountinfo, std::string_view path);

}  // namespace rankscope::agent
