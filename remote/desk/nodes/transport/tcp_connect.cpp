// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/tcp_connect.h>
#include <remote/desk/nodes/transport/transport.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr double kHeadStart = 0.25;  // seconds

std::string numeric(const sockaddr* address, socklen_t length) {
    std::array<char, NI_MAXHOST> host{};
    ::getnameinfo(address, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST);
    return host.data();
}

// One address after the other, the next one as soon as one has failed or kept us waiting; the first that
// answers wins (RFC 8305, without its sorting: getaddrinfo has sorted them).
class Attempts {
public:
    Attempts(const addrinfo* list, double timeout_s) : next_(list), deadline_(monotonic_s() + timeout_s) {}

    /// Connected, or errno: ECANCELED when stopped.
    int run(const WakeFd& wake, UniqueFd& connected, std::string& address) {
        start_next();
        while (!pending_.empty() || next_ != nullptr) {
            if (pending_.empty() || monotonic_s() >= next_at_) {
                start_next();
            }
            if (winner_ == pending_.size()) {
                if (!wait(wake)) {
                    return error_;
                }
            }
            if (winner_ < pending_.size()) {
                connected = std::move(pending_[winner_].fd);
                address = pending_[winner_].address;
                return 0;
            }
        }
        return error_;
    }

private:
    struct Pending {
        UniqueFd fd;
        std::string address;
    };

    void start_next() {
        next_at_ = monotonic_s() + kHeadStart;
        const addrinfo* at = next_;
        if (at == nullptr) {
            winner_ = pending_.size();
            return;
        }
        next_ = at->ai_next;
        UniqueFd fd(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!fd) {
            error_ = errno;
        } else if (::connect(fd.get(), at->ai_addr, at->ai_addrlen) == 0) {
            pending_.push_back({std::move(fd), numeric(at->ai_addr, at->ai_addrlen)});
            winner_ = pending_.size() - 1;
            return;
        } else if (errno == EINPROGRESS) {
            pending_.push_back({std::move(fd), numeric(at->ai_addr, at->ai_addrlen)});
        } else {
            error_ = errno;
        }
        winner_ = pending_.size();
    }

    // false: it is over, error_ says why.
    bool wait(const WakeFd& wake) {
        const double now = monotonic_s();
        if (now >= deadline_) {
            error_ = ETIMEDOUT;
            return false;
        }
        std::vector<pollfd> fds{{wake.fd(), POLLIN, 0}};
        for (const auto& pending : pending_) {
            fds.push_back({pending.fd.get(), POLLOUT, 0});
        }
        const double until = next_ != nullptr ? std::min(deadline_, next_at_) : deadline_;
        wait_any(fds, std::max(0.0, until - now));
        if (fds[0].revents != 0) {
            error_ = ECANCELED;
            return false;
        }
        for (std::size_t i = pending_.size(); i-- > 0;) {
            if (fds[i + 1].revents == 0) {
                continue;
            }
            int error = 0;
            socklen_t length = sizeof error;
            ::getsockopt(pending_[i].fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
            if (error == 0) {
                winner_ = i;
                return true;
            }
            error_ = error;
            pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
            next_at_ = 0;  // the next address need not wait any longer
        }
        winner_ = pending_.size();
        return true;
    }

    const addrinfo* next_;
    double deadline_;
    double next_at_ = 0;
    std::vector<Pending> pending_;
    std::size_t winner_ = 0;
    int error_ = EHOSTUNREACH;
};

// The kernel notices a peer that is gone, and what is between keeps the connection in mind.
void keep_alive(int fd) {
    const auto set = [fd](int level, int name, int value) {
        ::setsockopt(fd, level, name, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

Result<TcpConnection> tcp_connect(const std::string& node, const std::string& host, int port,
                                  double timeout_s, const std::stop_token& stop, int family) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int resolved = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(list, &::freeaddrinfo);
    if (resolved != 0) {
        return unknown_host(node, host, ::gai_strerror(resolved));
    }
    const std::string target = host + ':' + std::to_string(port);
    UniqueFd fd;
    std::string address;
    const int error = Attempts(addresses.get(), timeout_s).run(wake, fd, address);
    if (error == ECANCELED) {
        return cancelled(node);
    }
    if (error == 0) {
        keep_alive(fd.get());
        sockaddr_storage own{};
        socklen_t length = sizeof own;
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &length);
        return TcpConnection{std::move(fd), address, numeric(reinterpret_cast<sockaddr*>(&own), length)};
    }
    return connect_failed(node, target, error, timeout_s, target + ": " + std::strerror(error));
}

}  // namespace rankscope::inline nodes
