// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

namespace rankscope::agent {

/// Which firewall is in force in this network namespace, with its rules where they may be read: as root, or by sudo
/// where it asks for no password (a full inspection alone tries). Else what is visible without rights.
wire::HostInspection inspect_firewall(const InspectionScope& scope, const Tools& tools);

}  // namespace rankscope::agent
