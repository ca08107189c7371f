// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// connect_targets() and ProbeListener across real faults: firewalls, missing routes and neighbours, small MTUs, delay,
// loss, NAT, in network namespaces.

#include "support/probe_node.h"
#include "support/test_network.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <remote/agent/link/link_socket.h>
#include <remote/agent/probes/connect_probe.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>

namespace rankscope::agent {
namespace {

using test::FarCable;
using test::in_namespace;
using test::probe_token;
using test::ProbeNode;
using test::TestNetwork;

constexpr std::uint16_t kPort = 23456;
constexpr double kSeconds = 1.5;  // long enough for a busy machine; what is dropped takes it all
const std::vector<std::string> kFamilies{"10.9.0.2", "fd09::2"};

wire::ConnectTarget target(const std::string& address, std::uint32_t port = kPort) {
    wire::ConnectTarget target;
    target.set_address(address);
    target.set_port(port);
    target.set_token(probe_token("node1"));
    return target;
}

wire::ConnectResults connect_from(const TestNetwork& network, int node, const wire::ConnectTargets& request) {
    wire::ConnectResults results;
    in_namespace(network.path(node), [&] { results = connect_targets(request, {}); });
    return results;
}

wire::ConnectResult connect_from(const TestNetwork& network, int node, const wire::ConnectTarget& one,
                                 double seconds = kSeconds) {
    wire::ConnectTargets request;
    *request.add_targets() = one;
    request.set_seconds(seconds);
    return connect_from(network, node, request).results(0);
}

// The kernel activates a new link up to a second late, and drops what is sent before: node 0 reaches the listener.
void await_links(const TestNetwork& network, const std::vector<std::string>& addresses) {
    for (const auto& address : addresses) {
        ASSERT_TRUE(test::wait_until([&] {
            return connect_from(network, 0, target(address)).outcome() == wire::CONNECTED;
        })) << address;
    }
}

std::string show(const wire::ConnectResult& result) {
    return "outcome " + std::to_string(result.outcome()) + ", errno " + std::to_string(result.error()) +
           ", ICMP " + std::to_string(result.icmp_type()) + " " + std::to_string(result.icmp_code()) +
           " from " + result.icmp_from() + ", " + std::to_string(result.seconds()) + " s, attempts " +
           std::to_string(result.attempts()) + ", MTU " + std::to_string(result.path_mtu()) + ", sent " +
           std::to_string(result.bulk_sent()) + " in " + std::to_string(result.bulk_seconds()) +
           " s, segments " + std::to_string(result.segments_out()) + ", again " +
           std::to_string(result.retransmitted()) + ", rtt " + std::to_string(result.rtt_s());
}

/// Two nodes, 0 and 1, on one cable; node 1 listens.
class TwoNodes : public ::testing::Test {
protected:
    void SetUp() override {
        if (!network_.problem().empty()) {
            GTEST_SKIP() << network_.problem();
        }
        network_.connect(0, 1, "eth0", "eth0", {"10.9.0.1/24", "fd09::1/64"}, {"10.9.0.2/24", "fd09::2/64"});
        node_.emplace(network_.path(1));
        ASSERT_EQ(node_->open(probe_token("node1"), kPort), kPort);
        await_links(network_, kFamilies);
    }

    wire::ConnectResult reach(const wire::ConnectTarget& one, double seconds = kSeconds) {
        return connect_from(network_, 0, one, seconds);
    }

