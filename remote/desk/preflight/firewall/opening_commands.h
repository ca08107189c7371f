// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope {

/// What opens ports, and what takes it back: commands for a shell of the node.
struct OpeningCommands {
    std::vector<std::string> open = {};
    std::vector<std::string> undo = {};
};

/// Peers of one address family, and the ports to open for them.
struct OpenedPorts {
    bool v6 = false;
    std::vector<std::string> peers = {};  ///< numeric
    int first = 0;
    int last = 0;
    bool outgoing = false;
};

/// Where a rule has to go.
struct NftChainName {
    std::string family = {};
    std::string table = {};
    std::string chain = {};
};

/// Whether a table or a chain can be part of a command as it is.
bool is_nft_name(const std::string& name);
/// A rule at the begin of the chain. Its handle is known only later: the undo finds it by the rule's comment.
void add_nft_commands(const NftChainName& chain, const OpenedPorts& ports, OpeningCommands& commands);
/// A rule at the begin of the chain. legacy: by the program of the backend that is not the default one.
void add_iptables_commands(const std::string& table, const std::string& chain, bool legacy,
                           const OpenedPorts& ports, OpeningCommands& commands);
/// One rule for each peer. first: before the user's other rules.
void add_ufw_commands(bool first, const OpenedPorts& ports, OpeningCommands& commands);
/// Rich rules, now and after a restart. zone: empty for the default one; priority: 0 for none.
void add_firewalld_commands(const std::string& zone, int priority, const OpenedPorts& ports,
                            OpeningCommands& commands);

}  // namespace rankscope
