// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The supervisors' own link, over real sockets of this machine.

#include "support/wait_until.h"

#include <base/metrics_line.h>
#include <base/sha256.h>
#include <remote/agent/link/cause.h>
#include <remote/agent/link/peer_link.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace rankscope::agent {
namespace {

using test::wait_until;

const std::string kToken(64, 'a');

wire::Cause rank_ended(const std::string& node, int rank, int code) {
    wire::Cause cause;
    cause.set_kind(wire::CAUSE_RANK_ENDED);
    cause.set_node(node);
    cause.set_rank(rank);
    cause.mutable_exit()->set_code(code);
    cause.mutable_exit()->set_lost_peer(code == kExitPeerLost);
    return cause;
}

/// The link of one node, and what its supervisor has heard.
struct Node {
    explicit Node(PeerLink::Options options) : link(std::move(options)) {}

    bool heard(wire::CauseKind kind, double seconds = test::kPatience) {
        return wait_until(
            [&] { return !collect().empty() && news.back().cause && news.back().cause->kind() == kind; },
            seconds);
    }
    std::vector<PeerLink::News>& collect() {
        for (auto& entry : link.take_news()) {
            news.push_back(std::move(entry));
        }
        return news;
    }
    std::string cause() const {
        return news.empty() || !news.back().cause ? "" : describe(*news.back().cause);
    }

    PeerLink link;
    std::vector<PeerLink::News> news;
};

UniqueFd connect_to(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
}

class PeerLinkTest : public ::testing::Test {
protected:
    PeerLink::Options options(std::size_t index) const {
        PeerLink::Options all;
        all.run_id = "run";
        all.token = kToken;
        all.nodes = {"node1", "node2", "node3"};
        all.index = index;
        all.timeout_s = timeout_s_;
        all.return_s = 0.3;
        all.absent_s = 0.2;
        all.waiting_s = 0.1;
        all.restarts = restarts_;
        return all;
    }
    /// The hub and that many spokes, linked to it.
    void bring_up(std::size_t spokes) {
        nodes_.push_back(std::make_unique<Node>(options(0)));
        const auto port = nodes_[0]->link.listen("127.0.0.1");
        ASSERT_TRUE(port) << port.failure().detail;
        port_ = *port;
        nodes_[0]->link.start();
        for (std::size_t i = 1; i <= spokes; ++i) {
            nodes_.push_back(std::make_unique<Node>(options(i)));
            nodes_[i]->link.connect({"no-address", "127.0.0.1"}, port_);
        }
        if (spokes > 0) {
            ASSERT_TRUE(wait_until([&] { return nodes_[0]->link.needed(); }));
        }
        for (std::size_t i = 1; restarts_ && i <= spokes; ++i) {
            ASSERT_TRUE(wait_until([&] { return nodes_[i]->link.needed(); }));
        }
    }
    /// A node that the test plays itself.
    PeerChannel play(std::uint32_t index, const std::string& token = kToken) const {
        PeerChannel channel(connect_to(port_), PeerChannel::Side::Spoke, token, "run");
        wire::PeerMessage hello;
        hello.mutable_hello()->set_index(index);
        channel.send(hello);
        channel.flush();
        return channel;
    }
    std::vector<wire::PeerMessage> hear(PeerChannel& channel) const {
        std::vector<wire::PeerMessage> all;
        wait_until([&] {
            for (auto& message : channel.read()) {
                all.push_back(std::move(message));
            }
            channel.flush();
            return !all.empty() || channel.state() != PeerChannel::State::Open;
        });
        return all;
    }

