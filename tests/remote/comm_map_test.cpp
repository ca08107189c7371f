// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/facts/transport_findings.h>
#include <remote/logs/grammar/line_parser.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {
namespace {

RunFacts facts_of(std::string_view text) {
    LineParser parser;
    parser.begin("out", 0);
    FactBuilder builder;
    std::uint64_t number = 0;
    for (const auto line : split(text, '\n')) {
        builder.feed(parser.parse({{0, ++number}, line}));
    }
    return builder.take();
}

/// Two machines with two GPUs each; `between` and `inside` are transports, `more` further lines of node-a.
std::string four_ranks(const std::string& inside, const std::string& between, const std::string& more,
                       const std::vector<int>& silent = {}) {
    std::string log;
    for (int rank = 0; rank < 4; ++rank) {
        if (std::find(silent.begin(), silent.end(), rank) != silent.end()) {
            continue;
        }
        const std::string host = rank < 2 ? "node-a" : "node-b";
        const std::string gpu = std::to_string(rank % 2);
        const std::string say = host + ":1" + gpu + ":1" + gpu + " [" + gpu + "] NCCL INFO ";
        const int next = (rank + 1) % 4;
        const int before = (rank + 3) % 4;
        const auto name = [](int r) { return std::to_string(r) + '[' + std::to_string(r % 2) + ']'; };
        const std::string comm = "ncclCommInitRank comm 0x1" + gpu + " rank " + std::to_string(rank) +
                                 " nranks 4 cudaDev " + gpu + " nvmlDev " + gpu +
                                 " busId 18000 commId 0x9 - ";
        log += say + comm + "Init START\n";
        log += rank < 2 ? more.empty() ? "" : say + more + '\n'
                        : say + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.2<0>\n";
        log += rank == 0 ? say + "Channel 00/01 : 0 1 2 3\n" : "";
        log += say + "Trees [0] " +
               (rank == 0   ? "1/2/-1->0->-1"
                : rank == 1 ? "-1/-1/-1->1->0"
                : rank == 2 ? "3/-1/-1->2->0"
                            : "-1/-1/-1->3->2") +
               '\n';
        if (rank % 2 == 0) {
            log += say + "Channel 00/0 : " + name(before) + " -> " + name(rank) + " [receive] via " +
                   between + '\n';
            log += say + "Channel 00/0 : " + name(rank) + " -> " + name(next) + " via " + inside + '\n';
        } else {
            log +=
                say + "Channel 00/0 : " + name(rank) + " -> " + name(next) + " [send] via " + between + '\n';
        }
        log += say + comm + "Init COMPLETE\n";
    }
    return log;
}

const std::string kIb = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>";

std::vector<TransportFall> falls(const RunFacts& facts) {
    const auto map = map_of(facts, facts.communicators.at(0));
    std::vector<TransportFall> all;
    for (const auto& finding : transport_findings(facts, map)) {
        EXPECT_GT(finding.place.line, 0U);
        all.push_back(finding.fall);
    }
    return all;
}

TEST(CommMap, HasTheRingThatTheLogStates) {
    const auto facts = facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/0/GDRDMA", kIb));
    const auto map = map_of(facts, facts.communicators.at(0));
    ASSERT_EQ(map.nodes.size(), 2U);
    EXPECT_EQ(facts.hosts[map.nodes[0].host].name, "node-a");
    EXPECT_EQ(map.channels, std::vector<int>{0});
    std::vector<int> next(4, -1);
    for (const auto& link : map.links) {
        if (!link.ring_channels.empty()) {
            next.at(static_cast<std::size_t>(link.from)) = link.to;
        }
    }
    EXPECT_EQ(next, (std::vector<int>{1, 2, 3, 0}));
    // A tree that no line connects is there, too.
    const auto tree = std::find_if(map.links.begin(), map.links.end(),
                                   [](const MapLink& link) { return link.from == 2 && link.to == 0; });
    ASSERT_NE(tree, map.links.end());
    EXPECT_EQ(tree->kind, TransportKind::Unknown);
    EXPECT_EQ(tree->tree_channels, std::vector<int>{0});
    EXPECT_EQ(tree->place.line, 0U);
}

TEST(CommMap, ManyChannelsOfManyRanksAreLinksOfTheirPairs) {
    constexpr int kRanks = 256;
    constexpr int kChannels = 32;
    RunFacts facts;
    facts.transports = {"NET/IB/0", "P2P/CUMEM"};
    Communicator comm;
    comm.nranks = kRanks;
    for (int channel = kChannels - 1; channel >= 0; --channel) {
        Ring ring;
        ring.channel = channel;
        ring.complete = channel % 2 == 0;  // else the log has only the first steps
        for (int rank = 0; rank < (ring.complete ? kRanks : 20); ++rank) {
            ring.ranks.push_back(rank);
        }
        comm.rings.push_back(ring);
        for (int rank = kRanks - 1; rank >= 0; --rank) {
            Edge edge;
            edge.from = rank;
            edge.to = (rank + 1) % kRanks;
            edge.channel = static_cast<std::uint16_t>(channel);
            edge.transport = rank == 7 ? 1 : 0;
            edge.net_device = static_cast<std::int16_t>(channel % 4);
            edge.line = static_cast<std::uint32_t>(comm.edges.size() + 1);
            comm.edges.push_back(edge);
        }
    }
    TreeNode node;  // no line has its connection
    node.rank = 9;
    node.up = 3;
    comm.trees.push_back(node);
    const CommMap map = map_of(facts, comm);
    ASSERT_EQ(map.links.size(), std::size_t{kRanks} + 1);
    EXPECT_EQ(map.channels.size(), std::size_t{kChannels});
    for (const MapLink& link : map.links) {
        if (link.from == 9 && link.to == 3) {
            EXPECT_EQ(link.kind, TransportKind::Unknown);
            EXPECT_EQ(link.tree_channels, std::vector<int>{0});
            continue;
        }
        EXPECT_EQ(link.to, (link.from + 1) % kRanks);
        EXPECT_EQ(link.kind, link.from == 7 ? TransportKind::P2p : TransportKind::NetIb);
        EXPECT_EQ(link.ring_channels.size(), std::size_t{kChannels}) << link.from;
        EXPECT_TRUE(link.other_channels.empty());
        EXPECT_EQ(link.send_devices, (std::vector<int>{0, 1, 2, 3}));
        EXPECT_EQ(link.place.line, static_cast<std::uint64_t>(kRanks - link.from))
            << "the first that states it";
    }
}

TEST(CommMap, ARankWithoutALineIsAGap) {
    const auto facts = facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/0/GDRDMA", kIb, {3}));
    const auto map = map_of(facts, facts.communicators.at(0));
    ASSERT_EQ(map.nodes.size(), 3U);
    EXPECT_EQ(map.nodes[2].host, MapNode::kUnknownHost) << "nothing says where rank 3 is";
    ASSERT_EQ(map.nodes[2].ranks.size(), 1U);
    EXPECT_FALSE(map.nodes[2].ranks[0].seen);
    EXPECT_EQ(map.nodes[2].ranks[0].rank, 3);
}

TEST(CommMap, ANetworkConnectionIsDirectOnlyIfBothEndsAre) {
    const std::string log =
        "a:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 18000 - Init START\n"
        "b:1:1 [0] NCCL INFO comm 0x1 rank 1 nranks 2 cudaDev 0 busId 18000 - Init START\n"
        "a:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/3/GDRDMA\n"
        "b:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/1\n";
    const auto facts = facts_of(log);
    const auto map = map_of(facts, facts.communicators.at(0));
    ASSERT_EQ(map.links.size(), 1U);
    EXPECT_EQ(map.links[0].kind, TransportKind::NetIb);
    EXPECT_EQ(map.links[0].send_devices, std::vector<int>{3});
    EXPECT_EQ(map.links[0].receive_devices, std::vector<int>{1});
    EXPECT_EQ(map.links[0].place.line, 3U);
}

TEST(TransportFindings, NothingWhereEverythingIsDirect) {
    const auto one = "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>";
    auto facts = facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/0/GDRDMA", one));
    facts.hosts[1].ib_devices.resize(1);
    EXPECT_TRUE(falls(facts).empty());
    // TCP where there is nothing else, shared memory where no pair is direct.
    auto plain = facts_of(four_ranks("SHM/direct/direct", "NET/Socket/0", ""));
    for (auto& host : plain.hosts) {
        host.ib_devices.clear();
    }
    EXPECT_TRUE(falls(plain).empty());
}

TEST(TransportFindings, NamesEachFall) {
    EXPECT_EQ(falls(facts_of(four_ranks("P2P/CUMEM/read", "NET/Socket/0", kIb))),
              std::vector<TransportFall>{TransportFall::SocketDespiteIb});
    EXPECT_EQ(falls(facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/0/GDRDMA", kIb))),
              std::vector<TransportFall>{TransportFall::FewNics});
    EXPECT_EQ(falls(facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/0", kIb))),
              (std::vector<TransportFall>{TransportFall::FewNics, TransportFall::NoGpuDirect}));
}

TEST(TransportFindings, SaysWhichVariableAndWhichDevices) {
    const auto facts =
        facts_of(four_ranks("SHM/direct/direct", "NET/Socket/0", "NCCL_P2P_DISABLE set by environment to 1"));
    const auto map = map_of(facts, facts.communicators.at(0));
    const auto found = transport_findings(facts, map);
    ASSERT_EQ(found.size(), 1U) << "node-a has no InfiniBand";
    EXPECT_EQ(found[0].fall, TransportFall::ShmDespiteP2p);
    ASSERT_LT(found[0].setting, facts.settings.size());
    EXPECT_EQ(facts.settings[found[0].setting].name, "NCCL_P2P_DISABLE");
    const auto few = facts_of(four_ranks("P2P/CUMEM/read", "NET/IB/1/GDRDMA", kIb));
    const auto few_found = transport_findings(few, map_of(few, few.communicators.at(0)));
    ASSERT_EQ(few_found.size(), 1U);
    EXPECT_EQ(few_found[0].unused, std::vector<std::string>{"mlx5_0"});
    EXPECT_EQ(few_found[0].devices_used, 1);
    EXPECT_EQ(few_found[0].devices, 2);
}

}  // namespace
}  // namespace rankscope::logs
