// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/nodes/transport/ssh_session.h>

#include <functional>
#include <string>

namespace rankscope::inline nodes {

/// The named keys, the agent's, ssh's default keys, those with a passphrase, then password or
/// keyboard-interactive with what the user types (three attempts). Returns what was accepted, for the
/// description: "~/.ssh/id_ed25519", "a key of the agent", "a password".
Result<std::string> authenticate(ssh_session session, const SshTarget& target, const Prompter& prompter,
                                 const std::function<void(const std::string&)>& progress);

/// libssh's bits as the protocol names them: "publickey, password".
std::string method_names(unsigned methods);

}  // namespace rankscope::inline nodes
