// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/socket.h>
#include <engine/error.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

namespace rankscope::engine {
namespace {

std::string error_text(int code) {
    return std::generic_category().message(code);
}

void set_option(int descriptor, int level, int option, int value) {
    setsockopt(descriptor, level, option, &value, sizeof(value));
}

template <typename T>
sockaddr* as_sockaddr(T* address) {
    return static_cast<sockaddr*>(static_cast<void*>(address));
}

int remaining_ms(Clock::time_point deadline) {
    if (deadline == Clock::time_point::max()) {
        return -1;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1 << 30));
}

/// Waits until the socket is ready for `events`.
IoResult wait_for(int descriptor, short events, Clock::time_point deadline) {
    for (;;) {
        pollfd entry{descriptor, events, 0};
        const int ready = poll(&entry, 1, remaining_ms(deadline));
        if (ready > 0) {
            return {};
        }
        if (ready == 0 && Clock::now() >= deadline) {
            return {IoStatus::timeout, "time-out", ETIMEDOUT};
        }
        if (ready < 0 && errno != EINTR) {
            return {IoStatus::failed, error_text(errno), errno};
        }
    }
}

struct AddressList {
    struct Free {
        void operator()(addrinfo* list) const { freeaddrinfo(list); }
    };
    std::unique_ptr<addrinfo, Free> list;
    std::string error;
};

AddressList resolve(const std::string& host, std::uint16_t port, int type) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = type;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    AddressList result;
    result.list.reset(failed == 0 ? list : nullptr);
    result.error = failed == 0 ? "" : "\"" + host + "\" cannot be resolved: " + gai_strerror(failed);
    return result;
}

IoResult connect_one(const addrinfo& address, Clock::time_point deadline, Socket* socket) {
    Socket candidate(
        ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
    if (!candidate) {
        return {IoStatus::failed, error_text(errno), errno};
    }
    if (connect(candidate.fd(), address.ai_addr, address.ai_addrlen) != 0) {
        if (errno != EINPROGRESS) {
            return {IoStatus::failed, error_text(errno), errno};
        }
        if (IoResult waited = wait_for(candidate.fd(), POLLOUT, deadline); !waited) {
            return waited;
        }
        int failed = 0;
        socklen_t size = sizeof(failed);
        getsockopt(candidate.fd(), SOL_SOCKET, SO_ERROR, &failed, &size);
        if (failed != 0) {
            return {IoStatus::failed, error_text(failed), failed};
        }
    }
    set_tcp_options(candidate.fd());
    *socket = std::move(candidate);
    return {};
}

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

Address any_address(int family) {
    Address address;
    if (family == AF_INET6) {
        sockaddr_in6 any{};
        any.sin6_family = AF_INET6;
        any.sin6_addr = in6addr_any;
        address.size = sizeof(any);
        std::memcpy(&address.storage, &any, sizeof(any));
    } else {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_ANY);
        address.size = sizeof(any);
        std::memcpy(&address.storage, &any, sizeof(any));
    }
    return address;
}

std::optional<Address> numeric_address(const std::string& text) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* list = nullptr;
    if (getaddrinfo(text == "localhost" ? "127.0.0.1" : text.c_str(), nullptr, &hints, &list) != 0) {
        return std::nullopt;
    }
    Address address;
    address.size = list->ai_addrlen;
    std::memcpy(&address.storage, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    return address;
}

Socket bound_socket(Address address, std::uint16_t port, int* failed) {
    const int family = address.storage.ss_family;
    Socket socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) {
        *failed = errno;
        return {};
    }
    set_option(socket.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (family == AF_INET6) {
        set_option(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    // The port is at the same place for IPv4 and IPv6.
    sockaddr_in head{};
    std::memcpy(&head, &address.storage, sizeof(head));
    head.sin_port = htons(port);
    std::memcpy(&address.storage, &head, sizeof(head));
    const int result = bind(socket.fd(), as_sockaddr(&address.storage), address.size);
    *failed = result != 0 || listen(socket.fd(), SOMAXCONN) != 0 ? errno : 0;
    return *failed == 0 ? std::move(socket) : Socket();
}

}  // namespace

void set_tcp_options(int descriptor) {
    set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 6);
    set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 120000);
}

