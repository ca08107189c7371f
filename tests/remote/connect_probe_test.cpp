// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/agent_client.h"
#include "support/probe_node.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <base/fd.h>
#include <remote/agent/link/link_socket.h>
#include <remote/agent/probes/connect_outcome.h>
#include <remote/agent/probes/connect_probe.h>
#include <remote/agent/probes/own_addresses.h>
#include <remote/agent/probes/probe_exchange.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <list>
#include <thread>

namespace rankscope::agent {
namespace {

using test::probe_token;
using test::ProbeNode;

wire::ConnectTarget target(const std::string& address, std::uint32_t port, const std::string& token) {
    wire::ConnectTarget target;
    target.set_id(7);
    target.set_address(address);
    target.set_port(port);
    target.set_token(token);
    return target;
}

wire::ConnectResult connect(const wire::ConnectTarget& one, double seconds = 3) {
    wire::ConnectTargets request;
    *request.add_targets() = one;
    request.set_seconds(seconds);
    const auto results = connect_targets(request, {});
    EXPECT_EQ(results.results_size(), 1);
    return results.results(0);
}

/// Another program: accepts each connection on 127.0.0.1, sends its text and closes where `close` says so.
class OtherProgram {
public:
    OtherProgram(std::string text, bool close) : text_(std::move(text)), close_(close) {
        socket_ = bound_socket("127.0.0.1");
        ::listen(socket_.get(), 64);
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { accept_all(); });
    }
    ~OtherProgram() {
        over_ = true;
        thread_.join();
    }
    std::uint16_t port() const { return port_; }

private:
    void accept_all() {
        std::list<UniqueFd> kept;
        while (!over_) {
            UniqueFd fd(::accept(socket_.get(), nullptr, nullptr));
            if (!fd) {
                ::poll(nullptr, 0, 2);
                continue;
            }
            [[maybe_unused]] const auto put = ::send(fd.get(), text_.data(), text_.size(), MSG_NOSIGNAL);
            if (!close_) {
                kept.push_back(std::move(fd));
            }
        }
    }

