// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/icmp_error.h>
#include <remote/agent/probes/next_hop.h>
#include <remote/wire/frames.pb.h>

#include <optional>

namespace rankscope::agent {

/// What a connection that could not be made ended with.
struct ConnectError {
    int error = 0;         ///< errno
    bool at_once = false;  ///< of socket(2), bind(2) or connect(2): no packet left this node
    std::optional<IcmpError> icmp = {};
    bool from_self = false;    ///< the ICMP message is of this machine
    bool from_target = false;  ///< it is of the address that was to be reached
    NextHop next_hop = NextHop::Unknown;
};

/// What it means. A message that says "no such host" is a router's, unless the host itself sends it (its firewall
/// rejects with it) or this node does (nothing answers ARP or neighbour discovery, or a rule of its own). A "no such
/// protocol" is a firewall's: every host knows TCP. A time exceeded is a router's, too: a loop.
wire::ConnectOutcome outcome_of(const ConnectError& what);

}  // namespace rankscope::agent
