// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/node/netlink.h>

#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace rankscope::agent {
namespace {

constexpr double kPatience = 1;
constexpr std::size_t kDatagram = 1U << 17U;
constexpr std::size_t kMostMessages = 100000;

constexpr std::size_t aligned(std::size_t length) {
    return (length + 3) & ~std::size_t{3};
}

// Takes what one datagram holds. true: the answer is complete.
bool take(std::string_view datagram, std::uint32_t sequence, bool dump, NetlinkAnswer& answer) {
    while (const auto header = read_as<nlmsghdr>(datagram)) {
        const std::size_t length = header->nlmsg_len;
        if (length < sizeof(nlmsghdr) || length > datagram.size()) {
            return true;
        }
        const auto body = datagram.substr(sizeof(nlmsghdr), length - sizeof(nlmsghdr));
        datagram.remove_prefix(std::min(datagram.size(), aligned(length)));
        if (header->nlmsg_seq != sequence) {
            continue;
        }
        if (header->nlmsg_type == NLMSG_DONE) {
            return true;
        }
        if (header->nlmsg_type == NLMSG_ERROR) {
            answer.error = -read_as<int>(body).value_or(-EPROTO);
            return true;
        }
        answer.messages.emplace_back(body);
        if (!dump || answer.messages.size() >= kMostMessages) {
            return true;
        }
    }
    return false;
}

}  // namespace

NetlinkAnswer ask_netlink(int protocol, std::uint16_t type, std::uint16_t flags, std::string_view body) {
    constexpr std::uint32_t kSequence = 1;
    NetlinkAnswer answer;
    const UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + body.size());
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
    header.nlmsg_seq = kSequence;
    const std::string request = std::string(bytes_of(header)) + std::string(body);
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    if (!fd || ::sendto(fd.get(), request.data(), request.size(), 0, reinterpret_cast<sockaddr*>(&kernel),
                        sizeof kernel) < 0) {
        answer.error = errno;
        return answer;
    }
    const double deadline = monotonic_s() + kPatience;
    std::string datagram;
    for (bool complete = false; !complete;) {
        if (!wait_readable(fd.get(), deadline)) {
            answer.error = ETIMEDOUT;
            return answer;
        }
        datagram.resize(kDatagram);
        const auto got = ::recv(fd.get(), datagram.data(), datagram.size(), 0);
        if (got < 0 && errno != EINTR) {
            answer.error = errno;
            return answer;
        }
        datagram.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        complete = take(datagram, kSequence, (flags & NLM_F_DUMP) == NLM_F_DUMP, answer);
    }
    return answer;
}

void for_each_attribute(std::string_view bytes,
                        const std::function<void(std::uint16_t type, std::string_view value)>& call) {
    while (const auto header = read_as<nlattr>(bytes)) {
        const std::size_t length = header->nla_len;
        if (length < sizeof(nlattr) || length > bytes.size()) {
            return;
        }
        call(static_cast<std::uint16_t>(header->nla_type & NLA_TYPE_MASK),
             bytes.substr(sizeof(nlattr), length - sizeof(nlattr)));
        bytes.remove_prefix(std::min(bytes.size(), aligned(length)));
    }
}

void add_attribute(std::string& body, std::uint16_t type, std::string_view value) {
    nlattr header{};
    header.nla_len = static_cast<std::uint16_t>(sizeof header + value.size());
    header.nla_type = type;
    body += bytes_of(header);
    body += value;
    body.resize(aligned(body.size()));
}

}  // namespace rankscope::agent