    double timeout_s_ = 60;
    bool restarts_ = false;
    std::uint16_t port_ = 0;
    std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(PeerLinkTest, ADeathIsReportedToAllAlike) {
    bring_up(2);
    nodes_[1]->link.post(rank_ended("node2", 5, 3));
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_TRUE(nodes_[2]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_EQ(nodes_[0]->cause(), "rank 5 on node2 exited with code 3");
    EXPECT_EQ(nodes_[2]->cause(), nodes_[0]->cause());
    EXPECT_FALSE(nodes_[0]->link.needed()) << "all know it";
}

TEST_F(PeerLinkTest, TheHubsOwnDeathIsReported) {
    bring_up(2);
    nodes_[0]->link.post(rank_ended("node1", 0, 3));
    EXPECT_TRUE(nodes_[1]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_TRUE(nodes_[2]->heard(wire::CAUSE_RANK_ENDED));
}

TEST_F(PeerLinkTest, WhoLinksLaterReceivesTheCause) {
    bring_up(0);
    nodes_[0]->link.post(rank_ended("node1", 0, 3));
    nodes_.push_back(std::make_unique<Node>(options(1)));
    nodes_[1]->link.connect({"127.0.0.1"}, port_);
    EXPECT_TRUE(nodes_[1]->heard(wire::CAUSE_RANK_ENDED));
}

TEST_F(PeerLinkTest, OfTwoCausesTheHubsFirstCountsForAll) {
    bring_up(2);
    nodes_[0]->link.post(rank_ended("node1", 0, 3));
    EXPECT_TRUE(nodes_[1]->heard(wire::CAUSE_RANK_ENDED));
    nodes_[1]->link.post(rank_ended("node2", 5, 4));
    EXPECT_TRUE(nodes_[2]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_EQ(nodes_[2]->cause(), "rank 0 on node1 exited with code 3");
    EXPECT_EQ(nodes_[1]->cause(), "rank 0 on node1 exited with code 3");
}

TEST_F(PeerLinkTest, ALostPeerGivesWayToItsCause) {
    bring_up(2);
    nodes_[0]->link.post(rank_ended("node1", 0, kExitPeerLost));
    EXPECT_TRUE(nodes_[2]->heard(wire::CAUSE_RANK_ENDED));
    nodes_[1]->link.post(rank_ended("node2", 5, 4));
    const auto named = [](Node& node) {
        return wait_until(
            [&] { return !node.collect().empty() && node.cause() == "rank 5 on node2 exited with code 4"; });
    };
    EXPECT_TRUE(named(*nodes_[2]));
    EXPECT_TRUE(named(*nodes_[0]));
}

TEST_F(PeerLinkTest, ASupervisorThatIsGoneIsNamed) {
    bring_up(1);
    PeerChannel channel = play(2);
    hear(channel);
    { const PeerChannel killed = std::move(channel); }
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_NODE_GONE));
    EXPECT_EQ(nodes_[0]->cause(), "the supervisor of node3 is gone");
    EXPECT_TRUE(nodes_[1]->heard(wire::CAUSE_NODE_GONE));
}

TEST_F(PeerLinkTest, ARankThatEndedAsItsPeersNodeWentIsAConsequence) {
    bring_up(0);
    {
        PeerChannel channel = play(1);
        hear(channel);
        ASSERT_TRUE(wait_until([&] { return nodes_[0]->link.needed(); }));
    }
    nodes_[0]->link.post(rank_ended("node1", 0, 1));
    EXPECT_TRUE(wait_until([&] { return nodes_[0]->link.unsettled(); }));
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_NODE_GONE));
    EXPECT_TRUE(wait_until([&] { return !nodes_[0]->link.unsettled(); }));
}

TEST_F(PeerLinkTest, AHubThatIsGoneIsNamed) {
    std::string why;
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener.get(), 4), 0);
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    Node spoke(options(1));
    spoke.link.connect({"127.0.0.1"}, ntohs(address.sin_port));
    {
        PeerChannel hub(UniqueFd(::accept(listener.get(), nullptr, nullptr)), PeerChannel::Side::Hub, kToken,
                        "run");
        hub.flush();
        const auto first = hear(hub);
        ASSERT_FALSE(first.empty());
        EXPECT_EQ(first[0].hello().index(), 1U);
        wire::PeerMessage beat;
        beat.mutable_beat();
        hub.send(beat);
        hub.flush();
        hear(hub);  // its beat: it has had ours
    }
    listener.reset();
    EXPECT_TRUE(spoke.heard(wire::CAUSE_NODE_GONE));
    EXPECT_EQ(spoke.cause(), "the supervisor of node1 is gone");
}

TEST_F(PeerLinkTest, SilenceIsNoticedByTheTimeSet) {
    timeout_s_ = 1.5;
    bring_up(0);
    PeerChannel channel = play(2);
    hear(channel);
    const double begin = monotonic_s();
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_NODE_SILENT));
    EXPECT_GE(monotonic_s() - begin, 1.0);
    EXPECT_EQ(nodes_[0]->cause(), "node3 was not heard from for 2 s");
}

TEST_F(PeerLinkTest, WithoutATimeSetSilenceMeansNothing) {
    timeout_s_ = 0;
    bring_up(0);
    PeerChannel channel = play(2);
    hear(channel);
    EXPECT_FALSE(nodes_[0]->heard(wire::CAUSE_NODE_SILENT, 2));
}

