// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <string_view>

namespace rankscope::agent {

/// How the kernel of this node reaches each peer of the request, by netlink.
wire::HostInspection inspect_routes(const InspectionScope& scope);

/// One answer to RTM_GETROUTE into `route`; interfaces by their index.
void read_route(std::string_view body, wire::Route& route);

}  // namespace rankscope::agent
