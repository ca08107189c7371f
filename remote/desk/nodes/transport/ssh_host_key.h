// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/nodes/transport/ssh_session.h>

namespace rankscope::inline nodes {

/// Compares the server's key with known_hosts. Unknown: the user is asked, with its SHA256 fingerprint, and
/// the key is added if accepted. Marked @revoked, changed, of another type, or unreadable known_hosts:
/// refused, always.
Result<void> check_host_key(ssh_session session, const SshTarget& target, const Prompter& prompter);

}  // namespace rankscope::inline nodes
