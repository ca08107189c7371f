// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/netlink.h>
#include <remote/agent/probes/next_hop.h>

#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {
namespace {

std::string_view address_bytes(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET6) {
        return bytes_of(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
    }
    return bytes_of(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
}

std::string_view attributes_of(std::string_view message, std::size_t header_bytes) {
    return message.substr(std::min<std::size_t>(NLMSG_ALIGN(header_bytes), message.size()));
}

struct Hop {
    unsigned interface = 0;
    std::string address;
};

std::optional<Hop> route_to(const sockaddr_storage& target, unsigned interface) {
    const std::string_view address = address_bytes(target);
    rtmsg route{};
    route.rtm_family = static_cast<unsigned char>(target.ss_family);
    route.rtm_dst_len = static_cast<unsigned char>(address.size() * 8);
    std::string body(bytes_of(route));
    add_attribute(body, RTA_DST, address);
    if (interface != 0) {
        add_attribute(body, RTA_OIF, bytes_of(interface));
    }
    const NetlinkAnswer answer = ask_netlink(NETLINK_ROUTE, RTM_GETROUTE, 0, body);
    const auto found =
        answer.messages.empty() ? std::nullopt : read_as<rtmsg>(std::string_view(answer.messages.front()));
    if (!found || found->rtm_type != RTN_UNICAST) {
        return std::nullopt;
    }
    Hop hop{0, std::string(address)};
    for_each_attribute(attributes_of(answer.messages.front(), sizeof *found),
                       [&](std::uint16_t type, std::string_view value) {
                           if (type == RTA_GATEWAY) {
                               hop.address = value;
                           } else if (type == RTA_OIF) {
                               hop.interface = read_as<unsigned>(value).value_or(0);
                           }
                       });
    return hop;
}

NextHop state_of(const ndmsg& entry) {
    if ((entry.ndm_state & (NUD_FAILED | NUD_INCOMPLETE)) != 0) {
        return NextHop::Silent;
    }
    const bool answers = (entry.ndm_state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)) != 0;
    return answers ? NextHop::Answers : NextHop::Unknown;
}

}  // namespace

NextHop next_hop_state(const sockaddr_storage& target, unsigned interface) {
    const auto hop = route_to(target, interface);
    if (!hop) {
        return NextHop::Unknown;
    }
    ndmsg all{};
    all.ndm_family = static_cast<unsigned char>(target.ss_family);
    const NetlinkAnswer neighbours = ask_netlink(NETLINK_ROUTE, RTM_GETNEIGH, NLM_F_DUMP, bytes_of(all));
    for (const auto& message : neighbours.messages) {
        const auto entry = read_as<ndmsg>(std::string_view(message));
        if (!entry || static_cast<unsigned>(entry->ndm_ifindex) != hop->interface) {
            continue;
        }
        bool is_hop = false;
        for_each_attribute(attributes_of(message, sizeof *entry),
                           [&](std::uint16_t type, std::string_view value) {
                               is_hop = is_hop || (type == NDA_DST && value == hop->address);
                           });
        if (is_hop) {
            return state_of(*entry);
        }
    }
    return NextHop::Unknown;
}

}  // namespace rankscope::agent
