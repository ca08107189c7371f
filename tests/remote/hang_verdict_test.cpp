// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/hang_verdict.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope {
namespace {

const std::string kOwnLine = "/home/u/train.py:41 in step";
const std::string kLibrary = "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py:1400 in ";

LaunchPlan plan_of(int world, int per_node = 1) {
    LaunchPlan plan;
    plan.backend = "gloo";
    plan.world_size = world;
    plan.master_port = 29500;
    plan.master_node = "node1";
    for (int rank = 0; rank < world; ++rank) {
        const std::string number = std::to_string(rank / per_node + 1);
        if (rank % per_node == 0) {
            NodePlan node;
            node.node = "node" + number;
            node.address = "10.0.0." + number;
            plan.nodes.push_back(node);
        }
        RankPlan one;
        one.rank = rank;
        one.node = "node" + number;
        plan.ranks.push_back(one);
    }
    return plan;
}

std::string address_of(int rank) {
    return "10.0.0." + std::to_string(rank + 1);
}

// The end of the connection between two ranks that the first of them has.
RankSocket between(int rank, int peer) {
    RankSocket socket;
    socket.state = "ESTABLISHED";
    socket.local_address = address_of(rank);
    socket.peer_address = address_of(peer);
    socket.local_port = rank < peer ? 40000 + 10 * rank + peer : 50000 + 10 * peer + rank;
    socket.peer_port = rank < peer ? 50000 + 10 * rank + peer : 40000 + 10 * peer + rank;
    socket.idle_s = 30;
    socket.inode = 100 * rank + peer;
    return socket;
}

/// A run whose ranks are looked at: what each does, until it is changed.
class Ranks {
public:
    explicit Ranks(int world, int per_node = 1) : plan(plan_of(world, per_node)) {
        for (int rank = 0; rank < world; ++rank) {
            RankSnapshot state;
            state.rank = rank;
            state.pid = 4000 + rank;
            state.elapsed_s = 1000;
            state.threads = {{.tid = state.pid, .name = "python", .state = "S"}};
            for (int peer = 0; peer < world; ++peer) {
                if (peer != rank) {
                    state.sockets.push_back(between(rank, peer));
                }
            }
            states.push_back(state);
            wait_in(rank, "all_reduce");
        }
        std::vector<double> idle(states.size(), 0);
        cpu = idle;
        bytes = idle;
    }

    RankSnapshot& operator[](int rank) { return states.at(static_cast<std::size_t>(rank)); }

    void wait_in(int rank, const std::string& function, const std::string& line = kOwnLine) {
        block(rank, "futex", {kLibrary + function, line});
    }

    void block(int rank, const std::string& call, const std::vector<std::string>& stack) {
        (*this)[rank].state = "S";
        (*this)[rank].system_call = call;
        (*this)[rank].python_stack = stack;
    }

    void busy(int rank, const std::vector<std::string>& stack) {
        (*this)[rank].state = "R";
        (*this)[rank].system_call.clear();
        (*this)[rank].python_stack = stack;
        cpu.at(static_cast<std::size_t>(rank)) = 1;
    }

    /// One look, so many seconds after the last.
    void look(double seconds) {
        now += seconds;
        for (std::size_t i = 0; i < states.size(); ++i) {
            states[i].elapsed_s += seconds;
            states[i].cpu_s += cpu[i] * seconds;
            states[i].read_bytes += static_cast<std::uint64_t>(bytes[i] * seconds);
            if (gone.count(plan.ranks[i].node) == 0) {
                looks.add(now, plan.ranks[i].node, {states[i]});
            }
        }
        for (const auto& node : gone) {
            looks.remove(node);
        }
    }

    HangView view(double stall) const {
        HangView view{looks.ranks(), plan};
        view.now = now;
        view.stall_s = stall;
        view.usual_s = 0.2;
        return view;
    }

    /// Looks as the watcher does, until there is a verdict, for at most so long. The stall begins now.
    std::optional<HangFinding> watch(double at_most) {
        const double begin = now;
        look(5);
        while (now - begin < at_most) {
            look(3);
            auto seen = view(now - begin);
            adjust(seen);
            if (auto found = find_hang(seen)) {
                took = now - begin;
                return found;
            }
        }
        return std::nullopt;
    }

