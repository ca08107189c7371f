// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/node_view.h>

#include <vector>

namespace rankscope::inline runs {

/// What NCCL would read on each node, from its files and the login environment, below what the job sets: settings that
/// must be equal and are not. InfiniBand ports that are not ready although NCCL
/// would use them.
void nccl_setting_checks(const std::vector<NodeView>& views, bool nccl, HostFindings& findings);

}  // namespace rankscope::inline runs
