// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/facts/nccl_message.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/grammar/read_sources.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

namespace fs = std::filesystem;

RunFacts facts_in(std::string_view text) {
    LineParser parser;
    parser.begin("out", 0);
    FactBuilder builder;
    std::uint64_t number = 0;
    for (const auto line : split(text, '\n')) {
        builder.feed(parser.parse({{0, ++number}, line}));
    }
    return builder.take();
}

TEST(NcclMessage, CommunicatorsOfAllVersions) {
    const auto v24 = comm_line("comm 0x7f1 rank 1 nranks 4 cudaDev 1 nvmlDev 1 - Init COMPLETE");
    ASSERT_TRUE(v24);
    EXPECT_EQ(v24->event, CommEvent::InitComplete);
    EXPECT_EQ(v24->nranks, 4);
    const auto v210 = comm_line("comm 0x23f7b860 rank 0 nranks 2 cudaDev 0 busId 18000 - Init COMPLETE");
    ASSERT_TRUE(v210);
    EXPECT_EQ(v210->bus_id, 0x18000);
    const auto split223 = comm_line(
        "ncclCommSplit comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 parent 0x4 color 1 key 0- "
        "Init START");
    ASSERT_TRUE(split223);
    EXPECT_EQ(split223->event, CommEvent::InitStart);
    EXPECT_EQ(split223->parent, 4U);
    EXPECT_EQ(split223->color, 1);
    const auto v229 = comm_line(
        "[Rank 1] ncclCommInitRankConfig comm 0x55895a7fda50 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 44000 "
        "commId "
        "0xa30f49afcc93be - Init START");
    ASSERT_TRUE(v229);
    EXPECT_EQ(v229->id, "0xa30f49afcc93be");
    const auto nodes = comm_line("comm 0x831fed0 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0");
    ASSERT_TRUE(nodes);
    EXPECT_EQ(nodes->nnodes, 2);
    EXPECT_EQ(nodes->event, CommEvent::None);
    EXPECT_FALSE(comm_line("comm 0x1 rank 7 nranks 2"));
}

TEST(NcclMessage, EdgesOfAllVersions) {
    const auto net =
        edge_line("Channel 03/1 : 17[1] -> 0[0] [receive] via NET/AWS Libfabric/2(5)/GDRDMA/Shared");
    ASSERT_TRUE(net);
    EXPECT_EQ(net->transport, "NET/AWS Libfabric");
    EXPECT_EQ(net->edge.channel, 3);
    EXPECT_EQ(net->edge.connection, 1);
    EXPECT_EQ(net->edge.from, 17);
    EXPECT_EQ(net->edge.direction, EdgeDirection::Receive);
    EXPECT_EQ(net->edge.net_device, 2);
    EXPECT_EQ(net->edge.proxy_rank, 5);
    EXPECT_TRUE(net->edge.gpu_direct);
    EXPECT_EQ(edge_line("Channel 00 : 1[18000] -> 0[18000] via P2P/direct pointer")->transport, "P2P/direct");
    EXPECT_EQ(edge_line("Channel 00 : 1[18000] -> 0[18000] via P2P/IPC/read")->transport, "P2P/IPC/read");
    EXPECT_EQ(edge_line("Ring 00 : 0[0] -> 1[1] via direct shared memory")->transport, "SHM/direct");
    EXPECT_EQ(edge_line("Ring 00 : 3 -> 0 [receive] via NET/Socket/0")->edge.from, 3);
    EXPECT_EQ(edge_line("Channel 01 : 0[0] -> 1[1] via SHM/direct/direct")->transport, "SHM/direct/direct");
    EXPECT_FALSE(edge_line("Channel 00/02 :    0   1"));
}

TEST(NcclMessage, RingsAndTrees) {
    EXPECT_EQ(ring_list("Channel 07/24 : 0 1 2")->ranks, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(ring_list("Channel 07/24 : 0 1 ...")->ranks, (std::vector<int>{0, 1}));
    EXPECT_EQ(ring_hop("Ring 00 : 7 -> 0 -> 1")->next, 1);
    const auto nodes = tree_nodes("Trees [0] 3/-1/-1->2->1|1->2->3/-1/-1 [1] -1/-1/-1->2->0");
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].rank, 2);
    EXPECT_EQ(nodes[0].up, 1);
    EXPECT_EQ(nodes[0].down[0], 3);
    EXPECT_EQ(nodes[1].channel, 1);
    EXPECT_EQ(tree_nodes("Tree 2 : 4 -> 0 -> 1/8/-1").at(0).down[1], 8);
    EXPECT_EQ(tree_nodes("Trees [0] 1->2->3/-1/-1").at(0).up, 1);
}