    LaunchPlan plan;
    std::vector<RankSnapshot> states;
    std::vector<double> cpu;    ///< cores that it uses
    std::vector<double> bytes;  ///< that it reads per second
    std::set<std::string> gone;
    std::function<void(HangView&)> adjust = [](HangView&) {};
    RankLooks looks;
    double now = 100;
    double took = 0;
};

TEST(HangVerdict, AStoppedRankIsNamedAfterTwoLooks) {
    Ranks ranks(4);
    ranks[2].state = "T";
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    const auto& verdict = found->verdict;
    EXPECT_EQ(verdict.id.text(), "rank-stopped");
    EXPECT_EQ(verdict.phase, VerdictPhase::Live);
    EXPECT_EQ(verdict.rank, 2);
    EXPECT_EQ(verdict.node, "node3");
    EXPECT_EQ(verdict.reason, "stopped");
    EXPECT_EQ(verdict.waiting, (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(verdict.fixes,
              (std::vector<Fix>{{.node = "node3", .command = "kill -CONT 4002", .undo = "kill -STOP 4002"}}));
    EXPECT_LE(ranks.took, 10);
    EXPECT_NE(verdict.title.find("Rank 2 on node3"), std::string::npos) << verdict.title;
}

TEST(HangVerdict, ManyStoppedRanksAreOneVerdict) {
    Ranks ranks(4, 2);
    ranks[2].state = "T";
    ranks[3].state = "T";
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.rank, -1);
    EXPECT_EQ(found->verdict.ranks, (std::vector<int>{2, 3}));
    EXPECT_EQ(found->verdict.node, "node2");
    EXPECT_EQ(found->verdict.fixes.size(), 2U);
}

TEST(HangVerdict, ASleeperNeedsTime) {
    Ranks ranks(4);
    ranks.block(1, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    EXPECT_FALSE(ranks.watch(25));
    Ranks later(4);
    later.block(1, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    const auto found = later.watch(90);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-hang");
    EXPECT_EQ(found->verdict.reason, "sleeps");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_NE(found->verdict.title.find("train.py:12 in load"), std::string::npos);
    EXPECT_NE(found->verdict.title.find("other 3 ranks"), std::string::npos);
    EXPECT_LT(later.took, 45);
}

TEST(HangVerdict, WhatABlockedRankWaitsFor) {
    const std::vector<std::pair<std::string, std::string>> kinds = {{"futex", "waits-for-lock"},
                                                                    {"wait4", "waits-for-child"},
                                                                    {"poll", "waits-for-pipe"},
                                                                    {"flock", "waits-for-file-lock"}};
    for (const auto& [call, reason] : kinds) {
        Ranks ranks(3);
        ranks.block(0, call, {"/usr/lib/python3.11/threading.py:320 in wait", "/home/u/train.py:12 in load"});
        const auto found = ranks.watch(60);
        ASSERT_TRUE(found) << call;
        EXPECT_EQ(found->verdict.reason, reason);
        EXPECT_EQ(found->verdict.rank, 0);
        EXPECT_EQ(found->verdict.waiting, (std::vector<int>{1, 2}));
    }
}

TEST(HangVerdict, AFileServerThatDoesNotAnswerIsNamedSoon) {
    Ranks ranks(3);
    ranks.block(1, "read", {"/home/u/data.py:7 in read"});
    ranks[1].state = "D";
    ranks[1].wait_channel = "rpc_wait_bit_killable";
    ranks[1].blocked_file = "/data/x";
    ranks[1].blocked_file_system = "nfs4";
    ranks[1].blocked_source = "10.0.0.9:/data";
    ranks[1].blocked_pid = ranks[1].pid;
    auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.reason, "uses-file");
    EXPECT_LE(ranks.took, 15);
    EXPECT_NE(found->verdict.title.find("/data/x"), std::string::npos) << found->verdict.title;
    EXPECT_NE(found->verdict.title.find("file server 10.0.0.9 does not answer"), std::string::npos);

    Ranks slow(3);
    slow[1] = ranks[1];
    slow.bytes[1] = 1e6;
    EXPECT_FALSE(slow.watch(60)) << "it answers, slowly";

    Ranks local(3);
    local[1] = ranks[1];
    local[1].blocked_file_system = "ext4";
    local[1].blocked_source = "/dev/sda1";
    EXPECT_FALSE(local.watch(25)) << "fsync of a large file on a slow disk";
}

TEST(HangVerdict, ARankThatComputesWhileTheOthersWaitIsNoHang) {
    Ranks ranks(4);
    ranks.busy(0, {"/usr/lib/python3/dist-packages/torch/nn/functional.py:12 in linear",
                   "/home/u/train.py:90 in evaluate"});
    EXPECT_FALSE(ranks.watch(200)) << "validation on rank 0";
    Ranks saving(4);
    saving.block(
        0, "write",
        {"/usr/lib/python3/dist-packages/torch/serialization.py:423 in save", "/home/u/train.py:95 in save"});
    saving.bytes[0] = 5e6;
    EXPECT_FALSE(saving.watch(200)) << "a checkpoint";
}

// As doctor looks: a few seconds, at a run that the user takes for hung.
TEST(HangVerdict, ABriefLookNamesARankThatSleepsButNoneThatComputes) {
    const auto brief = [](HangView& view) {
        view.brief = true;
        view.hang_after_s = 1;
        view.trains = false;
    };
    Ranks asleep(4);
    asleep.adjust = brief;
    asleep.block(1, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    const auto found = asleep.watch(10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-hang");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_NE(found->verdict.title.find(", for at least "), std::string::npos) << found->verdict.title;

    Ranks computes(4);
    computes.adjust = brief;
    computes.busy(0, {"/usr/lib/python3/dist-packages/torch/nn/functional.py:12 in linear",
                      "/home/u/train.py:90 in evaluate"});
    EXPECT_FALSE(computes.watch(10)) << "validation on rank 0";
    computes.block(1, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    EXPECT_FALSE(computes.watch(10)) << "rank 1 may wait for rank 0, rightly";
}

TEST(HangVerdict, AnEndlessLoopIsOne) {
    Ranks ranks(3);
    ranks.busy(1, {"/home/u/train.py:20 in spin", "/home/u/train.py:41 in step"});
    const auto found = ranks.watch(120);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.reason, "spins-on-cpu");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_GT(ranks.took, 40);
}

TEST(HangVerdict, LongPhasesGetMoreTime) {
    Ranks ranks(3);
    ranks.block(0, "futex", {"/usr/lib/python3.11/threading.py:320 in wait", "/home/u/train.py:12 in load"});
    ranks.adjust = [](HangView& view) { view.long_phase = true; };
    EXPECT_FALSE(ranks.watch(80)) << "before the first step, or data";
    Ranks named(3);
    named.block(0, "clock_nanosleep", {"/home/u/train.py:12 in run_validation"});
    EXPECT_FALSE(named.watch(80)) << "its function says what it does";
    Ranks usual(3);
    usual.block(0, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    usual.adjust = [](HangView& view) { view.usual_s = 40; };
    EXPECT_FALSE(usual.watch(110)) << "its steps take 40 s";
    Ranks asked(3);
    asked.block(0, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    asked.adjust = [](HangView& view) { view.hang_after_s = 7; };
    EXPECT_TRUE(asked.watch(12)) << "the job says when";
}

TEST(HangVerdict, ARankWhoseOutputContinuesDoesNotHang) {
    Ranks ranks(3);
    ranks.block(1, "clock_nanosleep", {"/home/u/train.py:12 in poll"});
    ranks.adjust = [](HangView& view) { view.writing = {1}; };
    EXPECT_FALSE(ranks.watch(100));
}

TEST(HangVerdict, AllDoTheSame) {
    Ranks sleeping(3);
    for (int rank = 0; rank < 3; ++rank) {
        sleeping.block(rank, "clock_nanosleep", {"/home/u/serve.py:3 in main"});
    }
    EXPECT_FALSE(sleeping.watch(300)) << "no rank waits for another";
    Ranks one(1);
    one.block(0, "clock_nanosleep", {"/home/u/serve.py:3 in main"});
    one.adjust = [](HangView& view) { view.trains = false; };
    EXPECT_FALSE(one.watch(300));
}

TEST(HangVerdict, TheOddOneOfACrowd) {
    Ranks ranks(4);
    for (int rank = 0; rank < 4; ++rank) {
        ranks.block(rank, "futex",
                    {"/opt/venv/lib/python3.11/site-packages/mylib/comm.py:9 in sync",
                     "/home/u/train.py:70 in step"});
    }
    ranks.block(2, "clock_nanosleep", {"/home/u/train.py:12 in load"});
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.rank, 2);
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 1, 3}));
}

TEST(HangVerdict, DifferentCollectives) {
    Ranks ranks(4);
    ranks.wait_in(3, "barrier", "/home/u/train.py:55 in finish");
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(found->verdict.rank, 3);
    EXPECT_EQ(found->verdict.node, "node4");
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 1, 2}));
    EXPECT_NE(found->verdict.title.find("barrier at /home/u/train.py:55 in finish"), std::string::npos)
        << found->verdict.title;
    EXPECT_NE(found->verdict.title.find("all_reduce at /home/u/train.py:41 in step"), std::string::npos);

