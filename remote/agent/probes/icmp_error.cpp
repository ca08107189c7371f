// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/icmp_error.h>

#include <linux/errqueue.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <ctime>

namespace rankscope::agent {
namespace {

bool holds_error(const cmsghdr& header) {
    return (header.cmsg_level == IPPROTO_IP && header.cmsg_type == IP_RECVERR) ||
           (header.cmsg_level == IPPROTO_IPV6 && header.cmsg_type == IPV6_RECVERR);
}

std::optional<IcmpError> error_in(const cmsghdr& header) {
    sock_extended_err entry{};
    const std::size_t size = header.cmsg_len - CMSG_LEN(0);
    if (!holds_error(header) || size < sizeof entry) {
        return std::nullopt;
    }
    const unsigned char* data = CMSG_DATA(&header);
    std::memcpy(&entry, data, sizeof entry);
    if (entry.ee_origin != SO_EE_ORIGIN_ICMP && entry.ee_origin != SO_EE_ORIGIN_ICMP6) {
        return std::nullopt;
    }
    IcmpError error;
    error.error = static_cast<int>(entry.ee_errno);
    error.v6 = entry.ee_origin == SO_EE_ORIGIN_ICMP6;
    error.type = entry.ee_type;
    error.code = entry.ee_code;
    // The sender's address follows (SO_EE_OFFENDER), of one family or the other.
    const std::size_t rest = size - sizeof entry;
    sa_family_t family = AF_UNSPEC;
    if (rest >= sizeof family) {
        std::memcpy(&family, data + sizeof entry, sizeof family);
    }
    const std::size_t needed = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if ((family == AF_INET || family == AF_INET6) && rest >= needed) {
        std::memcpy(&error.from, data + sizeof entry, needed);
    }
    return error;
}

}  // namespace

void keep_icmp_errors(int fd, int family) {
    const int on = 1;
    if (family == AF_INET6) {
        ::setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on);
    } else {
        ::setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    }
}

std::optional<IcmpError> take_icmp_error(int fd) {
    std::optional<IcmpError> last;
    for (;;) {
        std::array<char, 256> packet;  // the SYN that the message is about
        alignas(cmsghdr) std::array<char, 256> control;
        iovec part{packet.data(), packet.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        if (::recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
            return last;
        }
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
             header = CMSG_NXTHDR(&message, header)) {
            if (auto error = error_in(*header)) {
                last = error;
            }
        }
    }
}

}  // namespace rankscope::agent
