// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/node_import.h>

#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// The hosts of a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT) as a list for import_nodes(): a name before an
/// address, once each. Hashed entries name nothing.
std::string hosts_of_known_hosts(const std::string& text);
/// The same of what `avahi-browse --resolve --parsable` prints.
std::string hosts_of_avahi(const std::string& text);

/// What this computer knows of nodes: ~/.ssh/config, ~/.ssh/known_hosts, and those that announce SSH on the local network,
/// where avahi-browse is installed. `note` says where each was found. Blocks for some seconds; for a thread of its own.
NodeImport find_nodes(const Inventory& inventory, const std::stop_token& stop);

}  // namespace rankscope::inline nodes
