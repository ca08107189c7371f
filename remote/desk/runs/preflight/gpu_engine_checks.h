// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/node_view.h>

namespace rankscope::inline runs {

/// What ranks on GPUs need of a node: the driver, and for the native engine cuDNN, NCCL and GPUs that compute in the job's
/// precision. What is missing or too old is named with the command that installs it on the node's distribution.
void gpu_engine_checks(const NodeView& view, HostFindings& findings);

}  // namespace rankscope::inline runs
