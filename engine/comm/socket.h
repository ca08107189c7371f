// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace rankscope::engine {

using Clock = std::chrono::steady_clock;

/// Owns a file descriptor.
class Socket {
public:
    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&& other) noexcept;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    int fd() const { return descriptor_; }
    explicit operator bool() const { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
};

/// What a call on a socket came to; `error` is text for the person when it failed.
enum class IoStatus { done, timeout, closed, failed };
struct IoResult {
    IoStatus status = IoStatus::done;
    std::string error;
    explicit operator bool() const { return status == IoStatus::done; }
};

/// Listens for TCP on the loopback device only, or on every address (IPv6 and IPv4). Port 0: any free one.
/// Throws Error when the port is taken or must not be used, saying which and what to do.
Socket listen_tcp(std::uint16_t port, bool loopback_only);
std::uint16_t local_port(const Socket& socket);

/// Connects within the deadline; resolves names; tries every address. No TCP delay, keep-alive on (a machine
/// that lost its power is noticed after about half a minute).
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
