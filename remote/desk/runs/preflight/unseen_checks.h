// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/node_view.h>

#include <string>
#include <string_view>

namespace rankscope::inline runs {

/// What HostInspection::unseen calls a part of the node, in the user's words: "versions.cudnn.system" is "the version
/// of the system's cuDNN". A part that a newer agent names and this desk does not know stays as it is.
std::string unseen_part_text(std::string_view part);

/// What the look at a node could not read, as far as the run needs it: without GPUs and NCCL, not what only they use.
void unseen_checks(const NodeView& view, bool nccl, HostFindings& findings);

}  // namespace rankscope::inline runs