TEST_F(PeerLinkTest, WhoSaidGoodbyeMayBeSilentAndGone) {
    timeout_s_ = 1;
    bring_up(1);
    nodes_[1]->link.leave();
    EXPECT_TRUE(wait_until([&] { return !nodes_[0]->link.needed(); }));
    EXPECT_FALSE(nodes_[0]->heard(wire::CAUSE_NODE_GONE, 1.5));
    EXPECT_TRUE(nodes_[0]->news.empty());
}

TEST_F(PeerLinkTest, AConnectionThatComesBackInTimeIsNoLoss) {
    bring_up(0);
    {
        PeerChannel channel = play(1);
        hear(channel);
    }
    PeerChannel again = play(1);
    hear(again);
    EXPECT_FALSE(nodes_[0]->heard(wire::CAUSE_NODE_GONE, 1));
}

TEST_F(PeerLinkTest, StrangersAreRefused) {
    bring_up(1);
    PeerChannel wrong = play(2, std::string(64, 'b'));
    EXPECT_TRUE(hear(wrong).empty());
    EXPECT_NE(wrong.state(), PeerChannel::State::Open);
    const UniqueFd noise = connect_to(port_);
    const std::string garbage(100000, 'G');
    [[maybe_unused]] const auto put = ::send(noise.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    std::vector<UniqueFd> silent;
    for (int i = 0; i < 200; ++i) {
        silent.push_back(connect_to(port_));
    }
    PeerChannel outside = play(99);
    hear(outside);
    nodes_[1]->link.post(rank_ended("node2", 5, 3));
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
}

TEST_F(PeerLinkTest, WhatWasRecordedIsOfNoUse) {
    bring_up(0);
    // What a spoke said once, byte by byte, into a new connection.
    UniqueFd ours[2];
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ours[0].reset(pair[0]);
    ours[1].reset(pair[1]);
    PeerChannel hub(std::move(ours[0]), PeerChannel::Side::Hub, kToken, "run");
    PeerChannel spoke(std::move(ours[1]), PeerChannel::Side::Spoke, kToken, "run");
    hub.flush();
    wire::PeerMessage down;
    *down.mutable_down() = rank_ended("node2", 1, 1);
    spoke.read();
    spoke.send(down);
    spoke.flush();
    std::string recorded(65536, '\0');
    recorded.resize(static_cast<std::size_t>(
        std::max<ssize_t>(0, ::recv(hub.fd(), recorded.data(), recorded.size(), 0))));
    ASSERT_GT(recorded.size(), 60U);
    EXPECT_EQ(recorded.find("node2"), std::string::npos) << "nothing is in clear";
    const UniqueFd replay = connect_to(port_);
    ASSERT_EQ(::send(replay.get(), recorded.data(), recorded.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(recorded.size()));
    EXPECT_FALSE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED, 0.5));
}

TEST_F(PeerLinkTest, NoLinkIsSaidOnceAndHarmsNothing) {
    std::uint16_t free_port = 0;
    {
        PeerLink probe(options(0));
        const auto port = probe.listen("127.0.0.1");
        ASSERT_TRUE(port) << port.failure().detail;
        free_port = *port;
    }
    Node spoke(options(1));
    spoke.link.connect({"127.0.0.1"}, free_port);
    const auto absent = [&] {
        std::vector<std::string> found;
        for (const auto& news : spoke.collect()) {
            EXPECT_FALSE(news.cause);
            if (!news.absent.empty()) {
                found.push_back(news.absent);
            }
        }
        return found;
    };
    ASSERT_TRUE(wait_until([&] { return !absent().empty(); }));
    EXPECT_NE(absent()[0].find("Connection refused"), std::string::npos) << absent()[0];
    EXPECT_FALSE(wait_until([&] { return absent().size() > 1; }, 2.5));
    spoke.link.post(rank_ended("node2", 1, 1));
}

TEST_F(PeerLinkTest, AllStartAgainWhenAllAreReady) {
    restarts_ = true;
    bring_up(2);
    const auto went = [](Node& node, std::uint32_t attempt) {
        return wait_until([&] { return !node.collect().empty() && node.news.back().go == attempt; });
    };
    for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
        auto cause = rank_ended("node2", 1, 3);
        cause.set_attempt(attempt - 1);
        nodes_[1]->link.post(cause);
        EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
        EXPECT_TRUE(nodes_[2]->heard(wire::CAUSE_RANK_ENDED));
        for (auto& node : nodes_) {
            node->link.ready(attempt);
        }
        for (auto& node : nodes_) {
            EXPECT_TRUE(went(*node, attempt)) << attempt;
        }
    }
    auto late = rank_ended("node3", 2, 1);  // of an attempt that is over
    late.set_attempt(1);
    nodes_[2]->link.post(late);
    auto now = rank_ended("node3", 2, 4);
    now.set_attempt(3);
    nodes_[2]->link.post(now);
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_EQ(nodes_[0]->news.back().cause->exit().code(), 4);
}

