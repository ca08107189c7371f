// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/desk/nodes/transport/exec_failure.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/tcp_connect.h>

#include <ifaddrs.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <optional>

namespace rankscope::inline nodes {
namespace {

constexpr double kRefusedWithin = 5;  // longer is no refusal
constexpr double kSmallWithin = 3;
constexpr unsigned kSentAgain = 3;

std::optional<tcp_info> state_of(int fd) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (fd < 0 || ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return std::nullopt;
    }
    return info;
}

// A new connection, and the greeting of the server: packets of some dozen bytes.
bool small_packets_pass(const SshTarget& target) {
    const auto connection = tcp_connect(target.node, target.host, target.port, kSmallWithin, {});
    return connection && wait_readable(connection->fd.get(), monotonic_s() + kSmallWithin);
}

bool is_same(const sockaddr* left, const sockaddr_storage& right) {
    if (left == nullptr || left->sa_family != right.ss_family) {
        return false;
    }
    if (left->sa_family == AF_INET) {
        return std::memcmp(&reinterpret_cast<const sockaddr_in*>(left)->sin_addr,
                           &reinterpret_cast<const sockaddr_in*>(&right)->sin_addr, sizeof(in_addr)) == 0;
    }
    return left->sa_family == AF_INET6 &&
           std::memcmp(&reinterpret_cast<const sockaddr_in6*>(left)->sin6_addr,
                       &reinterpret_cast<const sockaddr_in6*>(&right)->sin6_addr, sizeof(in6_addr)) == 0;
}

std::string interface_of(int fd) {
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    ifaddrs* all = nullptr;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0 || ::getifaddrs(&all) != 0) {
        return {};
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, ::freeifaddrs);
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
        if (is_same(entry->ifa_addr, own)) {
            return entry->ifa_name;
        }
    }
    return {};
}

}  // namespace

Failure explain_exec(const SshTarget& target, int fd, ExecStep step, double waited_s,
                     const std::string& detail) {
    const auto state = state_of(fd);
    // What the command says is sent and not acknowledged, whatever often it is sent again.
    const bool stuck = state && state->tcpi_unacked > 0 && state->tcpi_retransmits >= kSentAgain;
    if (stuck && small_packets_pass(target)) {
        return large_packets_vanish(target, state->tcpi_pmtu, interface_of(fd), detail);
    }
    if (waited_s > kRefusedWithin) {
        return no_start(target.node, waited_s, detail);
    }
    return step == ExecStep::OpenSession ? no_session(target.node, detail)
                                         : no_process(target.node, target.user, detail);
}

}  // namespace rankscope::inline nodes
