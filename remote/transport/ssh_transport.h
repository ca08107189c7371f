// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/transport/transport.h>

namespace rankscope {

/// SSH by libssh: ~/.ssh/config honoured, known_hosts strict, then agent, keys, keyboard-interactive,
/// password. Blocks; `stop` cuts the socket, which ends whatever libssh is waiting for.
Result<std::unique_ptr<Transport>> open_ssh_transport(
    const NodeSpec& node, const Prompter& prompter, std::stop_token stop,
    const std::function<void(const std::string&)>& progress);

}  // namespace rankscope
