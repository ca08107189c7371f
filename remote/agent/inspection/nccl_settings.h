// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

namespace rankscope::agent {

/// What the login environment and NCCL's files set on this node.
wire::HostInspection inspect_nccl_settings(const InspectionScope& scope);

}  // namespace rankscope::agent
