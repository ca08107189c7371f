// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

namespace rankscope::agent {

/// Whether the ports of the request are free here, else who holds them: the process where this user may see it, its
/// user in any case. A connection that was given the port holds it as a listener does.
wire::HostInspection inspect_ports(const InspectionScope& scope);

/// The user's own processes of runs that are over.
wire::HostInspection inspect_leftovers(const InspectionScope& scope);

}  // namespace rankscope::agent
