// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What RAS, the Flight Recorder and the profiler make of a run that stalls: from recorded answers.

#include <base/files.h>
#include <remote/desk/runs/watch/collective_cause.h>
#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/nccl_watch.h>
#include <remote/desk/runs/watch/ras_watch.h>

#include <gtest/gtest.h>
#include <zstd.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope {
namespace {

constexpr std::uint64_t kAll = 0xc0ffee;

std::string data(const std::string& name) {
    return read_file(std::string(RANKSCOPE_TEST_DATA) + '/' + name).value_or(std::string());
}

LaunchPlan plan_of(int world) {
    LaunchPlan plan;
    plan.world_size = world;
    for (int rank = 0; rank < world; ++rank) {
        const std::string number = std::to_string(rank + 1);
        NodePlan node;
        node.node = "node" + number;
        node.address = "10.0.0." + number;
        plan.nodes.push_back(node);
        RankPlan one;
        one.rank = rank;
        one.node = node.node;
        plan.ranks.push_back(one);
    }
    return plan;
}

wire::Reply ras_reply(const std::string& file) {
    wire::Reply reply;
    reply.mutable_ras()->set_outcome("answered");
    reply.mutable_ras()->set_text(data("nccl_ras/" + file));
    return reply;
}

wire::Reply flight_reply(const std::string& run, int rank) {
    const auto plain = data("flight_recorder/" + run + '-' + std::to_string(rank) + ".pickle");
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
    wire::Reply reply;
    auto* dump = reply.mutable_flight_dumps()->add_ranks();
    dump->set_rank(rank);
    dump->set_outcome(plain.empty() ? "late" : "dumped");
    dump->set_dump(packed);
    return reply;
}

/// A run of so many ranks that stalls, and whose processes all wait.
class Stall {
public:
    explicit Stall(int world) : plan(plan_of(world)) {
        nccl.set_sources({.ras = true, .flight_recorder = true});
        for (int rank = 0; rank < world; ++rank) {
            RankSeen seen;
            seen.node = plan.ranks[static_cast<std::size_t>(rank)].node;
            seen.state.rank = rank;
            seen.state.pid = 4000 + rank;
            seen.activity.kind = Activity::WaitsInCollective;
            seen.looks = 3;
            ranks.emplace(rank, seen);
        }
    }

    /// What is asked in these seconds of the stall, answered by RAS with this and by the recorder with that.
    void run(double seconds, const std::string& ras, const std::string& flights = {}) {
        for (const double end = now + seconds; now < end; now += 0.25) {
            for (auto& question : nccl.due(now, true, "run", plan)) {
                const int rank = std::stoi(question.node.substr(4)) - 1;
                if (question.asks == NcclWatch::Asks::Ras) {
                    ++asked;
                    nccl.take(now, question.asks, question.node, ras.empty() ? wire::Reply() : ras_reply(ras),
                              plan);
                } else {
                    nccl.take(now, question.asks, question.node,
                              flights.empty() ? wire::Reply() : flight_reply(flights, rank), plan);
                }
            }
        }
    }

    std::optional<HangFinding> verdict(std::optional<HangFinding> found = std::nullopt) {
        HangView view{ranks, plan};
        view.now = now;
        view.stall_s = now - begin;
        view.usual_s = 0.2;
        view.finished = finished;
        return with_collectives(std::move(found), nccl.findings(now, plan), view);
    }

    Event nccl_event(int rank, NcclEvent nccl_of_rank) const {
        Event event;
        event.node = plan.ranks[static_cast<std::size_t>(rank)].node;
        event.rank = rank;
        event.body = std::move(nccl_of_rank);
        return event;
    }

