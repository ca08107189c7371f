// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/node_view.h>

#include <vector>

namespace rankscope::inline runs {

/// What the driver and the kernel log say about the GPUs that the run uses: busy, broken, degraded, or with a driver
/// that is too old. Nodes whose ranks use no GPU are left out.
void gpu_checks(const std::vector<NodeView>& views, HostFindings& findings);

}  // namespace rankscope::inline runs