    std::string text_;
    bool close_;
    UniqueFd socket_;
    std::uint16_t port_ = 0;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

TEST(ConnectProbe, ConnectsAndMeasures) {
    ProbeNode node;
    const auto port = node.open(probe_token("node1"));
    ASSERT_NE(port, 0);
    for (const std::string address : {"127.0.0.1", "::1", "::ffff:127.0.0.1"}) {
        auto asked = target(address, port, probe_token("node1"));
        asked.set_segments(20);
        asked.set_bulk_bytes(1U << 20U);
        const auto result = connect(asked);
        if (address == "::1" && result.outcome() == wire::CONNECT_NO_ADDRESS) {
            continue;  // IPv6 is off
        }
        EXPECT_EQ(result.outcome(), wire::CONNECTED) << address << " " << result.error();
        EXPECT_EQ(result.id(), 7U);
        EXPECT_EQ(result.seen_as(), address == "::1" ? "::1" : "127.0.0.1");
        EXPECT_EQ(result.seen_as(), result.local_address());
        EXPECT_EQ(result.bulk_sent(), 1U << 20U);
        EXPECT_GT(result.bulk_seconds(), 0);
        EXPECT_GE(result.segments_out(), 20U);
        EXPECT_EQ(result.retransmitted(), 0U);
        EXPECT_GT(result.rtt_s(), 0);
        EXPECT_GT(result.mss(), 0U);
        EXPECT_GT(result.path_mtu(), 1000U);
        EXPECT_EQ(result.icmp_type(), -1);
        EXPECT_EQ(result.attempts(), 1U);
    }
}

TEST(ConnectProbe, UsesTheRequestsTokenWhereTheTargetHasNone) {
    ProbeNode node;
    const auto port = node.open(probe_token("node1"));
    wire::ConnectTargets request;
    *request.add_targets() = target("127.0.0.1", port, "");
    request.set_token(probe_token("node1"));
    request.set_seconds(3);
    EXPECT_EQ(connect_targets(request, {}).results(0).outcome(), wire::CONNECTED);
}

TEST(ConnectProbe, AClosedPortIsReset) {
    EXPECT_EQ(connect(target("127.0.0.1", 1, probe_token("a"))).outcome(), wire::CONNECT_RESET);
    EXPECT_EQ(connect(target("127.0.0.1", 1, probe_token("a"))).error(), ECONNREFUSED);
}

TEST(ConnectProbe, AnotherNodesListenerIsTheWrongHost) {
    ProbeNode node;
    const auto port = node.open(probe_token("node2"));
    const auto result = connect(target("127.0.0.1", port, probe_token("node1")));
    EXPECT_EQ(result.outcome(), wire::CONNECT_WRONG_HOST);
    EXPECT_EQ(result.seen_as(), "");
}

TEST(ConnectProbe, AnotherProgramIsTheWrongHost) {
    const OtherProgram talks("SSH-2.0-OpenSSH_9.2\r\n", false);
    EXPECT_EQ(connect(target("127.0.0.1", talks.port(), probe_token("a"))).outcome(),
              wire::CONNECT_WRONG_HOST);
    const OtherProgram is_silent("", false);
    const auto silence = connect(target("127.0.0.1", is_silent.port(), probe_token("a")), 0.3);
    EXPECT_EQ(silence.outcome(), wire::CONNECT_WRONG_HOST);
    EXPECT_EQ(silence.error(), ETIMEDOUT);
    const OtherProgram lies("RSPROBE1" + std::string(kProbeAnswerBytes - 8, 'x'), false);
    EXPECT_EQ(connect(target("127.0.0.1", lies.port(), probe_token("a"))).outcome(),
              wire::CONNECT_WRONG_HOST);
}

TEST(ConnectProbe, AConnectionClosedBeforeTheAnswerIsClosed) {
    const OtherProgram closes("", true);
    EXPECT_EQ(connect(target("127.0.0.1", closes.port(), probe_token("a"))).outcome(), wire::CONNECT_CLOSED);
    const OtherProgram begins("RSPRO", true);
    EXPECT_EQ(connect(target("127.0.0.1", begins.port(), probe_token("a"))).outcome(), wire::CONNECT_CLOSED);
}

TEST(ConnectProbe, APlainTargetNeedsNoExchange) {
    const OtherProgram is_silent("", false);
    auto plain = target("127.0.0.1", is_silent.port(), "");
    plain.set_plain(true);
    const auto result = connect(plain);
    EXPECT_EQ(result.outcome(), wire::CONNECTED);
    EXPECT_EQ(result.local_address(), "127.0.0.1");
    EXPECT_EQ(result.seen_as(), "");
}

TEST(ConnectProbe, BadTargetsAreNotTried) {
    EXPECT_EQ(connect(target("node1", 80, "")).outcome(), wire::CONNECT_FAILED);
    EXPECT_EQ(connect(target("127.0.0.1", 0, "")).outcome(), wire::CONNECT_FAILED);
    EXPECT_EQ(connect(target("127.0.0.1", 65536, "")).error(), EINVAL);
    EXPECT_EQ(connect(target("fe80::1%no-such-interface", 80, "")).error(), EINVAL);
    auto elsewhere = target("127.0.0.1", 80, "");
    elsewhere.set_interface("no-such-interface");
    EXPECT_EQ(connect(elsewhere).outcome(), wire::CONNECT_NO_ADDRESS);
    EXPECT_EQ(connect(elsewhere).error(), ENODEV);
}

TEST(ConnectProbe, StopsWithinATenthOfASecond) {
    const OtherProgram is_silent("", false);
    wire::ConnectTargets request;
    *request.add_targets() = target("127.0.0.1", is_silent.port(), probe_token("a"));
    request.set_seconds(60);
    wire::ConnectResults results;
    std::jthread thread([&](const std::stop_token& stop) { results = connect_targets(request, stop); });
    const double asked = monotonic_s();
    thread.request_stop();
    thread.join();
    EXPECT_LT(monotonic_s() - asked, 10);  // a busy machine; the probe alone would take 60
    EXPECT_EQ(results.results(0).outcome(), wire::CONNECT_NOT_TRIED);
}

TEST(ConnectProbe, ManyTargetsShareFewDescriptors) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 128;
    for (const auto& limit : {before, few}) {
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        ProbeNode node;
        wire::OpenProbePorts ports;
        for (int i = 0; i < 5; ++i) {
            ports.add_ports(0);
        }
        ports.set_token(probe_token("node1"));
        ports.set_seconds(60);
        const auto opened = node.open(ports);
        wire::ConnectTargets request;
        for (std::uint32_t i = 0; i < 320; ++i) {
            auto& added = *request.add_targets();
            added = target("127.0.0.1", opened.ports(static_cast<int>(i % 5)).port(), probe_token("node1"));
            added.set_id(i);
        }
        request.set_seconds(20);
        const double began = monotonic_s();
        const auto results = connect_targets(request, {});
        RecordProperty("seconds_of_320", std::to_string(monotonic_s() - began));
        ASSERT_EQ(results.results_size(), 320);
        for (int i = 0; i < 320; ++i) {
            EXPECT_EQ(results.results(i).id(), static_cast<std::uint32_t>(i));
            EXPECT_EQ(results.results(i).outcome(), wire::CONNECTED) << results.results(i).error();
        }
    }
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(ConnectProbe, ThroughTheAgent) {
    test::TemporaryFolder folder;
    test::AgentClient listening((folder.path() / "a").string());
    test::AgentClient connecting((folder.path() / "b").string());
    wire::Request open;
    open.mutable_open_probe_ports()->add_ports(0);
    open.mutable_open_probe_ports()->set_token(probe_token("node1"));
    open.mutable_open_probe_ports()->set_seconds(60);
    const auto ports = listening.call(open).probe_ports();
    ASSERT_EQ(ports.ports_size(), 1);
    wire::Request connect_all;
    for (const char* node : {"node1", "node2"}) {
        *connect_all.mutable_connect_targets()->add_targets() =
            target("127.0.0.1", ports.ports(0).port(), probe_token(node));
    }
    connect_all.mutable_connect_targets()->set_seconds(20);
    const auto results = connecting.call(connect_all).connects();
    ASSERT_EQ(results.results_size(), 2);
    EXPECT_EQ(results.results(0).outcome(), wire::CONNECTED);
    EXPECT_EQ(results.results(1).outcome(), wire::CONNECT_WRONG_HOST);
    EXPECT_EQ(connecting.finish(), 0);
    EXPECT_EQ(listening.finish(), 0);
}

IcmpError icmp4(int type, int code) {
    return {EHOSTUNREACH, false, type, code, {}};
}
IcmpError icmp6(int type, int code) {
    return {EHOSTUNREACH, true, type, code, {}};
}

TEST(ConnectOutcome, KnowsEachMessage) {
    struct Case {
        ConnectError what;
        wire::ConnectOutcome outcome;
    };
    const Case cases[] = {
        {{.icmp = icmp4(3, 3)}, wire::CONNECT_ICMP_PORT},
        {{.icmp = icmp6(1, 4)}, wire::CONNECT_ICMP_PORT},
        {{.icmp = icmp4(3, 2)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp4(3, 9)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp4(3, 10)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp4(3, 13)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp6(1, 1)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp6(1, 5)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp6(1, 6)}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp4(3, 0)}, wire::CONNECT_ICMP_HOST},
        {{.icmp = icmp4(3, 1)}, wire::CONNECT_ICMP_HOST},
        {{.icmp = icmp6(1, 0)}, wire::CONNECT_ICMP_HOST},
        {{.icmp = icmp6(1, 3)}, wire::CONNECT_ICMP_HOST},
        {{.icmp = icmp4(11, 0)}, wire::CONNECT_ICMP_HOST},
        {{.icmp = icmp4(3, 1), .from_target = true}, wire::CONNECT_ICMP_PROHIBITED},
        {{.icmp = icmp4(3, 1), .from_self = true, .next_hop = NextHop::Silent}, wire::CONNECT_NO_NEIGHBOUR},
        {{.icmp = icmp4(3, 1), .from_self = true, .next_hop = NextHop::Unknown}, wire::CONNECT_NO_NEIGHBOUR},
        {{.icmp = icmp4(3, 1), .from_self = true, .next_hop = NextHop::Answers}, wire::CONNECT_LOCAL_DENIED},
        {{.icmp = icmp4(3, 3), .from_self = true}, wire::CONNECT_LOCAL_DENIED},
        {{.icmp = icmp4(12, 0)}, wire::CONNECT_FAILED},
        {{.error = ECONNREFUSED}, wire::CONNECT_RESET},
        {{.error = EPERM, .at_once = true}, wire::CONNECT_LOCAL_DENIED},
        {{.error = EACCES, .at_once = true}, wire::CONNECT_LOCAL_DENIED},
        {{.error = ENETUNREACH, .at_once = true}, wire::CONNECT_NO_ROUTE},
        {{.error = EHOSTUNREACH, .at_once = true}, wire::CONNECT_NO_ROUTE},
        {{.error = EHOSTUNREACH, .next_hop = NextHop::Silent}, wire::CONNECT_NO_NEIGHBOUR},
        {{.error = EHOSTUNREACH}, wire::CONNECT_ICMP_HOST},
        {{.error = EADDRNOTAVAIL, .at_once = true}, wire::CONNECT_NO_ADDRESS},
        {{.error = EAFNOSUPPORT, .at_once = true}, wire::CONNECT_NO_ADDRESS},
        {{.error = ETIMEDOUT}, wire::CONNECT_DROPPED},
        {{.error = ETIMEDOUT, .next_hop = NextHop::Silent}, wire::CONNECT_NO_NEIGHBOUR},
        {{.error = ENOBUFS}, wire::CONNECT_FAILED},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(outcome_of(one.what), one.outcome)
            << "errno " << one.what.error << ", ICMP " << (one.what.icmp ? one.what.icmp->type : -1) << " "
            << (one.what.icmp ? one.what.icmp->code : -1);
    }
}

TEST(OwnAddresses, ReadsAddressesInEachForm) {
    EXPECT_EQ(address_text(scoped_address("10.0.0.1", 5)->storage), "10.0.0.1");
    EXPECT_EQ(address_text(scoped_address("::ffff:10.0.0.1", 5)->storage), "10.0.0.1");
    EXPECT_EQ(scoped_address("::ffff:10.0.0.1", 5)->storage.ss_family, AF_INET);
    EXPECT_EQ(address_text(scoped_address("fe80::1%lo", 5)->storage), "fe80::1");
    for (const char* wrong : {"", "node1", "10.0.0.1%lo", "fe80::1%nope", "10.0.0", "1.2.3.4.5"}) {
        EXPECT_FALSE(scoped_address(wrong, 5)) << wrong;
    }
    const OwnAddresses own;
    EXPECT_TRUE(own.contains(scoped_address("127.0.1.1", 0)->storage));
    EXPECT_TRUE(own.contains(scoped_address("127.0.0.1", 0)->storage));
    EXPECT_FALSE(own.contains(scoped_address("192.0.2.1", 0)->storage));
    EXPECT_TRUE(own.source_on("lo", scoped_address("127.0.0.1", 0)->storage));
    EXPECT_FALSE(own.source_on("lo", scoped_address("fe80::1", 0)->storage));
}

}  // namespace
}  // namespace rankscope::agent