    LaunchPlan plan;
    std::map<int, RankSeen> ranks;
    std::set<int> finished;
    NcclWatch nccl;
    double begin = 1000;
    double now = 1000;
    int asked = 0;
};

std::string evidence_of(const Verdict& verdict) {
    std::string all;
    for (const auto& line : verdict.evidence) {
        all += line.text + '\n';
    }
    return all;
}

TEST(NcclWatch, RasIsAskedAtOnceOnAStallAndSlowlyOtherwise) {
    const auto plan = plan_of(2);
    NcclWatch nccl;
    nccl.set_sources({.ras = true, .flight_recorder = false});
    int asked = 0;
    const auto run = [&](double begin, double end, bool stalls) {
        int before = asked;
        for (double now = begin; now < end; now += 0.25) {
            for (const auto& question : nccl.due(now, stalls, "run", plan)) {
                ++asked;
                EXPECT_TRUE(question.request.has_ask_ras());
                nccl.take(now, question.asks, question.node, ras_reply("2.30.7-healthy.json"), plan);
            }
        }
        return asked - before;
    };
    EXPECT_EQ(run(1000, 1055, false), 0) << "the communicators are still being made";
    EXPECT_EQ(run(1055, 1195, false), 3);
    EXPECT_EQ(run(1195, 1196, true), 1) << "at once";
    EXPECT_GE(run(1196, 1206, true), 3);
    EXPECT_LE(run(1206, 1320, false), 2);
}

TEST(NcclWatch, WithoutRasNoNodeIsAskedAgainForLong) {
    Stall stall(2);
    stall.run(60, "");
    EXPECT_LE(stall.asked, 8);
    EXPECT_FALSE(stall.verdict());
    EXPECT_FALSE(stall.nccl.due(2000, true, "run", plan_of(1)).size() > 0) << "one rank has no collectives";
}

TEST(NcclWatch, ARankBehindIsNamedOnceItStands) {
    Stall stall(4);
    stall.run(1, "2.28.9-behind.json");
    EXPECT_FALSE(stall.verdict()) << "one report may be of a run that is busy";
    stall.run(35, "2.28.9-behind.json");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-rank-behind");
    EXPECT_EQ(found->verdict.rank, 2);
    EXPECT_EQ(found->verdict.node, "node3");
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 1, 3}));
    EXPECT_NE(found->verdict.title.find("AllReduce 10 of communicator 0xc0ffee"), std::string::npos)
        << found->verdict.title;
    EXPECT_NE(evidence_of(found->verdict).find("NCCL RAS: rank 2"), std::string::npos);
}

TEST(NcclWatch, ARankThatIsBusyMayBeBehindForLong) {
    Stall stall(4);
    auto& busy = stall.ranks.at(2);
    busy.activity.kind = Activity::WaitsForGpu;  // validation on one rank
    stall.run(200, "2.28.9-behind.json");
    EXPECT_FALSE(stall.verdict());
    stall.run(60, "2.28.9-behind.json");
    ASSERT_TRUE(stall.verdict());
    busy.state.python_stack = {"/usr/lib/python3/dist-packages/torch/serialization.py:10 in save"};
    EXPECT_FALSE(stall.verdict()) << "a checkpoint takes its time";
}

TEST(NcclWatch, WhatTheRankDoesIsTheCause) {
    Stall stall(4);
    auto& sleeper = stall.ranks.at(2);
    sleeper.activity.kind = Activity::Sleeps;
    sleeper.activity.line = "/home/u/train.py:12 in load";
    stall.run(20, "2.28.9-behind.json");
    EXPECT_FALSE(stall.verdict());
    stall.run(15, "2.28.9-behind.json");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-hang");
    EXPECT_EQ(found->verdict.reason, "sleeps");
    EXPECT_NE(found->verdict.title.find("train.py:12 in load"), std::string::npos) << found->verdict.title;
}

HangFinding stopped_rank(int rank) {
    HangFinding found;
    found.verdict.id = "rank-stopped";
    found.verdict.rank = rank;
    found.verdict.ranks = {rank};
    found.verdict.reason = "stopped";
    found.verdict.confidence = 0.98;
    found.verdict.title = "stopped";
    return found;
}

