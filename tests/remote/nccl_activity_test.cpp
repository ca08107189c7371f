// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Statistics of NCCL's operations: bandwidths, waits, who enters last, who is behind; lines of NCCL Inspector.

#include <remote/observe/nccl_activity/bandwidth.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_activity/link_lines.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>
#include <remote/observe/nccl_inspector/inspector_lines.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace rankscope {
namespace {

constexpr CommunicatorHash kAll{0xc0ffee};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

NcclTotals totals(const std::string& function, std::uint64_t bytes, std::uint64_t operations, double mean_s) {
    NcclTotals all;
    all.communicator = kAll;
    all.function = function;
    all.algorithm = "RING";
    all.protocol = "SIMPLE";
    all.size_class = 20;
    all.operations = operations;
    all.bytes = bytes * operations;
    all.seconds = mean_s * static_cast<double>(operations);
    all.shortest_s = mean_s / 2;
    all.longest_s = mean_s * 2;
    all.network_s = all.seconds / 4;
    all.gpu_times = true;
    return all;
}

NcclEvent event_of(int rank, int ranks, std::vector<NcclTotals> what) {
    NcclEvent event;
    event.seconds = 1;
    event.communicators = {{kAll, "world", rank, ranks, false}};
    event.totals = std::move(what);
    return event;
}

NcclOperation operation(std::uint64_t sequence, double seconds, NcclPhase phase = NcclPhase::Finished) {
    NcclOperation one;
    one.communicator = kAll;
    one.sequence = sequence;
    one.function = "AllReduce";
    one.bytes = kMiB;
    one.phase = phase;
    one.start_us = 1'760'000'000'000'000 + static_cast<std::int64_t>(sequence) * 1000;
    one.seconds = seconds;
    return one;
}

TEST(NcclBandwidth, FactorsAreThoseOfNcclTests) {
    EXPECT_DOUBLE_EQ(bus_factor("AllReduce", 8), 1.75);
    EXPECT_DOUBLE_EQ(bus_factor("AllReduce", 1), 0);
    for (const char* function : {"AllGather", "ReduceScatter", "AlltoAll", "Gather", "Scatter"}) {
        EXPECT_DOUBLE_EQ(bus_factor(function, 8), 0.875) << function;
        EXPECT_DOUBLE_EQ(payload_bytes(function, 10, 8), 80) << function;
    }
    for (const char* function : {"Broadcast", "Reduce", "SendRecv", "Send", "Recv"}) {
        EXPECT_DOUBLE_EQ(bus_factor(function, 8), 1) << function;
        EXPECT_DOUBLE_EQ(payload_bytes(function, 10, 8), 10) << function;
    }
    EXPECT_EQ(bus_factor("?", 8), 0);
    EXPECT_EQ(bus_factor("AllReduce", 0), 0);
}

TEST(CollectiveStats, OperationsWithoutTimesAreCountedAndNotAveraged) {
    CollectiveStats stats;
    NcclTotals some = totals("AllReduce", kMiB, 4, 0.002);
    some.operations = 10;
    some.bytes = 10 * kMiB;
    some.untimed = 6;
    NcclTotals none = totals("AllReduce", kMiB, 10, 0);
    none.untimed = 10;
    stats.take(0, 5, event_of(0, 2, {none, some}));
    stats.take(1, 5, event_of(1, 2, {none}));
    const CollectiveRow row = stats.report().rows.front();
    EXPECT_EQ(row.operations, 20U);
    EXPECT_DOUBLE_EQ(row.bytes, 1048576);
    EXPECT_DOUBLE_EQ(row.mean_s, 0.002);
    EXPECT_DOUBLE_EQ(row.shortest_s, 0.001);
    EXPECT_EQ(row.slowest_rank, -1) << "rank 1 has no time to compare with";
}

TEST(CollectiveStats, BandwidthIsThatOfTheRankThatDoesNotWait) {
    CollectiveStats stats;
    for (int rank = 0; rank < 4; ++rank) {
        stats.take(rank, 5, event_of(rank, 4, {totals("AllReduce", kMiB, 10, rank == 2 ? 0.001 : 0.004)}));
    }
    CollectiveReport report = stats.report();
    report.link = {.bytes_per_s = 2e9, .source = "eth0"};
    ASSERT_EQ(report.rows.size(), 1U);
    const CollectiveRow& row = report.rows.front();
    EXPECT_EQ(report.functions.at(row.function), "AllReduce");
    EXPECT_EQ(row.operations, 10U);
    EXPECT_EQ(row.ranks_seen, 4U);
    EXPECT_DOUBLE_EQ(row.bytes, 1048576);
    EXPECT_DOUBLE_EQ(row.mean_s, 0.013 / 4);
    EXPECT_DOUBLE_EQ(row.shortest_s, 0.0005);
    EXPECT_DOUBLE_EQ(row.longest_s, 0.008);
    EXPECT_DOUBLE_EQ(row.spread_s, 0.003);
    EXPECT_DOUBLE_EQ(row.transfer_s, 0.001);
    EXPECT_DOUBLE_EQ(row.algorithm_bandwidth, 1048576 / 0.001);
    EXPECT_DOUBLE_EQ(row.bus_bandwidth, 1.5 * 1048576 / 0.001);
    EXPECT_DOUBLE_EQ(report.link_share(row), row.bus_bandwidth / 2e9);
    EXPECT_EQ(row.last_rank, 2) << "the shortest time inside";
    EXPECT_NE(row.slowest_rank, 2);
    EXPECT_NEAR(row.wait_share, 1 - 0.001 / (0.013 / 4), 1e-9);
    EXPECT_DOUBLE_EQ(row.network_share, 0.25);
    EXPECT_EQ(row.algorithm, "RING");
    EXPECT_TRUE(row.gpu_times);
    ASSERT_EQ(report.ranks.size(), 4U);
    EXPECT_DOUBLE_EQ(report.ranks[0].inside_s, 0.04);
    EXPECT_DOUBLE_EQ(report.ranks[0].waited_s, 0.03);
    EXPECT_DOUBLE_EQ(report.ranks[2].waited_s, 0);
}

TEST(CollectiveStats, ABroadcastTellsNoLastRankAndAnUnknownLinkNoShare) {
    CollectiveStats stats;
    for (int rank = 0; rank < 4; ++rank) {
        stats.take(rank, 5, event_of(rank, 4, {totals("Broadcast", kMiB, 10, rank == 2 ? 0.001 : 0.004)}));
    }
    const CollectiveReport report = stats.report();
    const CollectiveRow& row = report.rows.front();
    EXPECT_EQ(row.last_rank, -1);
    EXPECT_DOUBLE_EQ(row.transfer_s, row.mean_s);
    EXPECT_EQ(row.wait_share, 0);
    EXPECT_EQ(report.link_share(row), 0);
    EXPECT_EQ(report.ranks[0].waited_s, 0);
}

TEST(CollectiveStats, SmallDifferencesNameNoRank) {
    CollectiveStats stats;
    for (int rank = 0; rank < 64; ++rank) {
        stats.take(rank, 5, event_of(rank, 64, {totals("AllReduce", kMiB, 10, 0.004 * (1 + 0.0007 * rank))}));
    }
    const CollectiveReport report = stats.report();
    EXPECT_EQ(report.rows.front().last_rank, -1);
    EXPECT_EQ(report.rows.front().slowest_rank, -1);
}

TEST(CollectiveStats, AlternatingWaitsAreSeenInMatchedOperations) {
    CollectiveStats stats;
    // Each rank is last every second time: their means are equal, and each waits half of the time.
    for (int rank = 0; rank < 2; ++rank) {
        NcclEvent event = event_of(rank, 2, {totals("AllReduce", kMiB, 20, 0.002)});
        for (std::uint64_t i = 0; i < 20; ++i) {
            event.operations.push_back(operation(i, static_cast<int>(i % 2) == rank ? 0.001 : 0.003));
        }
        stats.take(rank, 5, event);
    }
    const CollectiveReport report = stats.report();
    const CollectiveRow& row = report.rows.front();
    EXPECT_EQ(row.matched, 20U);
    EXPECT_NEAR(row.wait_share, 0.5, 1e-6);
    EXPECT_NEAR(row.transfer_s, 0.001, 1e-6);
    EXPECT_NEAR(row.last_share, 0.5, 1e-9);
    EXPECT_EQ(row.slowest_rank, -1) << "none is slower";
    EXPECT_EQ(report.ranks[0].last, 10U);
    EXPECT_NEAR(report.ranks[1].waited_s, 0.02, 1e-6);
    EXPECT_EQ(report.ranks[0].recent.size(), 20U);
}

TEST(CollectiveStats, WhoHasNotEnteredAnOpenCollectiveIsBehind) {
    CollectiveStats stats;
    for (int rank = 0; rank < 4; ++rank) {
        NcclEvent event = event_of(rank, 4, {});
        const std::uint64_t entered = rank == 3 ? 41 : 42;
        event.progress = {{kAll, "AllReduce", entered, entered, 41}};
        if (rank != 3) {
            event.open = {operation(42, 7, NcclPhase::Running)};
        }
        stats.take(10 + rank, 5, event);
    }
    const CollectiveReport report = stats.report();
    EXPECT_TRUE(report.rows.empty());
    EXPECT_TRUE(report.has_operations());
    for (const ReportRank& rank : report.ranks) {
        EXPECT_EQ(rank.behind.size(), rank.rank == 13 ? 1U : 0U) << rank.rank;
    }
    EXPECT_EQ(report.ranks[3].behind[0].wanted, 42U);
    EXPECT_EQ(report.ranks[3].behind[0].entered, 41U);

    // It enters: no rank is behind.
    NcclEvent enters = event_of(3, 4, {});
    enters.progress = {{kAll, "AllReduce", 42, 42, 42}};
    stats.take(13, 6, enters);
    EXPECT_TRUE(stats.report().ranks[3].behind.empty());
}

TEST(CollectiveStats, RanksThatCannotBeObservedSayWhy) {
    CollectiveStats stats;
    NcclEvent event;
    event.unavailable = "nccl-too-old";
    stats.take(0, 5, event);
    stats.take(-1, 5, event);
    const CollectiveReport report = stats.report();
    ASSERT_EQ(report.ranks.size(), 1U);
    EXPECT_EQ(report.ranks[0].unavailable, "nccl-too-old");
    EXPECT_FALSE(report.has_operations());
}

TEST(CollectiveStats, GroupsOfTheSameSizeAreOneRow) {
    CollectiveStats stats;
    for (int group = 0; group < 3; ++group) {
        for (int rank = 0; rank < 2; ++rank) {
            NcclEvent event = event_of(rank, 2, {totals("AllGather", kMiB, 10, 0.001)});
            event.communicators[0].id.value = event.totals[0].communicator.value =
                7U + static_cast<unsigned>(group);
            event.communicators[0].name = "tp";
            stats.take(2 * group + rank, 5, event);
        }
    }
    const CollectiveReport report = stats.report();
    EXPECT_EQ(report.rows.size(), 3U);
    const auto merged = merge_alike(report);
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_EQ(merged[0].communicators, 3U);
    EXPECT_EQ(merged[0].operations, 30U);
    EXPECT_DOUBLE_EQ(merged[0].bus_bandwidth, report.rows[0].bus_bandwidth);
}

/// Eight ranks in a mesh of 2 × 2 × 2, without a name: what they do tells what the communicators are for.
TEST(CollectiveStats, CommunicatorsOfAMeshAreNamedByTheirAxis) {
    CollectiveStats stats;
    for (int rank = 0; rank < 8; ++rank) {
        NcclEvent event;
        event.seconds = 1;
        const auto add = [&](std::uint64_t id, int place, const char* function, std::uint64_t operations) {
            event.communicators.push_back({{id}, "", place, 2, false});
            NcclTotals one = totals(function, kMiB, operations, 0.001);
            one.communicator = {id};
            event.totals.push_back(one);
        };
        const auto bit = [&](int axis) { return (rank >> axis) & 1; };
        add(0x100 + static_cast<std::uint64_t>(rank / 2), bit(0), "AllReduce", 48);
        add(0x200 + static_cast<std::uint64_t>(bit(0) + 2 * bit(2)), bit(1), "ReduceScatter", 2);
        add(0x300 + static_cast<std::uint64_t>(rank % 4), bit(2), "Send", 8);
        event.communicators.push_back({kAll, "world", rank, 8, false});
        stats.take(rank, 5, event);
    }
    const CollectiveReport report = stats.report();
    std::map<std::uint64_t, std::string> axes;
    for (const ReportCommunicator& one : report.communicators) {
        axes[one.id.value] = one.axis + std::to_string(one.number);
    }
    EXPECT_EQ(axes[0x102], "tp2");
    EXPECT_EQ(axes[0x203], "dp3");
    EXPECT_EQ(axes[0x301], "pp1");
    EXPECT_EQ(axes[kAll.value], "world0");
    EXPECT_EQ(merge_alike(report).size(), 3U) << "a row for each axis";
    const auto tensor = std::find_if(report.communicators.begin(), report.communicators.end(),
                                     [](const auto& one) { return one.id.value == 0x102; });
    EXPECT_EQ(tensor->members, (std::vector<int>{4, 5}));
}

TEST(CollectiveStats, ADayOfManyRanksNeedsBoundedMemory) {
    CollectiveStats stats;
    constexpr int kRanks = 256;
    for (int second = 0; second < 40; ++second) {
        for (int rank = 0; rank < kRanks; ++rank) {
            NcclEvent event = event_of(rank, kRanks, {totals("AllReduce", kMiB, 60, 0.001)});
            for (std::uint64_t i = 0; i < 40; ++i) {
                event.operations.push_back(
                    operation(static_cast<std::uint64_t>(second) * 1000 + i * (rank % 3 + 1U), 0.001));
            }
            stats.take(rank, second, event);
        }
    }
    const CollectiveReport report = stats.report();
    EXPECT_EQ(report.rows.front().operations, 2400U);
    for (const ReportRank& rank : report.ranks) {
        EXPECT_LE(rank.recent.size(), 2048U);
    }
}

TEST(CollectiveStats, ReportsShareWhatHasNotChanged) {
    CollectiveStats stats;
    for (int rank = 0; rank < 2; ++rank) {
        NcclEvent event = event_of(rank, 2, {totals("AllReduce", kMiB, 2, 0.001)});
        event.operations = {operation(2, 0.001), operation(1, 0.003)};
        stats.take(rank, 5, event);
    }
    const CollectiveReport before = stats.report();
    NcclEvent event = event_of(1, 2, {totals("AllReduce", kMiB, 1, 0.001)});
    event.operations = {operation(3, 0.001)};
    event.communicators[0].closed = true;
    stats.take(1, 6, event);
    const CollectiveReport after = stats.report();
    EXPECT_EQ(after.ranks[0].recent.begin(), before.ranks[0].recent.begin());
    EXPECT_EQ(before.ranks[1].recent.size(), 2U);
    ASSERT_EQ(after.ranks[1].recent.size(), 3U);
    EXPECT_EQ(after.ranks[1].recent[0].sequence, 1U) << "by their begin";
    EXPECT_EQ(after.ranks[1].last_end_us, operation(3, 0).start_us + 1000);
    EXPECT_EQ(after.rows.front().operations, 3U);
    EXPECT_FALSE(after.communicators[0].closed);

    NcclEvent closes = event_of(0, 2, {});
    closes.communicators[0].closed = true;
    stats.take(0, 7, closes);
    EXPECT_TRUE(stats.report().communicators[0].closed);
}

TEST(CollectiveStats, AnOperationOfOneRankTwiceIsNotOneOfAllRanks) {
    CollectiveStats stats;
    NcclEvent event = event_of(0, 2, {totals("AllReduce", kMiB, 1, 0.003)});
    event.operations = {operation(1, 0.003), operation(1, 0.002)};
    stats.take(0, 5, event);
    EXPECT_EQ(stats.report().rows.front().matched, 0U);
    event = event_of(1, 2, {totals("AllReduce", kMiB, 1, 0.001)});
    event.operations = {operation(1, 0.001)};
    stats.take(1, 5, event);
    const CollectiveReport report = stats.report();
    EXPECT_EQ(report.rows.front().matched, 1U);
    EXPECT_NEAR(report.rows.front().wait_share, 0.5, 1e-6);
}

TEST(LinkLines, TheNodeWithTheLeastCounts) {
    LinkLines lines;
    EXPECT_EQ(lines.rate(), LinkRate{});
    for (const char* host : {"a", "b"}) {
        lines.take(
            host,
            "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=mlx5 speed=200000 context=0x1 pciPath=/sys/x ar=1");
        lines.take(
            host,
            "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=mlx5 speed=200000 context=0x1 pciPath=/sys/x ar=1");
    }
    lines.take(
        "a", "NET/IB: [1] mlx5_1:uverbs1:1/RoCE provider=mlx5 speed=100000 context=0x1 pciPath=/sys/x ar=0");
    for (const char* text :
         {"", "NET/IB speed=", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
          "NET/IB : Made virtual device [4] name=mlx5_0+mlx5_1 speed=400000 ndevs=2 rail=0 plane=0",
          "NET/IB: [0] x: provider=y speed=-3", " speed=3 provider= ] NET/IB"}) {
        lines.take("a", text);
    }
    EXPECT_DOUBLE_EQ(lines.rate().bytes_per_s, 25e9);
    EXPECT_EQ(lines.rate().source, "mlx5_0 of b");
}

// The examples of NVIDIA's own README.
constexpr const char* kPlain =
    R"({"header":{"id":"0x7f8c496ae9f661","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"inspector_output_format_version":"v4.0","git_rev":"","rec_mechanism":"profiler_plugin","dump_timestamp_us":1748030377748202,"hostname":"example-hostname","pid":1639453},"coll_perf":{"coll":"AllReduce","coll_sn":1407,"coll_msg_size_bytes":17179869184,"coll_exec_time_us":61974,"coll_algobw_gbs":277.210914,"coll_busbw_gbs":485.119099}})";
