// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <string_view>
#include <vector>

namespace rankscope::agent {

/// What this node's name and those of the request resolve to, by `getent`, because a static program cannot load the
/// node's name service modules; without getent by /etc/hosts alone.
wire::HostInspection inspect_names(const InspectionScope& scope, const Tools& tools);

/// The addresses of `getent ahosts` or `getent hosts` in their order, once each; lines that start with no numeric
/// address are skipped.
std::vector<std::string> read_getent(std::string_view text);
/// The addresses that a text like /etc/hosts gives a name.
std::vector<std::string> read_hosts(std::string_view text, std::string_view name);

}  // namespace rankscope::agent