TEST(NcclWatch, ACollectiveIsTheEvidenceOfAStoppedRank) {
    Stall stall(4);
    stall.run(12, "2.30.7-stopped.json");
    const auto alone = stall.verdict();
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->verdict.id.text(), "nccl-rank-silent");
    EXPECT_EQ(alone->verdict.rank, 1);
    const auto found = stall.verdict(stopped_rank(1));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-stopped");
    EXPECT_EQ(found->verdict.title, "stopped");
    EXPECT_TRUE(found->with_collectives);
    EXPECT_NE(evidence_of(found->verdict).find("NCCL RAS: rank 1"), std::string::npos);
    stall.finished.insert(1);
    EXPECT_FALSE(stall.verdict()) << "one that has ended answers no more";
}

TEST(NcclWatch, AKilledRankIsSilent) {
    Stall stall(4);
    stall.run(12, "2.28.9-killed.json");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-rank-silent");
    EXPECT_EQ(found->verdict.rank, 3);
}

TEST(NcclWatch, AnErrorOfACommunicator) {
    Stall stall(4);
    stall.run(8, "2.30.7-async.json");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    // Rank 2 has called another collective: what rank 1 reports may be its consequence.
    EXPECT_EQ(found->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(found->verdict.rank, 2);
    std::vector<CollectiveFinding> error(1);
    error[0].fault = CollectiveFault::Error;
    error[0].reason = "remote";
    error[0].ranks = {1};
    error[0].group = "communicator 0x1";
    error[0].standing = true;
    HangView view{stall.ranks, stall.plan};
    view.stall_s = 10;
    const auto alone = with_collectives(std::nullopt, error, view);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->verdict.id.text(), "nccl-communicator-error");
    EXPECT_EQ(alone->verdict.reason, "remote");
}

TEST(NcclWatch, ASkippedCollectiveWithItsLine) {
    Stall stall(3);
    stall.run(8, "", "skipped");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_EQ(found->verdict.reason, "other-operation");
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 2}));
    EXPECT_NE(found->verdict.title.find("train.py"), std::string::npos) << found->verdict.title;
    EXPECT_NE(evidence_of(found->verdict).find("all_gather"), std::string::npos);
}

TEST(NcclWatch, AnotherSizeWithItsLine) {
    Stall stall(3);
    stall.run(8, "", "shape");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(found->verdict.reason, "other-size");
    EXPECT_EQ(found->verdict.rank, 2);
}

TEST(NcclWatch, ALateRankNeedsTwoDumps) {
    Stall stall(3);
    stall.run(4, "", "late");
    EXPECT_FALSE(stall.verdict());
    stall.run(30, "", "late");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-rank-behind");
    EXPECT_EQ(found->verdict.rank, 0);
    EXPECT_NE(evidence_of(found->verdict).find("called last"), std::string::npos);
}

TEST(NcclWatch, AHealthyRunHasNoVerdict) {
    Stall stall(3);
    stall.run(300, "2.30.7-healthy.json", "healthy");
    EXPECT_FALSE(stall.verdict());
}

NcclEvent event_of(int rank, int ranks, std::uint64_t called, std::uint64_t finished) {
    NcclEvent event;
    event.communicators = {{.id = {kAll}, .rank = rank, .ranks = ranks}};
    event.progress = {{.communicator = {kAll},
                       .function = "AllReduce",
                       .called = called,
                       .enqueued = called,
                       .finished = finished}};
    if (called > finished) {
        NcclOperation open;
        open.communicator = {kAll};
        open.sequence = called;
        open.function = "AllReduce";
        open.datatype = "ncclFloat32";
        open.bytes = 4096;
        open.channels = 4;
        open.channels_done = 1;
        open.phase = NcclPhase::Running;
        open.seconds = 10;
        event.open = {open};
    }
    return event;
}

