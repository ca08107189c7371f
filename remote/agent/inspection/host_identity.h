// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::agent {

/// Which machine this is, whose rights we have, whether its clock is kept by a time service, and the ports that the
/// kernel gives to listeners without a port of their own.
wire::HostInspection inspect_identity();

/// Two ports of a text like /proc/sys/net/ipv4/ip_local_port_range.
std::optional<std::pair<std::uint32_t, std::uint32_t>> read_port_range(std::string_view text);

}  // namespace rankscope::agent
