// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_target.h>

#include <string>

namespace rankscope::inline nodes {

enum class SshImplementation { Libssh, OpenSsh };

struct TransportChoice {
    SshImplementation implementation = SshImplementation::Libssh;
    std::string why;  ///< for users; empty: nothing special
};

/// libssh, unless the inventory says otherwise or the target needs what libssh 0.10 lacks: certificates,
/// security keys, a host CA, GSSAPI, options that it ignores though they matter here. Reads key files,
/// known_hosts and the agent's list; connects to nothing.
TransportChoice choose_transport(const NodeSpec& node, const SshTarget& target);

/// A Kerberos ticket lies where GSSAPI would look for it.
bool has_kerberos_ticket();

}  // namespace rankscope::inline nodes
