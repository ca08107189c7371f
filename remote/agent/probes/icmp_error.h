// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/socket.h>

#include <optional>

namespace rankscope::agent {

/// An entry of a socket's error queue: an ICMP message about one of its packets.
struct IcmpError {
    int error = 0;  ///< errno, as the kernel translates it
    bool v6 = false;
    int type = 0;
    int code = 0;
    sockaddr_storage from{};  ///< who sent it; AF_UNSPEC: not known
};

/// Has the kernel keep them (IP_RECVERR, IPV6_RECVERR). A TCP socket keeps those about its SYN since Linux 5.9; before,
/// only errno is known. While such an entry waits, poll(2) reports POLLERR.
void keep_icmp_errors(int fd, int family);
/// The last of those that wait; all are removed. Nothing: none waits.
std::optional<IcmpError> take_icmp_error(int fd);

}  // namespace rankscope::agent
