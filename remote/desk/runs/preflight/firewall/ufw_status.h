// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <optional>
#include <string_view>

namespace rankscope::inline runs {

/// What `ufw status verbose` says of the flow; nothing when it is not that text.
std::optional<ChainDecision> decide_ufw(std::string_view status, const Packet& packet);
/// Whether the user has rules that block something: a new rule must come before them.
bool ufw_has_blocking_rules(std::string_view status);

}  // namespace rankscope::inline runs
