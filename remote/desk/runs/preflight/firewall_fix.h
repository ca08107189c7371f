// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/check.h>
#include <remote/wire/frames.pb.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Connections that a node's firewall has to let through.
struct FirewallOpening {
    std::string node = {};
    std::string interface_name = {};      ///< of the node; empty: not known
    std::string address = {};             ///< of the node on it; empty: not known
    std::vector<std::string> peers = {};  ///< numeric addresses: who connects, or is connected to
    int first_port = 0;
    int last_port = 0;
    bool outgoing = false;  ///< the node connects to its peers
};

/// The least change that opens these ports for these peers, in the syntax of the firewall in force, and what takes
/// exactly it back; at most one fix, of all that has to be done. None where nothing that is known blocks them, or where
/// the rules cannot be read and the kind alone does not say how to open them.
std::vector<Fix> firewall_fixes(const wire::Firewall& firewall, const FirewallOpening& opening);

}  // namespace rankscope::inline runs
