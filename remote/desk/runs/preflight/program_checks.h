// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/host_findings.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the node says of a path of the job; nullptr: nothing.
const wire::PathState* path_of(const NodeView& view, const std::string& path);
/// Not where the node could start no process to look.
bool is_missing(const wire::PathState& path);

/// The program and the script of the job: there on every node, what their names promise, the same everywhere, and in
/// folders that others cannot change.
void program_checks(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings);

}  // namespace rankscope::inline runs
