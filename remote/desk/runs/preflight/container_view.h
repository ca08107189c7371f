// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/desk/runs/preflight/path_targets.h>
#include <remote/diagnosis/check.h>
#include <remote/wire/frames.pb.h>

#include <vector>

namespace rankscope::inline runs {

/// Has the agent look at its node from within the job's container, for what `asked` asked of the node itself, and puts what
/// it sees in the place of what the node has: programs, folders, limits, versions. The checks that follow are of what the
/// ranks will find. Fails where the agent does not answer.
Result<void> look_from_within(PreflightNode& node, const Job& job, const wire::InspectHost& asked);

/// Where a container could not be looked into, leaves out what only it has: the checks would judge the node instead.
void leave_out_unseen(const std::vector<NodeView>& views, HostNeeds& needs);

/// Whether the container starts on every node, with GPUs, network and process ids as the run needs them.
std::vector<Check> container_checks(const std::vector<NodeView>& views, const Job& job);

}  // namespace rankscope::inline runs