TEST(NcclWatch, TheProfilerNamesTheRankThatHasNotCalled) {
    Stall stall(3);
    stall.nccl.set_sources({});
    for (int rank = 0; rank < 3; ++rank) {
        const std::uint64_t called = rank == 1 ? 41 : 42;
        EXPECT_TRUE(stall.nccl.observe(stall.nccl_event(rank, event_of(rank, 3, called, 41))));
        EXPECT_FALSE(stall.nccl.observe(stall.nccl_event(rank, event_of(rank, 3, called, 41))))
            << "nothing has advanced";
    }
    stall.run(28, "");
    EXPECT_FALSE(stall.verdict());
    stall.run(4, "");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-rank-behind");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_NE(found->verdict.title.find("AllReduce 42"), std::string::npos) << found->verdict.title;
}

/// Four ranks on two nodes, one rank of each node in turn: neighbours are on different nodes.
TEST(NcclWatch, TensorGroupsThatCrossNodesAreANotice) {
    const auto watched = [](const std::vector<std::string>& nodes, bool named) {
        LaunchPlan plan = plan_of(4);
        NcclWatch nccl;
        for (int rank = 0; rank < 4; ++rank) {
            plan.ranks[static_cast<std::size_t>(rank)].node = nodes[static_cast<std::size_t>(rank)];
            NcclEvent event;
            event.communicators = {{.id = {0x100 + static_cast<std::uint64_t>(rank / 2)},
                                    .name = named ? "TENSOR_MODEL_PARALLEL_GROUP" : "",
                                    .rank = rank % 2,
                                    .ranks = 2}};
            Event one;
            one.rank = rank;
            one.body = std::move(event);
            static_cast<void>(nccl.observe(one));
        }
        const auto notice = nccl.take_crossing(100, plan);
        EXPECT_FALSE(nccl.take_crossing(200, plan) && notice) << "once";
        return notice;
    };
    const auto turns = watched({"a", "b", "a", "b"}, true);
    ASSERT_TRUE(turns);
    EXPECT_EQ(turns->id.str(), "tensor-across-nodes");
    EXPECT_NE(turns->title.find("2 of 2, for example tp group 0 (ranks 0 and 1) on a, b"), std::string::npos)
        << turns->title;
    EXPECT_NE(turns->fix.front().find("rank_order: block"), std::string::npos);
    const auto uneven = watched({"a", "a", "a", "b"}, true);
    ASSERT_TRUE(uneven);
    EXPECT_NE(uneven->fix.front().find("a divisor"), std::string::npos) << uneven->fix.front();
    EXPECT_FALSE(watched({"a", "a", "b", "b"}, true));
    LaunchPlan early = plan_of(2);  // torchrun on two nodes: its four ranks are not in the plan yet
    EXPECT_FALSE(tensor_across_nodes(mesh_of({{.name = "a", .description = "tp", .ranks = {0, 1}},
                                              {.name = "b", .description = "tp", .ranks = {2, 3}}},
                                             4),
                                     early));
    EXPECT_FALSE(watched({"a", "b", "c", "d"}, true)) << "no node has room for a group";
    EXPECT_FALSE(watched({"a", "b", "a", "b"}, false)) << "nothing says what the groups are for";
}

