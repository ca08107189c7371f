// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// Whether the text has a table of iptables-save or ip6tables-save.
bool has_iptables_rules(std::string_view text);

/// The chains that the flow passes, in their order: of what iptables-save and ip6tables-save print, one after the
/// other.
std::vector<ChainDecision> decide_iptables(std::string_view text, const Packet& packet);

}  // namespace rankscope::inline runs
