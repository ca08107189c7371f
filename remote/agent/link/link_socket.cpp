// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/link/link_socket.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace rankscope::agent {
namespace {

bool bind_to(const UniqueFd& fd, const Address& address) {
    return fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0;
}

}  // namespace

std::optional<Address> numeric_address(const std::string& text, std::uint16_t port) {
    Address address;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        address.size = sizeof *v4;
        return address;
    }
    if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        address.size = sizeof *v6;
        return address;
    }
    return std::nullopt;
}

UniqueFd tcp_socket(int family) {
    UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd) {  // else errno stays that of socket(2)
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}

UniqueFd bound_socket(const std::string& text) {
    if (const auto address = numeric_address(text, 0)) {
        UniqueFd fd = tcp_socket(address->storage.ss_family);
        if (bind_to(fd, *address)) {
            return fd;
        }
    }
    UniqueFd both = tcp_socket(AF_INET6);
    const int off = 0;
    if (both && ::setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
        bind_to(both, *numeric_address("::", 0))) {
        return both;
    }
    UniqueFd v4 = tcp_socket(AF_INET);
    return bind_to(v4, *numeric_address("0.0.0.0", 0)) ? std::move(v4) : UniqueFd();
}

}  // namespace rankscope::agent