/// Two tensor groups of neighbours, two data groups across them; rank 3 does not come to its tensor group.
TEST(NcclWatch, TheProfilerNamesTheGroupByItsPurpose) {
    Stall stall(4);
    stall.nccl.set_sources({});
    for (int rank = 0; rank < 4; ++rank) {
        const std::uint64_t tensor = 0x100 + static_cast<std::uint64_t>(rank / 2);
        const std::uint64_t data_group = 0x200 + static_cast<std::uint64_t>(rank % 2);
        const std::uint64_t called = rank == 3 ? 41 : 42;
        NcclEvent event = event_of(rank % 2, 2, called, 41);
        event.communicators = {{.id = {tensor}, .rank = rank % 2, .ranks = 2},
                               {.id = {data_group}, .rank = rank / 2, .ranks = 2}};
        event.progress.front().communicator = {tensor};
        event.progress.push_back({.communicator = {data_group},
                                  .function = "AllReduce",
                                  .called = 2,
                                  .enqueued = 2,
                                  .finished = 2});
        for (NcclOperation& open : event.open) {
            open.communicator = {tensor};
        }
        static_cast<void>(stall.nccl.observe(stall.nccl_event(rank, event)));
    }
    stall.run(28, "");
    static_cast<void>(stall.verdict());
    stall.run(4, "");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-rank-behind");
    EXPECT_EQ(found->verdict.rank, 3);
    EXPECT_NE(found->verdict.title.find("AllReduce 42 of tp group 1 (ranks 2 and 3), communicator 0x101"),
              std::string::npos)
        << found->verdict.title;
}

TEST(NcclWatch, TheProfilerNamesTheGpuThatDoesNotFinish) {
    Stall stall(3);
    stall.nccl.set_sources({});
    for (int rank = 0; rank < 3; ++rank) {
        static_cast<void>(
            stall.nccl.observe(stall.nccl_event(rank, event_of(rank, 3, 42, rank == 2 ? 41 : 42))));
    }
    stall.run(28, "");
    EXPECT_FALSE(stall.verdict());
    stall.run(10, "");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "nccl-gpu-unfinished");
    EXPECT_EQ(found->verdict.rank, 2);
    EXPECT_EQ(found->verdict.reason, "gpu");
    EXPECT_NE(evidence_of(found->verdict).find("1 of 4 channels done"), std::string::npos);
}

TEST(NcclWatch, TheProfilerNamesAnotherSize) {
    Stall stall(3);
    stall.nccl.set_sources({});
    for (int rank = 0; rank < 3; ++rank) {
        auto event = event_of(rank, 3, 42, 41);
        event.open.front().bytes = rank == 0 ? 2048 : 4096;
        static_cast<void>(stall.nccl.observe(stall.nccl_event(rank, event)));
    }
    stall.run(5, "");
    static_cast<void>(stall.verdict());
    stall.run(3, "");
    const auto found = stall.verdict();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(found->verdict.reason, "other-size");
    EXPECT_EQ(found->verdict.rank, 0);
}

TEST(CollectiveCause, ARankThatWaitsElsewhereIsNoCause) {
    CollectiveFinding victim;
    victim.group = "communicator 0x1";
    victim.ranks = {1};
    victim.entered = {0};
    victim.standing = true;
    CollectiveFinding cause = victim;
    cause.group = "communicator 0x2";
    cause.ranks = {2};
    cause.entered = {1};
    const auto sorted = by_cause({victim, cause});
    EXPECT_EQ(sorted.front().ranks, (std::vector<int>{2}));
}

TEST(RankDirectory, AProcessIsKnownByItsNumberAndItsHost) {
    const auto plan = plan_of(3);
    RankDirectory directory;
    directory.add_process("node1", 77, 0);
    directory.add_process("node2", 77, 1);
    directory.add_process("node3", 78, 2);
    RasRank rank;
    rank.rank = 0;
    rank.pid = 77;
    rank.host = "10.0.0.2";
    EXPECT_EQ(directory.rank_of(rank, 1, 2, plan), 1);
    rank.host = "192.168.0.1";
    EXPECT_EQ(directory.rank_of(rank, 1, 2, plan), -1) << "two nodes have such a process";
    EXPECT_EQ(directory.rank_of(rank, 1, 3, plan), 0) << "in the communicator of all, its number there";
    rank.pid = 78;
    EXPECT_EQ(directory.rank_of(rank, 1, 2, plan), 2);
    directory.add_member(1, 0, 1);
    EXPECT_EQ(directory.rank_of(rank, 1, 2, plan), 1) << "the profiler knows";
}

}  // namespace
}  // namespace rankscope