    TestNetwork network_{2};
    std::optional<ProbeNode> node_;
};

TEST_F(TwoNodes, HealthyInBothFamilies) {
    for (const auto& address : kFamilies) {
        auto asked = target(address);
        asked.set_segments(50);
        asked.set_bulk_bytes(4U << 20U);
        const auto result = reach(asked);
        EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
        EXPECT_EQ(result.seen_as(), result.local_address());
        EXPECT_EQ(result.path_mtu(), 1500U);
        EXPECT_EQ(result.bulk_sent(), 4U << 20U) << show(result);
        EXPECT_EQ(result.retransmitted(), 0U) << show(result);
        asked.set_interface("eth0");
        EXPECT_EQ(reach(asked).outcome(), wire::CONNECTED) << show(reach(asked));
        asked.set_interface("lo");
        EXPECT_NE(reach(asked).outcome(), wire::CONNECTED);
    }
}

TEST_F(TwoNodes, EachWayInWhichAFirewallRefuses) {
    struct Case {
        const char* verdict;
        wire::ConnectOutcome outcome;
        int code_v4;
        int code_v6;
    };
    const Case cases[] = {
        {"drop", wire::CONNECT_DROPPED, -1, -1},
        {"reject with tcp reset", wire::CONNECT_RESET, -1, -1},
        {"reject with icmpx type port-unreachable", wire::CONNECT_ICMP_PORT, 3, 4},
        {"reject with icmpx type admin-prohibited", wire::CONNECT_ICMP_PROHIBITED, 13, 1},
        {"reject with icmpx type host-unreachable", wire::CONNECT_ICMP_PROHIBITED, 1, 3},
        {"reject with icmpx type no-route", wire::CONNECT_ICMP_PROHIBITED, 0, 0},
    };
    for (const auto& one : cases) {
        network_.rules(1, "chain in { type filter hook input priority 0; tcp dport " + std::to_string(kPort) +
                              " " + one.verdict + "; }");
        for (const auto& address : kFamilies) {
            const auto result = reach(target(address));
            EXPECT_EQ(result.outcome(), one.outcome) << one.verdict << " " << address << ": " << show(result);
            EXPECT_EQ(result.icmp_code(), address == "fd09::2" ? one.code_v6 : one.code_v4) << show(result);
            if (result.icmp_code() >= 0) {
                EXPECT_EQ(result.icmp_from(), address);
                EXPECT_EQ(result.icmp_type(), address == "fd09::2" ? 1 : 3);
            }
            if (one.outcome != wire::CONNECT_DROPPED) {
                EXPECT_LT(result.seconds(), kSeconds) << "the answer counts at once: " << show(result);
            }
        }
    }
    network_.no_rules(1);
    EXPECT_EQ(reach(target("10.9.0.2")).outcome(), wire::CONNECTED);
}

TEST_F(TwoNodes, OneDirectionOnly) {
    network_.rules(1, "chain in { type filter hook input priority 0; tcp flags syn / syn,ack drop; }");
    ProbeNode here(network_.path(0));
    ASSERT_EQ(here.open(probe_token("node1"), kPort), kPort);
    EXPECT_EQ(reach(target("10.9.0.2")).outcome(), wire::CONNECT_DROPPED);
    EXPECT_EQ(connect_from(network_, 1, target("10.9.0.1")).outcome(), wire::CONNECTED);
    // Answers that do not come back look the same.
    network_.rules(
        1, "chain out { type filter hook output priority 0; tcp sport " + std::to_string(kPort) + " drop; }");
    EXPECT_EQ(reach(target("10.9.0.2")).outcome(), wire::CONNECT_DROPPED);
}

TEST_F(TwoNodes, RulesOfThisNode) {
    const std::string rule =
        "chain out { type filter hook output priority 0; tcp dport " + std::to_string(kPort);
    for (const char* verdict : {"drop", "reject", "reject with icmpx type admin-prohibited",
                                "reject with icmpx type host-unreachable"}) {
        // The neighbour is known: a host that is not there must not be confused with it.
        network_.no_rules(0);
        for (const auto& address : kFamilies) {
            ASSERT_EQ(reach(target(address)).outcome(), wire::CONNECTED);
        }
        network_.rules(0, rule + " " + verdict + "; }");
        for (const auto& address : kFamilies) {
            const auto result = reach(target(address), 2.5);
            EXPECT_EQ(result.outcome(), wire::CONNECT_LOCAL_DENIED)
                << verdict << " " << address << ": " << show(result);
        }
    }
    network_.no_rules(0);
    network_.run(0, "ip route add prohibit 10.9.5.0/24");
    network_.run(0, "ip route add blackhole 10.9.6.0/24");
    EXPECT_EQ(reach(target("10.9.5.1")).outcome(), wire::CONNECT_LOCAL_DENIED);
    EXPECT_EQ(reach(target("10.9.6.1")).outcome(), wire::CONNECT_NO_ROUTE);
}

TEST_F(TwoNodes, APortWithoutAListener) {
    for (const auto& address : kFamilies) {
        EXPECT_EQ(reach(target(address, 999)).outcome(), wire::CONNECT_RESET);
    }
}

TEST_F(TwoNodes, NoRouteAndNoAddress) {
    EXPECT_EQ(reach(target("192.0.2.7")).outcome(), wire::CONNECT_NO_ROUTE);
    EXPECT_EQ(reach(target("2001:db8::7")).outcome(), wire::CONNECT_NO_ROUTE);
    network_.connect(0, 1, "eth1", "eth1", {}, {});
    auto asked = target("10.9.0.2");
    asked.set_interface("eth1");
    EXPECT_EQ(reach(asked).outcome(), wire::CONNECT_NO_ADDRESS);
    EXPECT_EQ(reach(asked).error(), EADDRNOTAVAIL);
}

TEST_F(TwoNodes, NoNeighbour) {
    for (const char* address : {"10.9.0.77", "fd09::77"}) {
        // The deadline comes before the kernel stops asking (3 s) …
        const auto soon = reach(target(address), 1.5);
        EXPECT_EQ(soon.outcome(), wire::CONNECT_NO_NEIGHBOUR) << show(soon);
        // … and after it.
        const auto late = reach(target(address), 8);
        EXPECT_EQ(late.outcome(), wire::CONNECT_NO_NEIGHBOUR) << show(late);
        EXPECT_LT(late.seconds(), 8) << show(late);
    }
    // Not even the router answers.
    network_.run(0, "ip route add 192.0.2.0/24 via 10.9.0.78");
    EXPECT_EQ(reach(target("192.0.2.7"), 1.5).outcome(), wire::CONNECT_NO_NEIGHBOUR);
}

TEST_F(TwoNodes, AnotherNodeOfTheRunIsTheWrongHost) {
    ASSERT_EQ(node_->open(probe_token("node2"), kPort), kPort);
    EXPECT_EQ(reach(target("10.9.0.2")).outcome(), wire::CONNECT_WRONG_HOST);
    ASSERT_EQ(node_->open(probe_token("node1"), kPort), kPort);
    EXPECT_EQ(reach(target("10.9.0.2")).outcome(), wire::CONNECTED);
}

TEST_F(TwoNodes, AMiddleboxThatEndsConnections) {
    // Only packets with data: the connection stands, then it is reset.
    network_.rules(1, "chain in { type filter hook input priority 0; tcp dport " + std::to_string(kPort) +
                          " tcp flags & psh == psh reject with tcp reset; }");
    for (const auto& address : kFamilies) {
        const auto result = reach(target(address));
        EXPECT_EQ(result.outcome(), wire::CONNECT_CLOSED) << show(result);
    }
}

TEST_F(TwoNodes, AQueueOfConnectionsThatIsFull) {
    UniqueFd full;
    in_namespace(network_.path(1), [&] {
        full = bound_socket("10.9.0.2");
        ::listen(full.get(), 0);
    });
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(full.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    std::vector<UniqueFd> waiting;
    in_namespace(network_.path(0), [&] {
        for (int i = 0; i < 4; ++i) {
            waiting.push_back(tcp_socket(AF_INET));
            ::connect(waiting.back().get(), reinterpret_cast<sockaddr*>(&address), size);
        }
    });
    // A program that hangs: its kernel takes the first connections and ignores the others.
    const auto result = reach(target("10.9.0.2", ntohs(address.sin_port)));
    EXPECT_EQ(result.outcome(), wire::CONNECT_DROPPED) << show(result);
}

TEST_F(TwoNodes, LargePacketsThatNeverArrive) {
    network_.rules(1, "chain in { type filter hook input priority 0; meta length > 1000 drop; }");
    for (const auto& address : kFamilies) {
        auto asked = target(address);
        asked.set_segments(20);
        asked.set_bulk_bytes(64U << 10U);
        const auto result = reach(asked);
        EXPECT_EQ(result.outcome(), wire::CONNECT_STALLED) << show(result);
        EXPECT_EQ(result.bulk_sent(), 0U) << show(result);
        asked.set_bulk_bytes(0);
        EXPECT_EQ(reach(asked).outcome(), wire::CONNECTED) << "small ones do";
    }
}

TEST_F(TwoNodes, ManyRejectedPortsOfOneHost) {
    network_.rules(1, "chain in { type filter hook input priority 0; tcp dport 30000-30100 reject; }");
    wire::ConnectTargets request;
    for (std::uint32_t i = 0; i < 20; ++i) {
        *request.add_targets() = target("10.9.0.2", 30000 + i);
    }
    request.set_seconds(kSeconds);
    const auto results = connect_from(network_, 0, request);
    int inferred = 0;
    for (const auto& result : results.results()) {
        EXPECT_EQ(result.outcome(), wire::CONNECT_ICMP_PORT) << show(result);
        EXPECT_EQ(result.icmp_from(), "10.9.0.2");
        inferred += result.inferred() ? 1 : 0;
    }
    EXPECT_GT(inferred, 0) << "this kernel limits nothing";
    // One that is dropped, beside one that is rejected.
    network_.rules(
        1, "chain in { type filter hook input priority 0; tcp dport 30000 reject; tcp dport 30001 drop; }");
    request.mutable_targets()->DeleteSubrange(2, 18);
    const auto mixed = connect_from(network_, 0, request);
    EXPECT_EQ(mixed.results(0).outcome(), wire::CONNECT_ICMP_PORT) << show(mixed.results(0));
    EXPECT_EQ(mixed.results(1).outcome(), wire::CONNECT_DROPPED) << show(mixed.results(1));
}

/// Node 0 – router 1 – node 2, which listens.
class Routed : public ::testing::Test {
protected:
    void SetUp() override {
        if (!network_.problem().empty()) {
            GTEST_SKIP() << network_.problem();
        }
        network_.connect(0, 1, "eth0", "eth0", {"10.9.1.1/24", "fd09:1::1/64"},
                         {"10.9.1.254/24", "fd09:1::fe/64"});
        network_.connect(2, 1, "eth0", "eth1", {"10.9.2.2/24", "fd09:2::2/64"},
                         {"10.9.2.254/24", "fd09:2::fe/64"});
        network_.run(
            1,
            "sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'");
        network_.run(0, "ip route add default via 10.9.1.254");
        network_.run(0, "ip -6 route add default via fd09:1::fe");
        network_.run(2, "ip route add default via 10.9.2.254");
        network_.run(2, "ip -6 route add default via fd09:2::fe");
        node_.emplace(network_.path(2));
        ASSERT_EQ(node_->open(probe_token("node1"), kPort), kPort);
        await_links(network_, {"10.9.2.2", "fd09:2::2"});
    }

    wire::ConnectResult reach(const wire::ConnectTarget& one, double seconds = kSeconds) {
        return connect_from(network_, 0, one, seconds);
    }

    TestNetwork network_{3};
    std::optional<ProbeNode> node_;
    const std::vector<std::string> addresses_{"10.9.2.2", "fd09:2::2"};
};

TEST_F(Routed, ARouterSaysWhyItDoesNotForward) {
    EXPECT_EQ(reach(target("192.0.2.7")).outcome(), wire::CONNECT_ICMP_HOST);
    EXPECT_EQ(reach(target("192.0.2.7")).icmp_from(), "10.9.1.254");
    EXPECT_EQ(reach(target("2001:db8::7")).outcome(), wire::CONNECT_ICMP_HOST);
    const auto absent = reach(target("10.9.2.77"), 8);  // the router asks for the neighbour, 3 s
    EXPECT_EQ(absent.outcome(), wire::CONNECT_ICMP_HOST) << show(absent);
    EXPECT_EQ(absent.icmp_from(), "10.9.1.254");
    network_.rules(1, "chain f { type filter hook forward priority 0; tcp dport " + std::to_string(kPort) +
                          " reject with icmpx type admin-prohibited; }");
    for (const auto& address : addresses_) {
        const auto result = reach(target(address));
        EXPECT_EQ(result.outcome(), wire::CONNECT_ICMP_PROHIBITED) << show(result);
        EXPECT_EQ(result.icmp_from(), address == "10.9.2.2" ? "10.9.1.254" : "fd09:1::fe");
    }
}

TEST_F(Routed, ASmallMtuOnTheWay) {
    // As a tunnel does: neither end sees it at its interface.
    network_.run(1, "ip route replace 10.9.2.0/24 dev eth1 src 10.9.2.254 mtu lock 1300");
    network_.run(1, "ip -6 route replace fd09:2::/64 dev eth1 metric 256 mtu lock 1300");
    for (const auto& address : addresses_) {
        auto asked = target(address);
        asked.set_bulk_bytes(64U << 10U);
        // The router says so: the kernel sends smaller ones.
        const auto result = reach(asked);
        EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
        EXPECT_EQ(result.path_mtu(), 1300U) << show(result);
        EXPECT_EQ(result.bulk_sent(), 64U << 10U) << show(result);
    }
    network_.run(0, "ip route flush cache");
    network_.run(0, "ip -6 route flush cache");
    network_.rules(1,
                   "chain out { type filter hook output priority 0; meta l4proto { icmp } drop; "
                   "icmpv6 type packet-too-big drop; }");
    for (const auto& address : addresses_) {
        auto asked = target(address);
        asked.set_bulk_bytes(64U << 10U);
        const auto result = reach(asked);
        EXPECT_EQ(result.outcome(), wire::CONNECT_STALLED) << show(result);
    }
}

TEST_F(Routed, AddressTranslation) {
    network_.rules(1, "chain n { type nat hook postrouting priority 100; oif eth1 masquerade; }");
    for (const auto& address : addresses_) {
        const auto result = reach(target(address));
        EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
        EXPECT_EQ(result.local_address(), address == "10.9.2.2" ? "10.9.1.1" : "fd09:1::1");
        EXPECT_EQ(result.seen_as(), address == "10.9.2.2" ? "10.9.2.254" : "fd09:2::fe");
    }
}

class Far : public ::testing::Test {
protected:
    void SetUp() override {
        if (!network_.problem().empty()) {
            GTEST_SKIP() << network_.problem();
        }
        if (::access("/dev/net/tun", R_OK | W_OK) != 0) {
            GTEST_SKIP() << "/dev/net/tun is missing";
        }
        node_.emplace(network_.path(1));
        ASSERT_EQ(node_->open(probe_token("node1"), kPort), kPort);
    }

    TestNetwork network_{2};
    std::optional<ProbeNode> node_;
};

TEST_F(Far, Delay) {
    const FarCable cable(network_, 0, 1, "10.9.0.1/24", "10.9.0.2/24", {.delay_s = 0.1});
    auto asked = target("10.9.0.2");
    asked.set_segments(20);
    const auto result = connect_from(network_, 0, asked, 5);
    EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
    EXPECT_GE(result.rtt_s(), 0.19) << show(result);
    EXPECT_LT(result.rtt_s(), 0.4) << show(result);
    EXPECT_GE(result.segments_out(), 1U);
}

TEST_F(Far, LossIsNeitherADropNorAStall) {
    const FarCable cable(network_, 0, 1, "10.9.0.1/24", "10.9.0.2/24", {.delay_s = 0.0005, .loss = 0.05});
    wire::ConnectTargets request;
    for (std::uint32_t i = 0; i < 100; ++i) {
        *request.add_targets() = target("10.9.0.2");
        request.mutable_targets(static_cast<int>(i))->set_segments(i == 0 ? 400 : 0);
        request.mutable_targets(static_cast<int>(i))->set_bulk_bytes(i == 0 ? 256U << 10U : 0);
    }
    request.set_seconds(2);
    unsigned again = 0;
    unsigned retried = 0;
    for (int round = 0; round < 5; ++round) {
        const auto results = connect_from(network_, 0, request);
        for (const auto& result : results.results()) {
            EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
            again += result.retransmitted();
            retried += result.attempts() > 1 ? 1 : 0;
        }
    }
    EXPECT_GE(again, 20U) << "about 5 % of 2000 segments and their answers";
    EXPECT_GE(retried, 10U) << "about 10 % of 500 connections";
}

TEST_F(Far, ASlowLinkIsMeasuredAndNotStalled) {
    const FarCable cable(network_, 0, 1, "10.9.0.1/24", "10.9.0.2/24",
                         {.delay_s = 0.0005, .bytes_per_s = 1.25e6});
    auto asked = target("10.9.0.2");
    for (const std::uint32_t bytes : {1U << 20U, 16U << 20U}) {
        asked.set_bulk_bytes(bytes);
        const auto result = connect_from(network_, 0, asked, 5);
        EXPECT_EQ(result.outcome(), wire::CONNECTED) << show(result);
        const double rate = static_cast<double>(result.bulk_sent()) / result.bulk_seconds();
        EXPECT_GT(rate, 0.6e6) << show(result);
        EXPECT_LT(rate, 1.3e6) << show(result);
        EXPECT_LT(result.bulk_seconds(), 3.5);
    }
}

}  // namespace
}  // namespace rankscope::agent