TEST(NcclMessage, TheRest) {
    EXPECT_EQ(interfaces_of("[0]ib0:10.148.0.76<0> [1]ib1:fe80::1%ib1<0>").at(1),
              (InterfaceAddress{"ib1", "fe80::1%ib1"}));
    EXPECT_EQ(ib_devices_of("[0]mlx5_0:1/IB [1]mlx5_1:2/RoCE [RO]").at(1),
              (IbDevice{1, "mlx5_1", 2, "RoCE"}));
    EXPECT_EQ(ib_device_of("NET/IB: [3] mlx5_2:uverbs2:1/RoCE provider=Mlx5 speed=400000 context=0x1")->name,
              "mlx5_2");
    EXPECT_EQ(channel_counts("8 coll channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer")
                  ->p2p_per_peer,
              2);
    EXPECT_EQ(setting_of("NCCL_CROSS_NIC set by environment to 1.")->second, "1");
    EXPECT_EQ(version_of("NCCL version 2.28.9+cuda12.9")->cuda, "12.9");
    const auto tuning = tuning_of("AllReduce: 4096 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}");
    EXPECT_EQ(tuning->last_channel, 23);
    EXPECT_EQ(tuning_of("4096 Bytes -> Algo 1 proto 2 time 12.5")->algorithm, "RING");
    EXPECT_EQ(call_line("AllReduce: opCount 1f sendbuff 0x7 recvbuff 0x7 count 4 datatype 7 op 0 root 0 comm "
                        "0x55 [nranks=2]")
                  ->op_count,
              31);
    const auto timings = init_timings(
        "Init timings - ncclCommInitRank: rank 0 nranks 2 total 0.41 (kernels 0.10, alloc 0.02, rest 0.00)");
    EXPECT_DOUBLE_EQ(timings->total, 0.41);
    EXPECT_EQ(timings->parts.at(1).first, "alloc");
}

TEST(RunFacts, OneProcessWithTwoCommunicators) {
    const auto facts = facts_in(
        "n1:10:10 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
        "n1:10:11 [0] NCCL INFO ncclCommInitRank comm 0xa rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 "
        "commId 0x1 - Init START\n"
        "n1:10:11 [0] NCCL INFO Ring 00 : 1 -> 0 -> 1\n"
        "n1:10:11 [0] NCCL INFO ncclCommInitRank comm 0xa rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 "
        "commId 0x1 - Init COMPLETE\n"
        "n1:10:11 [0] NCCL INFO Init timings - ncclCommInitRank: rank 0 nranks 2 total 0.41 (kernels 0.10)\n"
        "n1:10:12 [0] NCCL INFO ncclCommSplit comm 0xb rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 1000 parent "
        "0xa color 1 key 0 commId 0x2 - Init START\n"
        "n1:10:10 [0] NCCL INFO AllReduce: opCount a sendbuff 0x7 recvbuff 0x7 count 4 datatype 7 op 0 root "
        "0 comm 0xa [nranks=2] stream 0x1\n"
        "n1:10:10 [0] NCCL INFO comm 0xa rank 0 nranks 2 cudaDev 0 busId 1000 - Abort COMPLETE\n");
    ASSERT_EQ(facts.communicators.size(), 2U);
    const auto& first = facts.communicators[0];
    EXPECT_EQ(first.members.at(0).start.line, 2U);
    EXPECT_EQ(first.members.at(0).complete.line, 4U);
    EXPECT_EQ(first.members.at(0).aborted.line, 8U);
    EXPECT_EQ(first.members.at(0).calls, 1U);
    EXPECT_EQ(first.members.at(0).last_op_count, 10);
    EXPECT_DOUBLE_EQ(first.members.at(0).init_seconds, 0.41);
    EXPECT_EQ(first.missing_ranks(), std::vector<int>{1});
    EXPECT_EQ(facts.communicators[1].parent, 0xaU);
    EXPECT_EQ(facts.processes.at(0).nccl_version, "2.28.9");
    const auto json = to_json(facts);
    EXPECT_EQ(json["communicators"][0]["missing_ranks"], nlohmann::json::array({1}));
}

