// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// One zone of `firewall-cmd --list-all-zones`.
struct FirewalldZone {
    std::string name = {};
    std::string target = {};  ///< default, ACCEPT, DROP, %%REJECT%%
    bool is_default = false;  ///< as newer versions say it
    std::vector<std::string> interfaces = {};
    std::vector<std::string> sources = {};
    std::vector<std::string> services = {};
    std::vector<std::string> ports = {};
    std::vector<std::string> rich_rules = {};
};

/// At most 256.
std::vector<FirewalldZone> read_firewalld_zones(std::string_view text);
/// The zone that the flow belongs to: by its source, else by the interface, else the default one; nullptr: not known.
const FirewalldZone* zone_of(const std::vector<FirewalldZone>& zones, const Packet& packet);
/// What the zone does with it.
ChainDecision decide_zone(const FirewalldZone& zone, const Packet& packet);
/// The zone whose rules a chain of the kernel has: "public" of "inet firewalld filter_IN_public_deny". Empty: it is not
/// a chain of a zone.
std::string zone_of_chain(const std::string& place);
/// The priority of a rich rule; 0: it has none.
int rich_rule_priority(std::string_view rule);
/// Whether such a name can be part of a command as it is.
bool is_zone_name(std::string_view name);

}  // namespace rankscope::inline runs
