// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/agent/inspection/routes.h>
#include <remote/agent/node/netlink.h>

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <string>

namespace rankscope::agent {
namespace {

constexpr int kMostPeers = 4096;

std::string address_text(int family, std::string_view bytes) {
    const std::size_t wanted = family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (wanted == 0 || bytes.size() != wanted ||
        ::inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) {
        return {};
    }
    return text.data();
}

// "fe80::1%eth0": a link-local address is reached through the interface after the '%'.
wire::Route route_to(const std::string& peer) {
    wire::Route route;
    route.set_peer(peer);
    const auto percent = peer.find('%');
    const std::string numeric = peer.substr(0, percent);
    rtmsg query{};
    std::array<char, sizeof(in6_addr)> bytes{};
    std::size_t length = 0;
    if (::inet_pton(AF_INET, numeric.c_str(), bytes.data()) == 1) {
        query.rtm_family = AF_INET;
        length = sizeof(in_addr);
    } else if (::inet_pton(AF_INET6, numeric.c_str(), bytes.data()) == 1) {
        query.rtm_family = AF_INET6;
        length = sizeof(in6_addr);
    } else {
        route.set_error(EINVAL);
        return route;
    }
    query.rtm_dst_len = static_cast<unsigned char>(length * 8);
    std::string body(bytes_of(query));
    add_attribute(body, RTA_DST, {bytes.data(), length});
    if (percent != std::string::npos) {
        const unsigned index = ::if_nametoindex(peer.c_str() + percent + 1);
        if (index == 0) {
            route.set_error(ENODEV);
            return route;
        }
        add_attribute(body, RTA_OIF, bytes_of(index));
    }
    const NetlinkAnswer answer = ask_netlink(NETLINK_ROUTE, RTM_GETROUTE, 0, body);
    route.set_error(answer.error);
    if (answer.error == 0 && !answer.messages.empty()) {
        read_route(answer.messages.front(), route);
    }
    return route;
}

}  // namespace

void read_route(std::string_view body, wire::Route& route) {
    const auto header = read_as<rtmsg>(body);
    if (!header) {
        return route.set_error(EPROTO);
    }
    switch (header->rtm_type) {  // IPv6 answers with the route that rejects instead of an error
        case RTN_UNREACHABLE:
            route.set_error(EHOSTUNREACH);
            break;
        case RTN_BLACKHOLE:
            route.set_error(EINVAL);
            break;
        case RTN_PROHIBIT:
            route.set_error(EACCES);
            break;
        default:
            break;
    }
    for_each_attribute(body.substr(sizeof(rtmsg)), [&](std::uint16_t type, std::string_view value) {
        switch (type) {
            case RTA_OIF: {
                std::array<char, IF_NAMESIZE> name{};
                if (::if_indextoname(read_as<unsigned>(value).value_or(0), name.data()) != nullptr) {
                    route.set_interface(as_utf8(name.data()));
                }
                break;
            }
            case RTA_PREFSRC:
                route.set_source(address_text(header->rtm_family, value));
                break;
            case RTA_GATEWAY:
                route.set_gateway(address_text(header->rtm_family, value));
                break;
            case RTA_VIA:  // a gateway of the other family
                if (const auto family = read_as<std::uint16_t>(value)) {
                    route.set_gateway(address_text(*family, value.substr(sizeof *family)));
                }
                break;
            case RTA_METRICS:
                for_each_attribute(value, [&route](std::uint16_t metric, std::string_view number) {
                    if (metric == RTAX_MTU) {
                        route.set_mtu(read_as<std::uint32_t>(number).value_or(0));
                    }
                });
                break;
            default:
                break;
        }
    });
}

wire::HostInspection inspect_routes(const InspectionScope& scope) {
    wire::HostInspection found;
    for (const auto& peer : scope.request.peers()) {
        if (found.routes_size() >= kMostPeers || scope.stop.stop_requested()) {
            add_unseen(found, "routes", "more than 4096 peers");
            break;
        }
        *found.add_routes() = route_to(peer);
    }
    return found;
}

}  // namespace rankscope::agent
