// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/socket.h>

namespace rankscope::agent {

/// Whether the next hop towards an address (the address itself, or a router) answers ARP or neighbour discovery.
enum class NextHop {
    Unknown,  ///< no entry, no such protocol on the link, or the kernel does not say
    Answers,
    Silent  ///< asked, and nothing came back
};

/// Reads the kernel's route and neighbour table (rtnetlink(7)); no rights are needed. `interface`: its index, 0: the
/// kernel's choice.
NextHop next_hop_state(const sockaddr_storage& target, unsigned interface);

}  // namespace rankscope::agent