    Ranks two(2);
    two.wait_in(1, "barrier", "/home/u/train.py:55 in finish");
    const auto tie = two.watch(60);
    ASSERT_TRUE(tie);
    EXPECT_EQ(tie->verdict.id.text(), "collective-mismatch");
    EXPECT_EQ(tie->verdict.rank, -1) << "either may be wrong";
}

TEST(HangVerdict, TheSameCollectiveEverywhereHasNoCause) {
    Ranks ranks(3);
    const auto found = ranks.watch(200);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "watchdog-timeout");
    EXPECT_LE(found->verdict.confidence, 0.5);
    EXPECT_GT(ranks.took, 60);
}

TEST(HangVerdict, ARankThatHasEnded) {
    Ranks ranks(3);
    ranks[1] = RankSnapshot{.rank = 1};
    ranks.adjust = [](HangView& view) { view.finished = {1}; };
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-exit-early");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_EQ(found->verdict.node, "node2");
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 2}));
    Ranks last(3);
    last[1] = RankSnapshot{.rank = 1};
    last.busy(0, {"/home/u/train.py:95 in export"});
    last.adjust = [](HangView& view) { view.finished = {1}; };
    EXPECT_FALSE(last.watch(60)) << "rank 0 writes the model at the end";
}

void cut(RankSnapshot& state, const std::string& address) {
    for (auto& socket : state.sockets) {
        if (socket.peer_address == address) {
            socket.unsent = 4096;
            socket.retransmits = 6;
            socket.answer_idle_s = 8;
        }
    }
}