constexpr const char* kVerbose =
    R"({"header":{"id":"0xe62dedaa97644a","comm_name":"dp","rank":4,"n_ranks":8,"nnodes":1},"metadata":{"inspector_output_format_version":"v4.0","git_rev":"9019a1912-dirty","rec_mechanism":"nccl_profiler_interface","dump_timestamp_us":1752867229276385,"hostname":"example-hostname","pid":438776},"coll_perf":{"coll":"ReduceScatter","coll_sn":1231,"coll_msg_size_bytes":2147483648,"coll_exec_time_us":41057,"coll_timing_source":"kernel_gpu","coll_algobw_gbs":418.439467,"coll_busbw_gbs":366.134533,"event_trace_sn":{"coll_start_sn":1,"coll_stop_sn":2,"kernel_events":[{"channel_id":0,"kernel_start_sn":3,"kernel_stop_sn":48,"kernel_record_sn":47}]},"event_trace_ts":{"coll_start_ts":1752867229235059,"coll_stop_ts":1752867229235064,"kernel_events":[{"channel_id":0,"kernel_start_ts":1752867229235181,"kernel_stop_ts":1752867229275811,"kernel_record_ts":1752867229275811}]}}})";
constexpr const char* kSend =
    R"([rank3]: {"header":{"id":"0xab","comm_name":"unknown","rank":3,"n_ranks":4,"nnodes":2},"metadata":{"hostname":"h","pid":7},"p2p_perf":{"p2p":"Send","p2p_sn":9,"p2p_peer":1,"p2p_msg_size_bytes":1000,"p2p_exec_time_us":10,"p2p_timing_source":"kernel_cpu","p2p_algobw_gbs":0.1,"p2p_busbw_gbs":0.1}})";

