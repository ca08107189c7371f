// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport.h>

namespace rankscope::inline nodes {

/// SSH by the OpenSSH binary: one master connection, every command a client of it. Whatever the user's ssh
/// can do works. `why` is for the description. `extra_options` are ssh's own.
Result<std::unique_ptr<Transport>> open_openssh_transport(const NodeSpec& node, const SshTarget& target,
                                                          const std::string& why, const Prompter& prompter,
                                                          const std::stop_token& stop,
                                                          const std::vector<std::string>& extra_options = {});

}  // namespace rankscope::inline nodes
