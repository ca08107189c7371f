// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/clock.h>
#include <remote/base/text.h>
#include <remote/base/wake_fd.h>
#include <remote/transport/tcp_connect.h>
#include <remote/transport/transport.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace rankscope {
namespace {

constexpr const char* kContext = "TcpConnect";

std::string numeric(const sockaddr* address, socklen_t length) {
    std::array<char, NI_MAXHOST> host{};
    ::getnameinfo(address, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST);
    return host.data();
}

// 0, or errno of the attempt; ECANCELED when stopped.
int connect_one(int fd, const addrinfo& address, double timeout_s, const WakeFd& wake) {
    if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) {
        return 0;
    }
    if (errno != EINPROGRESS) {
        return errno;
    }
    const double deadline = monotonic_s() + timeout_s;
    for (;;) {
        std::array<pollfd, 2> fds{{{fd, POLLOUT, 0}, {wake.fd(), POLLIN, 0}}};
        const double left = deadline - monotonic_s();
        const int ready = left > 0 ? ::poll(fds.data(), fds.size(), static_cast<int>(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            return ETIMEDOUT;
        }
        if (fds[1].revents != 0) {
            return ECANCELED;
        }
        int error = 0;
        socklen_t length = sizeof error;
        ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
        return error;
    }
}

Failure explain(const std::string& node, const std::string& target, int error, double timeout_s) {
    const std::string detail = target + ": " + std::strerror(error);
    switch (error) {
        case ECONNREFUSED:
            return {
                "ssh-refused", node,
                text(kContext, "%1 refuses the connection: no SSH server listens there.", {target}),
                text(kContext, "On the node: `sudo systemctl start ssh`; check the port in the inventory."),
                detail};
        case ETIMEDOUT:
            return {
                "ssh-timeout", node,
                text(kContext, "%1 did not answer within %2 s.",
                     {target, std::to_string(static_cast<int>(timeout_s))}),
                text(kContext, "Check that the node is up and that no firewall drops the port: `nc -vz %1`.",
                     {target.substr(0, target.rfind(':')) + ' ' + target.substr(target.rfind(':') + 1)}),
                detail};
        case EHOSTUNREACH:
        case ENETUNREACH:
            return {"ssh-no-route", node, text(kContext, "There is no route to %1.", {target}),
                    text(kContext, "Check the address, the VPN and `ip route get %1`.",
                         {target.substr(0, target.rfind(':'))}),
                    detail};
        default:
            return {"ssh-connect", node, text(kContext, "%1 cannot be reached.", {target}),
                    text(kContext, "Check address and network."), detail};
    }
}

}  // namespace

Result<TcpConnection> tcp_connect(const std::string& node, const std::string& host, int port,
                                  double timeout_s, const std::stop_token& stop) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int resolved = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(list, &::freeaddrinfo);
    if (resolved != 0) {
        return Failure{"ssh-unknown-host", node,
                       text(kContext, "The name \"%1\" cannot be resolved.", {host}),
                       text(kContext, "Correct host: in the inventory, or give the node's address."),
                       ::gai_strerror(resolved)};
    }
    int error = EHOSTUNREACH;
    std::string target = host + ':' + std::to_string(port);
    for (const addrinfo* it = addresses.get(); it != nullptr; it = it->ai_next) {
        if (stop.stop_requested()) {
            return cancelled(node);
        }
        UniqueFd fd(::socket(it->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const std::string address = numeric(it->ai_addr, it->ai_addrlen);
        error = fd ? connect_one(fd.get(), *it, timeout_s, wake) : errno;
        if (error == 0) {
            const int on = 1;
            ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            sockaddr_storage own{};
            socklen_t length = sizeof own;
            ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &length);
            return TcpConnection{std::move(fd), address, numeric(reinterpret_cast<sockaddr*>(&own), length)};
        }
        if (error == ECANCELED) {
            return cancelled(node);
        }
    }
    return explain(node, target, error, timeout_s);
}

}  // namespace rankscope
