// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>

#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// The command line of a login on the node: ssh with what the inventory says of it, or the user's shell for this
/// computer. ssh itself asks for host keys and passwords.
std::vector<std::string> node_shell(const NodeSpec& node);

}  // namespace rankscope::inline nodes