TEST(HangVerdict, AHostThatAcknowledgesNothing) {
    Ranks ranks(4);
    for (int rank : {0, 2, 3}) {
        cut(ranks[rank], address_of(1));
    }
    auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "partition-midrun");
    EXPECT_EQ(found->verdict.node, "node2");
    EXPECT_EQ(found->verdict.nodes.front(), "node2");
    EXPECT_EQ(found->verdict.pairs,
              (std::vector<NodePair>{{"node1", "node2"}, {"node3", "node2"}, {"node4", "node2"}}));
    EXPECT_EQ(found->verdict.reason, "data-unanswered");
    EXPECT_EQ(found->paths.size(), 3U);
    EXPECT_EQ(found->paths.front().to_rank, 1);
    EXPECT_LE(ranks.took, 10);

    ranks.adjust = [](HangView& view) { view.silent_nodes = {{"node2", 8.0}}; };
    found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "node-lost");

    // Two nodes: the one whose agent is silent is cut off, whoever reports it.
    Ranks two(2);
    cut(two[0], address_of(1));
    two.gone = {"node2"};
    two.adjust = [](HangView& view) { view.silent_nodes = {{"node2", 8.0}}; };
    found = two.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.node, "node2");
    EXPECT_EQ(found->verdict.id.text(), "node-lost");

    Ranks lossy(4);
    for (auto& socket : lossy[0].sockets) {
        socket.unsent = 100;
        socket.retransmits = 1;
        socket.answer_idle_s = 0.2;
    }
    EXPECT_FALSE(lossy.watch(60)) << "a lost packet is sent again";
}