TEST(InspectorLines, ARecordedLineIsAnOperation) {
    const auto line = read_inspector_line(kPlain);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->communicator.id.value, 0x7f8c496ae9f661U);
    EXPECT_EQ(line->communicator.rank, 2);
    EXPECT_EQ(line->communicator.ranks, 8);
    EXPECT_EQ(line->host, "example-hostname");
    EXPECT_EQ(line->pid, 1639453);
    EXPECT_EQ(line->operation.function, "AllReduce");
    EXPECT_EQ(line->operation.sequence, 1407U);
    EXPECT_EQ(line->operation.start_us, 0);
    EXPECT_DOUBLE_EQ(line->operation.seconds, 0.061974);

    const auto verbose = read_inspector_line(kVerbose);
    ASSERT_TRUE(verbose);
    EXPECT_EQ(verbose->communicator.name, "dp");
    EXPECT_EQ(verbose->operation.start_us, 1752867229235181);
    EXPECT_DOUBLE_EQ(verbose->operation.gpu_s, 0.041057);
    EXPECT_EQ(verbose->operation.channels, 1);

    const auto send = read_inspector_line(kSend);
    ASSERT_TRUE(send);
    EXPECT_TRUE(send->operation.point_to_point);
    EXPECT_EQ(send->operation.peer_or_root, 1);
    EXPECT_EQ(send->operation.gpu_s, 0);
    EXPECT_TRUE(send->communicator.name.empty());
}

