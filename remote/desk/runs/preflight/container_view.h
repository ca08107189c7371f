// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>
#include <remote/wire/frames.pb.h>

#include <vector>

namespace rankscope::inline runs {

/// Asks an agent to look at its node from within the job's container, for what `host` asks of the node itself.
wire::Request container_request(const Job& job, const wire::InspectHost& host);

/// Puts what was seen from within in the place of what the node itself has: programs, folders, limits, versions. The
/// checks that follow are of what the ranks will find.
void take_container(NodeView& view, wire::ContainerState&& state);

/// Whether the container starts on every node, with GPUs, network and process ids as the run needs them.
void container_checks(const std::vector<NodeView>& views, const Job& job, HostFindings& findings);

}  // namespace rankscope::inline runs
