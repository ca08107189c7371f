// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/connect_outcome.h>

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include <cerrno>

namespace rankscope::agent {
namespace {

enum class Meaning { Port, Prohibited, Host, Other };

Meaning meaning_v4(const IcmpError& icmp) {
    if (icmp.type == ICMP_TIME_EXCEEDED) {
        return Meaning::Host;
    }
    if (icmp.type != ICMP_DEST_UNREACH) {
        return Meaning::Other;
    }
    switch (icmp.code) {
        case ICMP_PORT_UNREACH:
            return Meaning::Port;
        case ICMP_PROT_UNREACH:
        case ICMP_NET_ANO:
        case ICMP_HOST_ANO:
        case ICMP_PKT_FILTERED:
            return Meaning::Prohibited;
        case ICMP_FRAG_NEEDED:
        case ICMP_SR_FAILED:
            return Meaning::Other;
        default:
            return Meaning::Host;
    }
}

Meaning meaning_v6(const IcmpError& icmp) {
    constexpr int kSourcePolicy = 5;
    constexpr int kRejectRoute = 6;
    if (icmp.type == ICMP6_TIME_EXCEEDED) {
        return Meaning::Host;
    }
    if (icmp.type == ICMP6_PARAM_PROB && icmp.code == ICMP6_PARAMPROB_NEXTHEADER) {
        return Meaning::Prohibited;
    }
    if (icmp.type != ICMP6_DST_UNREACH) {
        return Meaning::Other;
    }
    switch (icmp.code) {
        case ICMP6_DST_UNREACH_NOPORT:
            return Meaning::Port;
        case ICMP6_DST_UNREACH_ADMIN:
        case kSourcePolicy:
        case kRejectRoute:
            return Meaning::Prohibited;
        default:
            return Meaning::Host;
    }
}

wire::ConnectOutcome outcome_of_icmp(const ConnectError& what, const IcmpError& icmp) {
    const Meaning meaning = icmp.v6 ? meaning_v6(icmp) : meaning_v4(icmp);
    if (meaning == Meaning::Other) {
        return wire::CONNECT_FAILED;
    }
    if (what.from_self) {
        return meaning == Meaning::Host && what.next_hop != NextHop::Answers ? wire::CONNECT_NO_NEIGHBOUR
                                                                             : wire::CONNECT_LOCAL_DENIED;
    }
    if (meaning == Meaning::Port) {
        return wire::CONNECT_ICMP_PORT;
    }
    return meaning == Meaning::Prohibited || what.from_target ? wire::CONNECT_ICMP_PROHIBITED
                                                              : wire::CONNECT_ICMP_HOST;
}

}  // namespace

wire::ConnectOutcome outcome_of(const ConnectError& what) {
    if (what.icmp) {
        return outcome_of_icmp(what, *what.icmp);
    }
    switch (what.error) {
        case ECONNREFUSED:
        case ECONNRESET:
            return wire::CONNECT_RESET;
        case EPERM:
            return wire::CONNECT_LOCAL_DENIED;
        case EACCES:  // as an answer: ICMPv6 of a kernel before 5.9
            return what.at_once ? wire::CONNECT_LOCAL_DENIED : wire::CONNECT_ICMP_PROHIBITED;
        case ENETUNREACH:
        case EHOSTUNREACH:
            if (what.at_once) {
                return wire::CONNECT_NO_ROUTE;
            }
            return what.next_hop == NextHop::Silent ? wire::CONNECT_NO_NEIGHBOUR : wire::CONNECT_ICMP_HOST;
        case EINVAL:  // a blackhole route
        case ENETDOWN:
            return what.at_once ? wire::CONNECT_NO_ROUTE : wire::CONNECT_FAILED;
        case EADDRNOTAVAIL:
        case EADDRINUSE:
        case EAFNOSUPPORT:
        case ENODEV:
            return wire::CONNECT_NO_ADDRESS;
        case ETIMEDOUT:
            return what.next_hop == NextHop::Silent ? wire::CONNECT_NO_NEIGHBOUR : wire::CONNECT_DROPPED;
        default:
            return wire::CONNECT_FAILED;
    }
}

}  // namespace rankscope::agent