/// The facts that the labelled healthy logs state. They are not part of the repository.
class HealthyLogs : public ::testing::Test {
protected:
    HealthyLogs() {
        const char* given = std::getenv("RANKSCOPE_SHARED");
        folder_ = (given != nullptr ? fs::path(given)
                                    : fs::path(RANKSCOPE_SOURCE_FOLDER).parent_path() / "shared") /
                  "nccl-logs";
    }
    fs::path folder_;
};

std::string words(const std::vector<int>& numbers) {
    std::vector<std::string> texts;
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(texts),
                   [](int n) { return std::to_string(n); });
    return joined(texts, " ");
}

/// "gpu-01=eth0:10.20.0.11", "node-01=ib0:10.148.0.76 (bootstrap of rank 0)", "IB hfi1_2:1/IB,hfi1_0:1/IB", "IB hfi1_0..3".
void expect_interface(const RunFacts& facts, std::string_view expected) {
    if (expected.starts_with("IB ")) {
        const auto range = expected.find("..");
        std::vector<std::string> devices;
        if (range != std::string_view::npos) {
            const auto stem = expected.substr(3, range - 4);
            for (char c = expected[range - 1]; c <= expected[range + 2]; ++c) {
                devices.push_back(std::string(stem) + c);
            }
        } else {
            for (const auto device : split(expected.substr(3), ',')) {
                devices.emplace_back(device);
            }
        }
        ASSERT_FALSE(facts.hosts.empty());
        for (const auto& host : facts.hosts) {
            if (host.ib_devices.empty()) {
                continue;
            }
            std::vector<std::string> found;
            for (const auto& device : host.ib_devices) {
                found.push_back(range != std::string_view::npos
                                    ? device.name
                                    : device.name + ":" + std::to_string(device.port) + "/" + device.link);
            }
            if (range != std::string_view::npos) {
                std::sort(found.begin(), found.end());
            }
            EXPECT_EQ(found, devices) << host.name;
        }
        return;
    }
    const auto equals = expected.find('=');
    const auto colon = expected.find(':');
    const auto name = expected.substr(0, equals);
    const InterfaceAddress address{
        std::string(expected.substr(equals + 1, colon - equals - 1)),
        std::string(expected.substr(colon + 1, expected.find(' ', colon) - colon - 1))};
    const auto host = std::find_if(facts.hosts.begin(), facts.hosts.end(),
                                   [&](const HostFacts& h) { return h.name == name; });
    ASSERT_NE(host, facts.hosts.end()) << name;
    std::vector<InterfaceAddress> all = host->bootstrap;
    all.insert(all.end(), host->sockets.begin(), host->sockets.end());
    all.push_back(host->out_of_band);
    EXPECT_NE(std::find(all.begin(), all.end(), address), all.end())
        << name << " " << address.interface << " " << address.address;
}

TEST_F(HealthyLogs, StateTheFactsOfTheTable) {
    std::ifstream table(folder_ / "healthy.tsv");
    if (!table) {
        GTEST_SKIP() << "the labelled logs are neither in $RANKSCOPE_SHARED nor in ../shared";
    }
    std::string row;
    std::getline(table, row);
    int logs = 0;
    while (std::getline(table, row)) {
        const auto columns = split(row, '\t');
        ASSERT_EQ(columns.size(), 8U);
        SCOPED_TRACE(std::string(columns[0]));
        FactBuilder builder;
        read_sources({(folder_ / columns[0]).string()}, {}, [&](const LogLine& line) { builder.feed(line); });
        const auto facts = builder.take();
        ASSERT_EQ(facts.versions.size(), 1U);
        EXPECT_EQ(facts.versions[0].nccl, columns[1]);
        EXPECT_LE(facts.unknown_lines, 1U);  // log-0134 has a line into which another process wrote
        ASSERT_EQ(facts.communicators.size(), 1U);
        const auto& comm = facts.communicators[0];
        EXPECT_EQ(std::to_string(comm.nranks), columns[2]);
        EXPECT_EQ(std::to_string(comm.nnodes), columns[3]);
        for (const auto interface : split(columns[4], ';')) {
            expect_interface(facts, interface);
        }
        EXPECT_EQ(joined(facts.transports_of(comm), ";"), [&] {
            const auto parts = split(columns[5], ';');
            return joined(std::set<std::string_view>(parts.begin(), parts.end()), ";");
        }());
        EXPECT_EQ(std::to_string(comm.channels), columns[6]);
        ASSERT_FALSE(comm.rings.empty());
        EXPECT_EQ(words(comm.rings[0].ranks), columns[7]);
        ++logs;
    }
    EXPECT_GT(logs, 0);
}

}  // namespace
}  // namespace rankscope::logs
