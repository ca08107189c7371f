// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/fd.h>

#include <sys/socket.h>

#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

struct TcpConnection {
    UniqueFd fd;
    std::string peer_address;
    std::string local_address;
};

/// Resolves the name and connects, within `timeout_s`, to the first address that answers; one that keeps
/// silent for a quarter of a second gets the next one as a rival. Failures distinguish: unknown host, refused,
/// no route, time-out. `node` is for the messages. `family`: AF_UNSPEC, AF_INET or AF_INET6.
Result<TcpConnection> tcp_connect(const std::string& node, const std::string& host, int port,
                                  double timeout_s, const std::stop_token& stop, int family = AF_UNSPEC);

}  // namespace rankscope::inline nodes