Socket listen_tcp(std::uint16_t port, const std::string& address) {
    int failed = EADDRNOTAVAIL;
    Socket socket;
    if (const auto numeric = numeric_address(address)) {
        socket = bound_socket(*numeric, port, &failed);
    }
    if (!socket && failed == EADDRNOTAVAIL) {  // a name, or an address that is translated on the way here
        socket = bound_socket(any_address(AF_INET6), port, &failed);
    }
    if (!socket && (failed == EAFNOSUPPORT || failed == EADDRNOTAVAIL)) {  // a machine without IPv6
        socket = bound_socket(any_address(AF_INET), port, &failed);
    }
    if (socket) {
        return socket;
    }
    const std::string where = "port " + std::to_string(port) + " on this node (MASTER_PORT)";
    if (failed == EADDRINUSE) {
        throw Error(where +
                    " is in use by another program, perhaps by a run that has not ended. Choose another "
                    "master_port, or 0 for a free one; `ss -ltnp 'sport = :" +
                    std::to_string(port) + "'` shows who has it.");
    }
    if (failed == EACCES) {
        throw Error(where +
                    " may not be opened by this user (ports below 1024 belong to root). Choose a "
                    "master_port from 1024.");
    }
    throw Error(where + " cannot be opened: " + error_text(failed));
}

std::uint16_t local_port(const Socket& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    getsockname(socket.fd(), as_sockaddr(&address), &size);
    // The port is at the same place for IPv4 and IPv6.
    sockaddr_in narrow{};
    std::memcpy(&narrow, &address, sizeof(narrow));
    return ntohs(narrow.sin_port);
}

std::string reachable_address(const Socket& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    std::array<char, NI_MAXHOST> text{};
    if (getsockname(socket.fd(), as_sockaddr(&address), &size) != 0 ||
        getnameinfo(as_sockaddr(&address), size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
        return "127.0.0.1";
    }
    const std::string host = text.data();
    return host == "::" || host == "0.0.0.0" ? "127.0.0.1" : host;
}

IoResult connect_tcp(const std::string& host, std::uint16_t port, Clock::time_point deadline,
                     Socket* socket) {
    const AddressList addresses = resolve(host, port, SOCK_STREAM);
    IoResult last{IoStatus::failed, addresses.error, addresses.list ? 0 : EADDRNOTAVAIL};
    for (const addrinfo* address = addresses.list.get(); address != nullptr; address = address->ai_next) {
        last = connect_one(*address, deadline, socket);
        if (last) {
            return last;
        }
    }
    return last;
}

IoResult send_all(const Socket& socket, const void* data, std::size_t size, Clock::time_point deadline) {
    const auto* bytes = static_cast<const std::byte*>(data);
    while (size > 0) {
        const ssize_t sent = send(socket.fd(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            size -= static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (IoResult waited = wait_for(socket.fd(), POLLOUT, deadline); !waited) {
                return waited;
            }
        } else if (errno != EINTR) {
            const bool gone = errno == EPIPE || errno == ECONNRESET;
            return {gone ? IoStatus::closed : IoStatus::failed, error_text(errno), errno};
        }
    }
    return {};
}

IoResult receive_all(const Socket& socket, void* data, std::size_t size, Clock::time_point deadline) {
    auto* bytes = static_cast<std::byte*>(data);
    while (size > 0) {
        const ssize_t got = recv(socket.fd(), bytes, size, MSG_DONTWAIT);
        if (got > 0) {
            bytes += got;
            size -= static_cast<std::size_t>(got);
        } else if (got == 0) {
            return {IoStatus::closed, "the connection was closed"};
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (IoResult waited = wait_for(socket.fd(), POLLIN, deadline); !waited) {
                return waited;
            }
        } else if (errno != EINTR) {
            const bool gone = errno == ECONNRESET || errno == ETIMEDOUT;
            return {gone ? IoStatus::closed : IoStatus::failed, error_text(errno), errno};
        }
    }
    return {};
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "127.0.0.1";
}

std::string local_address_towards(const std::string& host, std::uint16_t port) {
    const AddressList addresses = resolve(host, port, SOCK_DGRAM);
    for (const addrinfo* address = addresses.list.get(); address != nullptr; address = address->ai_next) {
        // Connecting a datagram socket sends nothing; it only makes the kernel choose the route.
        const Socket probe(::socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_storage local{};
        socklen_t size = sizeof(local);
        if (probe && connect(probe.fd(), address->ai_addr, address->ai_addrlen) == 0 &&
            getsockname(probe.fd(), as_sockaddr(&local), &size) == 0) {
            std::array<char, NI_MAXHOST> text{};
            if (getnameinfo(as_sockaddr(&local), size, text.data(), text.size(), nullptr, 0,
                            NI_NUMERICHOST) == 0) {
                return text.data();
            }
        }
    }
    return {};
}

}  // namespace rankscope::engine