TEST(HangVerdict, APortThatDoesNotAnswer) {
    Ranks ranks(3);
    ranks[2].sockets[0].state = "SYN_SENT";
    ranks[2].sockets[0].retransmits = 3;
    ranks[2].sockets[0].peer_port = 43217;
    auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "gloo-ports-blocked");
    EXPECT_EQ(found->verdict.pairs, (std::vector<NodePair>{{"node3", "node1"}}));
    EXPECT_NE(found->verdict.title.find("Rank 2 on node3 cannot reach node1 port 43217"), std::string::npos)
        << found->verdict.title;
    EXPECT_EQ(found->paths.front().port, 43217);
    ranks[2].sockets[0].peer_port = 29500;
    EXPECT_EQ(ranks.watch(60)->verdict.id.text(), "master-port-dropped");
    EXPECT_EQ(ranks.watch(60)->verdict.node, "node1");
    ranks[1].sockets[0].peer_port = 29500;
    EXPECT_EQ(ranks.watch(60)->verdict.node, "") << "another node reaches it: the sender may be at fault";
}

TEST(HangVerdict, ARendezvousPortThatItsOwnNodeDoesNotReach) {
    Ranks ranks(3);
    auto block = [&ranks](int rank) {
        auto& socket = ranks[rank].sockets[0];
        socket.state = "SYN_SENT";
        socket.retransmits = 3;
        socket.peer_address = address_of(0);
        socket.peer_port = 29500;
    };
    block(0);
    auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "master-port-dropped");
    EXPECT_EQ(found->verdict.node, "node1");
    EXPECT_EQ(found->verdict.nodes, std::vector<std::string>{"node1"});
    block(1);
    block(2);
    EXPECT_EQ(ranks.watch(60)->verdict.node, "node1");
}

TEST(HangVerdict, ANodeThatDoesNotAnswer) {
    Ranks ranks(3);
    ranks.gone = {"node2"};
    ranks.adjust = [](HangView& view) { view.silent_nodes = {{"node2", 9.0}}; };
    const auto found = ranks.watch(60);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "node-lost");
    EXPECT_EQ(found->verdict.node, "node2");
    EXPECT_EQ(found->verdict.ranks, (std::vector<int>{1}));
    EXPECT_EQ(found->verdict.waiting, (std::vector<int>{0, 2}));
}

TEST(HangVerdict, ThrottledByItsGroup) {
    Ranks ranks(3);
    ranks.busy(1, {kOwnLine});
    ranks.cpu[1] = 0.05;
    ranks[1].cpu_limit = 0.05;
    ranks[1].throttled_by = "/slurm/job_7";
    const double begin = ranks.now;
    std::optional<HangFinding> found;
    for (int i = 0; i < 10 && !found; ++i) {
        ranks[1].throttled_s += 2.8;
        ranks.look(3);
        found = find_hang(ranks.view(ranks.now - begin));
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.reason, "throttled");
    EXPECT_EQ(found->verdict.rank, 1);
    EXPECT_NE(found->verdict.title.find("/slurm/job_7"), std::string::npos);
}

TEST(HangVerdict, WithoutStepsTheRanksDataIsTheSign) {
    Ranks ranks(3);
    ranks.block(1, "clock_nanosleep", {"/home/u/train.py:12 in step"});
    ranks.adjust = [](HangView& view) { view.trains = false; };
    for (auto& state : ranks.states) {
        for (auto& socket : state.sockets) {
            socket.idle_s = 0.5;
        }
    }
    EXPECT_FALSE(ranks.watch(200)) << "it sleeps in every step";
    for (auto& state : ranks.states) {
        for (auto& socket : state.sockets) {
            socket.idle_s = 100;
        }
    }
    EXPECT_TRUE(ranks.watch(60));
}

TEST(HangVerdict, Sentences) {
    EXPECT_EQ(list_ranks({3}), "3");
    EXPECT_EQ(list_ranks({0, 1}), "0 and 1");
    EXPECT_EQ(list_ranks({0, 1, 2, 3, 5}), "0–3 and 5");
    EXPECT_EQ(list_ranks({0, 2, 4}), "0, 2 and 4");
}

TEST(HangVerdict, SocketsShowWhoWaitsForWhom) {
    Ranks ranks(3);
    ranks.block(0, "recvfrom", {});
    ranks[0].blocked_socket = between(0, 2).inode;
    ranks.look(3);
    ranks.look(3);
    const auto waits = find_waits(ranks.looks.ranks(), ranks.plan);
    EXPECT_EQ(waits.waits_for.at(0), (std::set<int>{2}));
    EXPECT_EQ(waits.waiting, (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace rankscope
