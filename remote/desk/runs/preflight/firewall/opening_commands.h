// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/shell_command.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What opens ports, and what takes it back: commands for a shell of the node.
struct OpeningCommands {
    std::vector<ShellCommand> open = {};
    std::vector<ShellCommand> undo = {};
};

/// Peers of one address family, and the ports to open for them.
struct OpenedPorts {
    bool v6 = false;
    std::vector<NumericAddress> peers = {};
    int first = 0;
    int last = 0;
    bool outgoing = false;
};

/// Where a rule has to go.
struct NftChainName {
    FirewallName family;
    FirewallName table;
    FirewallName chain;
};

/// Nothing where a table or a chain has a name that nft does not take without quotes.
std::optional<NftChainName> nft_chain_name(const std::string& family, const std::string& table,
                                           const std::string& chain);
/// A rule at the begin of the chain. Its handle is known only later: the undo finds it by the rule's comment.
void add_nft_commands(const NftChainName& chain, const OpenedPorts& ports, OpeningCommands& commands);
/// A rule at the begin of the chain. legacy: by the program of the backend that is not the default one.
void add_iptables_commands(const NftChainName& chain, bool legacy, const OpenedPorts& ports,
                           OpeningCommands& commands);
/// One rule for each peer. first: before the user's other rules.
void add_ufw_commands(bool first, const OpenedPorts& ports, OpeningCommands& commands);
/// Rich rules, now and after a restart. zone: nothing for the default one; priority: 0 for none.
void add_firewalld_commands(const std::optional<FirewallName>& zone, int priority, const OpenedPorts& ports,
                            OpeningCommands& commands);

}  // namespace rankscope::inline runs
