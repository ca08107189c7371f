// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/node_shell.h>
#include <remote/desk/nodes/transport/openssh_master.h>

#include <cstdlib>

namespace rankscope::inline nodes {

std::vector<std::string> node_shell(const NodeSpec& node) {
    if (node.local) {
        const char* shell = std::getenv("SHELL");
        return {shell != nullptr && *shell == '/' ? shell : "/bin/sh"};
    }
    std::vector<std::string> command{"ssh"};
    for (std::string& word : openssh_destination(node)) {
        command.push_back(std::move(word));
    }
    return command;
}

}  // namespace rankscope::inline nodes
