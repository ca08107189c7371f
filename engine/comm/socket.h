// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rankscope::engine {

using Clock = std::chrono::steady_clock;

/// Owns the descriptor of a socket.
class Socket : public UniqueFd {
public:
    using UniqueFd::UniqueFd;
    int fd() const { return get(); }
};

/// The result of a call on a socket; `error` is text for the user when it failed, `code` its errno (0: none).
enum class IoStatus { done, timeout, closed, failed };
struct IoResult {
    IoStatus status = IoStatus::done;
    std::string error = {};
    int code = 0;
    explicit operator bool() const { return status == IoStatus::done; }
};

/// Listens for TCP on `address`: where it is numeric and of this machine (or "localhost"), on it alone;
/// otherwise on every address (IPv6 and IPv4). Port 0: any free one. Throws Error when the port is taken or must
/// not be used, saying which and what to do.
Socket listen_tcp(std::uint16_t port, const std::string& address);
std::uint16_t local_port(const Socket& socket);
/// Where a listening socket is reached from this machine: its own address, or loopback when it listens on all.
std::string reachable_address(const Socket& socket);

/// Connects within the deadline; resolves names; tries every address. No TCP delay. A connection survives two
/// minutes without any answer: after a cut, TCP sends again only when as much time has passed as the cut
/// lasted.
IoResult connect_tcp(const std::string& host, std::uint16_t port, Clock::time_point deadline, Socket* socket);
/// The same options for an accepted connection.
void set_tcp_options(int descriptor);

IoResult send_all(const Socket& socket, const void* data, std::size_t size, Clock::time_point deadline);
IoResult receive_all(const Socket& socket, void* data, std::size_t size, Clock::time_point deadline);

/// True for "127.0.0.1" and "localhost": a run that never leaves this machine. (Other names may resolve to a
/// loopback address here and to something else on the next node, as Debian's 127.0.1.1 does.)
bool is_loopback(const std::string& host);
/// The local address from which packets to `host` leave; empty when there is no route.
std::string local_address_towards(const std::string& host, std::uint16_t port);

}  // namespace rankscope::engine
