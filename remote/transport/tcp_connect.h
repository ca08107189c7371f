// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/base/failure.h>
#include <remote/base/fd.h>

#include <stop_token>
#include <string>

namespace rankscope {

struct TcpConnection {
    UniqueFd fd;
    std::string peer_address;
    std::string local_address;
};

/// Resolves the name and connects, trying one address after the other, each for at most `timeout_s`. Failures
/// tell apart: unknown host, refused, no route, time-out. `node` is for the messages.
Result<TcpConnection> tcp_connect(const std::string& node, const std::string& host, int port,
                                  double timeout_s, const std::stop_token& stop);

}  // namespace rankscope