TEST(InspectorLines, OurBandwidthIsThatOfInspector) {
    for (const auto& [text, algorithm, bus] :
         {std::tuple(kPlain, 277.210914, 485.119099), std::tuple(kVerbose, 418.439467, 366.134533)}) {
        const auto line = read_inspector_line(text);
        ASSERT_TRUE(line);
        CollectiveStats stats;
        stats.take(line->communicator.rank, line->communicator, line->operation);
        const CollectiveRow row = stats.report().rows.at(0);
        EXPECT_NEAR(row.algorithm_bandwidth * 1e-9, algorithm, 1e-4);
        EXPECT_NEAR(row.bus_bandwidth * 1e-9, bus, 1e-4);
    }
}

TEST(InspectorIntake, AProcessIsItsRankInItsLargestCommunicator) {
    InspectorIntake intake;
    const auto line = [](const char* id, int rank, int ranks, int pid) {
        return R"({"header":{"id":")" + std::string(id) + R"(","rank":)" + std::to_string(rank) +
               R"(,"n_ranks":)" + std::to_string(ranks) + R"(},"metadata":{"hostname":"h","pid":)" +
               std::to_string(pid) +
               R"(},"coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":1024,"coll_exec_time_us":10}})";
    };
    for (int pid = 0; pid < 4; ++pid) {
        EXPECT_TRUE(intake.take(line("0x1", pid % 2, 2, pid)));  // a group of two
        EXPECT_TRUE(intake.take(line("0x2", 3 - pid, 4, pid)));  // all
    }
    EXPECT_FALSE(intake.take("epoch 1 {\"loss\": 3}"));
    EXPECT_EQ(intake.lines(), 8U);
    const CollectiveReport report = intake.report();
    ASSERT_EQ(report.ranks.size(), 4U);
    EXPECT_EQ(report.ranks[0].rank, 0);
    EXPECT_EQ(report.communicators[1].ranks, 4);
    EXPECT_TRUE(report.without_start);
}

TEST(InspectorLines, WhatIsNoLineIsLeftAlone) {
    const std::string plain = kPlain;
    for (std::size_t cut = 1; cut < plain.size(); cut += 7) {
        EXPECT_FALSE(read_inspector_line(plain.substr(0, plain.size() - cut)));
    }
    for (const char* text :
         {"", "{}", R"({"header":{},"coll_perf":{}})", R"({"header":{"id":"0xzz"},"coll_perf":{"coll":"x"}})",
          R"({"header":{"id":"0x"},"coll_perf":{"coll":"x"}})", R"({"header":[],"coll_perf":3})",
          R"({"header":{"id":"0x1"},"coll_perf":{"coll":7}})"}) {
        EXPECT_FALSE(read_inspector_line(text)) << text;
    }
    const auto odd = read_inspector_line(
        R"({"header":{"id":"1f","rank":-9,"n_ranks":1e30},"coll_perf":{"coll":"AllReduce","coll_sn":-1,"coll_exec_time_us":"x"}})");
    ASSERT_TRUE(odd);
    EXPECT_EQ(odd->communicator.rank, -1);
    EXPECT_EQ(odd->operation.sequence, 0U);
}

}  // namespace
}  // namespace rankscope
