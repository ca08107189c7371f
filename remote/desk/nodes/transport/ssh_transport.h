// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport.h>

namespace rankscope::inline nodes {

/// SSH by libssh: known_hosts strict, then keys, agent, password. Blocks; `stop` cuts the socket, which ends
/// whatever libssh is waiting for.
Result<std::unique_ptr<Transport>> open_ssh_transport(
    const SshTarget& target, const Prompter& prompter, const std::stop_token& stop,
    const std::function<void(const std::string&)>& progress);

}  // namespace rankscope::inline nodes