TEST_F(PeerLinkTest, WhoIsDoneStaysUntilAllAre) {
    restarts_ = true;
    bring_up(2);
    nodes_[1]->link.finished();
    EXPECT_TRUE(nodes_[1]->link.needed()) << "another's failure starts it again";
    EXPECT_TRUE(nodes_[0]->link.needed());
    nodes_[2]->link.finished();
    EXPECT_TRUE(wait_until([&] { return !nodes_[0]->link.needed(); }));
    nodes_[0]->link.leave();
    EXPECT_TRUE(wait_until([&] { return !nodes_[1]->link.needed() && !nodes_[2]->link.needed(); }));
}

TEST_F(PeerLinkTest, WhoeverIsGoneKeepsAllFromStartingAgain) {
    restarts_ = true;
    bring_up(2);
    nodes_[2]->link.leave();
    nodes_[1]->link.post(rank_ended("node2", 1, 3));
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
    nodes_[0]->link.ready(1);
    nodes_[1]->link.ready(1);
    EXPECT_TRUE(
        wait_until([&] { return !nodes_[0]->collect().empty() && nodes_[0]->news.back().stuck == "node3"; }));
    nodes_[0]->link.leave();
    EXPECT_TRUE(
        wait_until([&] { return !nodes_[1]->collect().empty() && nodes_[1]->news.back().stuck == "node1"; }));
}

wire::Cause victim(const std::string& node, int rank, int missing) {
    wire::Cause cause = rank_ended(node, rank, kExitPeerLost);
    cause.mutable_exit()->set_missing_rank(missing);
    return cause;
}

TEST_F(PeerLinkTest, ARankThatIsStoppedExplainsItsVictims) {
    bring_up(2);
    wire::PeerRankState stopped;
    stopped.set_rank(2);
    stopped.set_node("node3");
    stopped.set_stopped(true);
    stopped.set_signal(19);
    nodes_[2]->link.post(stopped);
    ::usleep(1'300'000);  // a rank that is stopped for less than a second delays no other rank
    nodes_[1]->link.post(victim("node2", 1, 2));
    for (const auto& node : nodes_) {
        EXPECT_TRUE(node->heard(wire::CAUSE_RANK_STOPPED));
        EXPECT_EQ(node->cause(), "rank 2 on node3 stopped answering: its process is stopped (state T)");
    }
}

TEST_F(PeerLinkTest, ARankThatContinuesExplainsNothing) {
    bring_up(2);
    wire::PeerRankState state;
    state.set_rank(2);
    state.set_node("node3");
    state.set_stopped(true);
    nodes_[2]->link.post(state);
    ::usleep(1'300'000);
    state.set_stopped(false);
    nodes_[2]->link.post(state);
    ::usleep(200'000);
    nodes_[1]->link.post(victim("node2", 1, 2));
    EXPECT_TRUE(nodes_[0]->heard(wire::CAUSE_RANK_ENDED));
    EXPECT_EQ(nodes_[0]->cause(), "rank 1 on node2 exited with code 75");
}

TEST_F(PeerLinkTest, ASilentNodeExplainsAVictimBeforeItsTimeIsUp) {
    bring_up(1);
    PeerChannel silent = play(2);
    ASSERT_FALSE(hear(silent).empty());  // it is linked, and silent from now on
    ::usleep(4'200'000);
    nodes_[1]->link.post(victim("node2", 1, 2));
    for (const auto& node : nodes_) {
        EXPECT_TRUE(node->heard(wire::CAUSE_NODE_SILENT));
        EXPECT_EQ(node->collect().back().cause->node(), "node3");
    }
}

TEST_F(PeerLinkTest, WhatTheDialsFailWithIsReported) {
    nodes_.push_back(std::make_unique<Node>(options(1)));
    UniqueFd closed(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(closed.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::getsockname(closed.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    nodes_[0]->link.connect({"127.0.0.1"}, ntohs(address.sin_port));
    ASSERT_TRUE(wait_until([&] { return !nodes_[0]->collect().empty(); }));
    const auto& dial = nodes_[0]->news.front().failed_dial;
    ASSERT_TRUE(dial);
    EXPECT_EQ(*dial, (FailedDial{"127.0.0.1", ntohs(address.sin_port), ECONNREFUSED}));
}

}  // namespace
}  // namespace rankscope::agent
