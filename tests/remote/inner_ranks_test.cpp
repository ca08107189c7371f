// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Ranks that the program of a rank starts itself: found, followed and told apart, by the real agent.

#include "support/agent_fixture.h"
#include "support/run_program.h"
#include "support/wait_until.h"

#include <remote/agent/inner/inner_tree.h>
#include <remote/agent/inner/line_speaker.h>
#include <remote/agent/inner/mpi_alone.h>
#include <remote/agent/ranks/inner_list.h>
#include <remote/agent/ranks/rank_identity.h>
#include <remote/agent/ranks/stack_hook.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using agent::identity_beyond;
using agent::inner_ranks_in;
using agent::RankIdentity;
using agent::TreeProcess;
using test::write_text;

std::string environment(const std::vector<std::string>& entries) {
    std::string text;
    for (const auto& entry : entries) {
        text += entry;
        text += '\0';
    }
    return text;
}

const std::string kOuter = environment({"PATH=/bin", "RANK=0", "WORLD_SIZE=1", "LOCAL_RANK=0"});

TEST(RankIdentity, ComesFromWhatALauncherHasSet) {
    const auto of = [](const std::vector<std::string>& entries, int nodes = 1) {
        return identity_beyond(environment(entries), kOuter, nodes);
    };
    EXPECT_EQ(of({"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1"}), (RankIdentity{1, 2, 1}));
    EXPECT_EQ(of({"RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=0"}), (RankIdentity{0, 2, 0}));
    EXPECT_EQ(of({"RANK=0", "WORLD_SIZE=1", "LOCAL_RANK=0", "OMPI_COMM_WORLD_RANK=3",
                  "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=1"}),
              (RankIdentity{3, 4, 1}));
    EXPECT_EQ(of({"PMI_RANK=2", "PMI_SIZE=4", "RANK=0", "WORLD_SIZE=1", "LOCAL_RANK=0"}),
              (RankIdentity{2, 4, -1}));
    EXPECT_EQ(of({"LOCAL_RANK=1", "WORLD_SIZE=4", "NODE_RANK=1"}, 2), (RankIdentity{3, 4, 1})) << "Lightning";
    EXPECT_EQ(of({"RANK=0", "WORLD_SIZE=1", "LOCAL_RANK=0"}), std::nullopt) << "inherited";
    EXPECT_EQ(of({"RANK=5", "WORLD_SIZE=2"}), std::nullopt);
    EXPECT_EQ(of({"RANK=x", "WORLD_SIZE=2"}), std::nullopt);
    EXPECT_EQ(of({"RANK=1"}), std::nullopt);
    EXPECT_EQ(of({}), std::nullopt);
}

std::map<pid_t, int> ranks_of(const std::vector<TreeProcess>& tree, int world_size = 1,
                              const std::vector<int>& known = {}) {
    std::map<pid_t, int> ranks;
    for (const auto& found : inner_ranks_in(tree, world_size, 1, known)) {
        ranks[found.pid] = found.identity.rank;
    }
    return ranks;
}

TEST(InnerTree, HelpersAreNoRanks) {
    const auto first = environment({"RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=0"});
    const auto second = environment({"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1"});
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""},
                        {11, 10, kOuter, ""},
                        {12, 11, first, ""},
                        {13, 11, second, ""},
                        {14, 12, first, ""},
                        {15, 13, second + environment({"TORCHINDUCTOR_CACHE_DIR=/x"}), ""}}),
              (std::map<pid_t, int>{{12, 0}, {13, 1}}));
}

TEST(InnerTree, AWrapperAndItsProgramAreOneRank) {
    const auto first = environment({"RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=0"});
    const auto second = environment({"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1"});
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""},
                        {11, 10, first, ""},
                        {12, 10, second, ""},
                        {13, 11, first, "torch 0 2"},
                        {14, 12, second, "torch 1 2"}}),
              (std::map<pid_t, int>{{11, 0}, {12, 1}}));
}

TEST(InnerTree, WhatAProcessTellsCountsMore) {
    // The program has set the world's size for all that it spawns: each of them would be rank 0.
    const auto both = environment({"RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=0"});
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""}, {11, 10, both, ""}, {12, 10, both, ""}}),
              (std::map<pid_t, int>{}));
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""}, {11, 10, both, "torch 0 2"}, {12, 10, both, "torch 1 2"}}),
              (std::map<pid_t, int>{{11, 0}, {12, 1}}));
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""},
                        {11, 10, kOuter, "set RANK=0;WORLD_SIZE=2;LOCAL_RANK"},
                        {12, 10, kOuter, "set RANK=1;WORLD_SIZE=2;LOCAL_RANK"}}),
              (std::map<pid_t, int>{{11, 0}, {12, 1}}));
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""}, {11, 10, kOuter, "torch 2 2"}, {12, 10, kOuter, "torch"}}),
              (std::map<pid_t, int>{}));
}

TEST(InnerTree, ALauncherThatSetsVariablesBeforeItForksIsNoRank) {
    EXPECT_EQ(ranks_of({{10, 1, kOuter, "set RANK=1;WORLD_SIZE=2;LOCAL_RANK=1"},
                        {11, 10, kOuter, "torch 0 2"},
                        {12, 10, kOuter, "torch 1 2"}}),
              (std::map<pid_t, int>{{11, 0}, {12, 1}}));
}

TEST(InnerTree, ALauncherMayBeRankZero) {
    const auto child = environment({"LOCAL_RANK=1", "WORLD_SIZE=2", "NODE_RANK=0"});
    const std::vector<TreeProcess> tree{{10, 1, environment({"PATH=/bin"}), ""}, {11, 10, child, ""}};
    EXPECT_EQ(ranks_of(tree), (std::map<pid_t, int>{{10, 0}, {11, 1}}));
    EXPECT_EQ(ranks_of(tree, 1, {0, 1}), (std::map<pid_t, int>{{11, 1}})) << "rank 0 has ended";
}

TEST(InnerTree, AGroupWithinTheRunsIsItsOwnAffair) {
    const auto child = environment({"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1"});
    EXPECT_EQ(ranks_of({{10, 1, kOuter, ""}, {11, 10, child, ""}}, 2), (std::map<pid_t, int>{}));
}

TEST(MpiAlone, IsARankThatMpirunsVariablesTellOfOthers) {
    EXPECT_TRUE(agent::maps_mpi("7f00-7f01 r-xp 0 fe:00 1  /usr/lib/libmpi.so.40.30.4\n"));
    EXPECT_TRUE(agent::maps_mpi("7f00-7f01 r-xp 0 fe:00 1  /opt/lib/libmpich.so.12\n"));
    EXPECT_FALSE(agent::maps_mpi("7f00-7f01 r-xp 0 fe:00 1  /usr/lib/libmpfr.so.6\n"));
    wire::RankSpec rank;
    EXPECT_FALSE(agent::is_alone_in_mpi(rank, {{::getpid(), 1, kOuter, ""}}));
    (*rank.mutable_env())["OMPI_COMM_WORLD_SIZE"] = "2";
    EXPECT_FALSE(agent::is_alone_in_mpi(rank, {{::getpid(), 1, kOuter, ""}})) << "no library of MPI here";
}

TEST(LineSpeaker, ALineSaysWhoseItIs) {
    const auto rank = [](const char* line) { return agent::speaker_of(line).rank; };
    for (const char* line :
         {"[rank1]: Traceback (most recent call last):\n", "[rank: 1] Seed set to 42", "Rank 1: epoch 2",
          "rank=1 step 5 loss 0.3", "[2026-11-27 07:11:55,123] [INFO] [Rank 1] step 5", "(rank 1) hello\n",
          "[rank1]:[W1127 07:11:55.123456789 ProcessGroupGloo.cpp:760] Warning",
          "[init] rank 1 of 2 on node1", "RANK 1 | loss 2", "rank_1: done", "[train][rank 1/2] hello"}) {
        EXPECT_EQ(rank(line), 1) << line;
    }
    for (const char* line :
         {"step 5 loss 0.3", "the rank 1 matrix", "ranking 1", "rank1234x: y", "[rank", "",
          "  rank      : 1 (local_rank: 1)", "[", "[]]", "rank 99999999999: x", "rank", "waits for rank 1"}) {
        EXPECT_EQ(rank(line), -1) << line;
    }
    EXPECT_EQ(agent::speaker_of("[default3]:step 5"), (agent::LineSpeaker{-1, 3, 0}));
    EXPECT_EQ(agent::speaker_of("node-1:4711:4730 [1] NCCL INFO comm 0x55 rank 1 nranks 2"),
              (agent::LineSpeaker{-1, -1, 4711}));
    EXPECT_EQ(agent::speaker_of("10.0.0.1:8080 [x] NCCL WARN"), agent::LineSpeaker());
}

class InnerRanks : public test::AgentFixture {
protected:
    /// A Python program as the only rank of a run.
    wire::StartRun begin(const std::string& program, const std::map<std::string, std::string>& variables = {},
                         const std::vector<std::string>& command = {"python3", "train.py"}) {
        write_text(folder_ / "train.py", program);
        auto run = run_of({""});
        run.mutable_own()->set_read_lines(true);
        auto* rank = run.mutable_ranks(0);
        rank->clear_argv();
        for (const auto& word : command) {
            rank->add_argv(word);
        }
        for (const auto& [name, value] : std::map<std::string, std::string>{
                 {"RANK", "0"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"}}) {
            (*rank->mutable_env())[name] = value;
        }
        for (const auto& [name, value] : variables) {
            (*rank->mutable_env())[name] = value;
        }
        start_and_attach(run);
        return run;
    }
    std::map<int, wire::InnerRank> found() const {
        std::map<int, wire::InnerRank> ranks;
        for (const auto& event : client_->events()) {
            if (event.has_inner_rank()) {
                ranks[event.rank()] = event.inner_rank();
            }
        }
        return ranks;
    }
    bool wait_for_ranks(std::size_t count) {
        return client_->wait_for([&] { return found().size() >= count; });
    }
    std::vector<std::string> notices_of(int rank) const {
        std::vector<std::string> ids;
        for (const auto& event : client_->events()) {
            if (event.has_notice() && event.rank() == rank) {
                ids.push_back(event.notice().id());
            }
        }
        return ids;
    }
    bool has_notice(int rank, const std::string& id) const {
        const auto ids = notices_of(rank);
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    }
    bool shares(int rank) const {
        const auto& events = client_->events();
        return std::any_of(events.begin(), events.end(), [&](const wire::Event& event) {
            return event.rank() == rank && event.has_log() && event.log().shared();
        });
    }
    void end_all(const wire::StartRun& run) {
        stop(run);
        ASSERT_TRUE(client_->wait_for_end()) << history();
    }
};

// A launcher as torchrun is one: it sets variables for what it starts, waits, and ends all when one fails.
const std::string kLauncher = R"py(
import os, subprocess, sys, time
ranks = [subprocess.Popen([sys.executable, "-c", sys.argv[1] if len(sys.argv) > 1 else WORK],
                          env=dict(os.environ, RANK=str(i), LOCAL_RANK=str(i), WORLD_SIZE="2")) for i in range(2)]
while all(rank.poll() is None for rank in ranks):
    time.sleep(0.1)
failed = [rank for rank in ranks if rank.poll()]
if failed:
    for rank in ranks:
        rank.terminate()
    print("a rank has failed", file=sys.stderr)
sys.exit(1 if failed or any(rank.wait() for rank in ranks) else 0)
)py";

std::string launcher_of(const std::string& work) {
    return "WORK = '''" + work + "'''\n" + kLauncher;
}

const std::string kTrains = R"py(
import os, time
rank = int(os.environ["RANK"])
print("hello of", rank, flush=True)
for step in range(1, 1000):
    print(f"step {step} loss {rank + 1 / step:.4f}", flush=True)
    time.sleep(0.05)
)py";

TEST_F(InnerRanks, OfALauncherHaveTheirOwnOutputAndCurve) {
    const auto run = begin(launcher_of(kTrains));
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    ASSERT_TRUE(client_->wait_for([&] { return metrics_of(0).size() > 5 && metrics_of(1).size() > 5; }))
        << history();
    const auto ranks = found();
    for (const int rank : {0, 1}) {
        const auto& inner = ranks.at(rank);
        EXPECT_EQ(inner.outer_rank(), 0);
        EXPECT_EQ(inner.local_rank(), rank);
        EXPECT_EQ(inner.world_size(), 2);
        EXPECT_EQ(inner.source(), wire::INNER_ENVIRONMENT);
        const auto metrics = metrics_of(rank);
        ASSERT_EQ(metrics.back().keys(0), "loss");
        EXPECT_EQ(static_cast<int>(metrics.back().values(0)), rank);
        EXPECT_EQ(log_of(rank).find("hello of " + std::to_string(1 - rank)), std::string::npos)
            << log_of(rank);
    }
    EXPECT_NE(ranks.at(0).pid(), ranks.at(1).pid());
    const auto list = agent::read_inner_list(dir_of(run), 0);
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list.front().pid, ranks.at(list.front().rank).pid());
    end_all(run);
}

TEST_F(InnerRanks, EachHasItsOwnStack) {
    const auto run = begin(launcher_of(R"py(
import os, time
def first():
    time.sleep(1000)
def second():
    time.sleep(1000)
print("ready", flush=True)
second() if os.environ["RANK"] == "1" else first()
)py"));
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    ASSERT_TRUE(client_->wait_for([&] {
        return log_of(1).find("ready") != std::string::npos && log_of(0).find("ready") != std::string::npos;
    }));
    wire::Request request;
    request.mutable_inspect_ranks()->set_run_id(run.run_id());
    request.mutable_inspect_ranks()->set_stacks(true);
    std::map<int, wire::RankInspection> seen;
    EXPECT_TRUE(test::wait_until([&] {
        seen.clear();
        const auto reply = client_->call(request);
        for (const auto& rank : reply.rank_states().ranks()) {
            seen[rank.rank()] = rank;
        }
        const auto stands_in = [](const wire::RankInspection& rank, const std::string& function) {
            return rank.python_stack_size() > 0 && rank.python_stack(0).find(function) != std::string::npos;
        };
        return seen.size() == 2 && stands_in(seen[0], "in first") && stands_in(seen[1], "in second");
    }));
    EXPECT_EQ(seen[0].pid(), found().at(0).pid());
    EXPECT_EQ(seen[1].pid(), found().at(1).pid());
    end_all(run);
}

TEST_F(InnerRanks, AKilledOneIsNamedAtOnce) {
    const auto run = begin(launcher_of(kTrains));
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    const pid_t victim = static_cast<pid_t>(found().at(1).pid());
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    const auto exit = exit_of(1);
    EXPECT_EQ(exit.signal(), SIGKILL);
    EXPECT_EQ(exit.pid(), victim);
    EXPECT_TRUE(exit.inner());
    EXPECT_FALSE(exit.requested());
    EXPECT_FALSE(exit.status_unknown());
    EXPECT_EQ(exit.outer_rank(), 0);
    const auto program = exits_of(0).back();
    EXPECT_TRUE(program.program());
    EXPECT_EQ(program.code(), 1);
    EXPECT_EQ(end().cause().rank(), 1);
    EXPECT_EQ(end().cause().exit().signal(), SIGKILL);
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(InnerRanks, AnExceptionOfOneIsItsOwn) {
    begin(
        launcher_of("import os, time\nif os.environ['RANK'] == '1':\n    time.sleep(2)\n"
                    "    raise ValueError('bad label')\ntime.sleep(1000)\n"));
    ASSERT_TRUE(client_->wait_for_end()) << history();
    const auto exit = exit_of(1);
    EXPECT_EQ(exit.code(), 1);
    ASSERT_GT(exit.traceback_size(), 0) << history();
    EXPECT_EQ(exit.traceback(exit.traceback_size() - 1), "ValueError: bad label");
    EXPECT_EQ(end().cause().rank(), 1);
}

TEST_F(InnerRanks, AStoppedOneIsReportedAndContinues) {
    const auto run = begin(launcher_of(kTrains));
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    const pid_t victim = static_cast<pid_t>(found().at(1).pid());
    ::kill(victim, SIGSTOP);
    EXPECT_TRUE(client_->wait_for([&] { return has_notice(1, "rank-stopped"); })) << history();
    EXPECT_FALSE(has_notice(0, "rank-stopped"));
    ::kill(victim, SIGCONT);
    EXPECT_TRUE(client_->wait_for([&] { return has_notice(1, "rank-continued"); })) << history();
    end_all(run);
}

// As torch.multiprocessing.spawn: nothing in their environment tells them apart when they begin.
TEST_F(InnerRanks, ThatAreSpawnedTellWhichTheyAre) {
    const auto run = begin(R"py(
import multiprocessing, os, time
def work(rank):
    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = "2"
    print("hello of", rank, flush=True)
    for step in range(1, 1000):
        print(f"step {step} loss {rank + 1 / step:.4f}", flush=True)
        time.sleep(0.05)
if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    ranks = [spawn.Process(target=work, args=(i,)) for i in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
)py");
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    EXPECT_EQ(found().at(1).source(), wire::INNER_VARIABLES_SET);
    EXPECT_TRUE(client_->wait_for([&] { return log_of(1).find("hello of 1") != std::string::npos; }))
        << history();
    EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find("hello of 0") != std::string::npos; }))
        << history();
    const auto before = metrics_of(1).size();
    ASSERT_TRUE(client_->wait_for([&] { return metrics_of(1).size() > before + 3; })) << history();
    EXPECT_EQ(static_cast<int>(metrics_of(1).back().values(0)), 1);
    EXPECT_EQ(static_cast<int>(metrics_of(0).back().values(0)), 0);
    end_all(run);
}

TEST_F(InnerRanks, ThatAreForkedTellWhichTheyAre) {
    begin(R"py(
import multiprocessing, multiprocessing.pool, os, time
def work(rank):
    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = "2"
    print("hello of", rank, flush=True)
    for step in range(1, 1000):
        print(f"step {step} loss {rank + 1 / step:.4f}", flush=True)
        time.sleep(0.05)
fork = multiprocessing.get_context("fork")
ranks = [fork.Process(target=work, args=(1,))]
ranks[0].start()
if os.fork() == 0:
    work(0)
    os._exit(0)
workers = multiprocessing.pool.Pool(2, context=fork)
print("pool", workers.map(len, ["ab"]), flush=True)
ranks[0].join()
)py");
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    EXPECT_EQ(found().at(1).source(), wire::INNER_VARIABLES_SET);
    EXPECT_TRUE(client_->wait_for([&] { return log_of(1).find("hello of 1") != std::string::npos; }))
        << history();
    EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find("hello of 0") != std::string::npos; }))
        << history();
    const auto before = metrics_of(1).size();
    ASSERT_TRUE(client_->wait_for([&] { return metrics_of(1).size() > before + 3; })) << history();
    EXPECT_EQ(static_cast<int>(metrics_of(1).back().values(0)), 1);
    EXPECT_EQ(static_cast<int>(metrics_of(0).back().values(0)), 0);
    EXPECT_FALSE(shares(1));
    ::kill(static_cast<pid_t>(found().at(1).pid()), SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(1).signal(), SIGKILL);
}

TEST_F(InnerRanks, WorkersAndToolsAreNone) {
    const auto run = begin(R"py(
import multiprocessing, os, subprocess, sys, time
def work():
    time.sleep(1000)
if __name__ == "__main__":
    spawn, fork = multiprocessing.get_context("spawn"), multiprocessing.get_context("fork")
    for context in (spawn, fork):
        context.Process(target=work, daemon=True).start()
    tool = subprocess.Popen([sys.executable, "-c", "import time; print('tool', flush=True); time.sleep(1000)"])
    time.sleep(3)
    print("ready", flush=True)
    time.sleep(1000)
)py");
    ASSERT_TRUE(client_->wait_for([&] { return log_of(0).find("ready") != std::string::npos; })) << history();
    EXPECT_TRUE(found().empty()) << history();
    EXPECT_NE(log_of(0).find("tool"), std::string::npos);
    EXPECT_FALSE(shares(0));
    end_all(run);
}

// As Lightning: the program is rank 0 and starts the others.
TEST_F(InnerRanks, TheProgramMayBeOneItself) {
    const auto run = begin(R"py(
import os, subprocess, sys, time
if "LOCAL_RANK" not in os.environ or os.environ["LOCAL_RANK"] == "0":
    subprocess.Popen([sys.executable, "-c", "import time; print('child', flush=True); time.sleep(1000)"],
                     env=dict(os.environ, LOCAL_RANK="1", RANK="1", WORLD_SIZE="2"))
print("parent", flush=True)
time.sleep(1000)
)py");
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    EXPECT_EQ(found().at(0).source(), wire::INNER_PARENT);
    ASSERT_TRUE(client_->wait_for([&] {
        return log_of(1).find("child") != std::string::npos || log_of(0).find("child") != std::string::npos;
    }));
    EXPECT_FALSE(shares(0));
    ::kill(static_cast<pid_t>(found().at(0).pid()), SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_FALSE(exit_of(0).program());
    EXPECT_EQ(end().cause().rank(), 0);
}

// As mpirun: no program of Python, with a pipe of its own for each.
TEST_F(InnerRanks, OfMpirunHaveTheirOwnOutput) {
    const auto run = begin(R"py(
import os, time
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
for step in range(1, 1000):
    print(f"step {step} loss {rank + 1 / step:.4f}", flush=True)
    time.sleep(0.05)
)py",
                           {},
                           {"sh", "-c",
                            "for i in 0 1; do OMPI_COMM_WORLD_RANK=$i OMPI_COMM_WORLD_LOCAL_RANK=$i "
                            "OMPI_COMM_WORLD_SIZE=2 python3 train.py 2>&1 | cat & done; wait"});
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    ASSERT_TRUE(client_->wait_for([&] { return metrics_of(0).size() > 5 && metrics_of(1).size() > 5; }))
        << history();
    EXPECT_EQ(static_cast<int>(metrics_of(1).back().values(0)), 1);
    EXPECT_EQ(static_cast<int>(metrics_of(0).back().values(0)), 0);
    end_all(run);
}

// Programs of any kind, and Python's without the hook: what comes through one pipe is marked.
TEST_F(InnerRanks, WithoutTheHookShareTheirOutput) {
    const auto run = begin(launcher_of(kTrains), {{agent::kStacksVariable, "0"}});
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    EXPECT_TRUE(client_->wait_for([&] { return shares(0); })) << history();
    ::kill(static_cast<pid_t>(found().at(1).pid()), SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(1).signal(), SIGKILL);
    EXPECT_EQ(end().cause().rank(), 1);
}

TEST_F(InnerRanks, WithoutTheHookAreToldApartByWhatTheySay) {
    const auto run = begin(launcher_of(R"py(
import os, time
rank = int(os.environ["RANK"])
for step in range(1, 1000):
    line = f"[rank{rank}]: step {step} loss {rank + 1 / step:.4f}"
    os.write(1, line.encode() + bytes([10]))  # whole: print() makes two writes
    time.sleep(0.05)
)py"),
                           {{agent::kStacksVariable, "0"}});
    ASSERT_TRUE(wait_for_ranks(2)) << history();
    ASSERT_TRUE(client_->wait_for([&] { return log_of(1).find("[rank1]: step") != std::string::npos; }))
        << history();
    const auto before = metrics_of(1).size();
    ASSERT_TRUE(client_->wait_for([&] { return metrics_of(1).size() > before + 3; })) << history();
    EXPECT_EQ(static_cast<int>(metrics_of(1).back().values(0)), 1);
    EXPECT_EQ(log_of(1).find("[rank0]"), std::string::npos);
    end_all(run);
}

/// Programs with PyTorch. RANKSCOPE_TORCH_PYTHON names a Python that has it.
class InnerRanksOfTorch : public InnerRanks {
protected:
    void SetUp() override {
        const char* named = std::getenv("RANKSCOPE_TORCH_PYTHON");
        python_ = named != nullptr ? named : "/usr/bin/python3";
        if (test::run_program({python_, "-c", "import torch; assert torch.distributed.is_gloo_available()"})
                .status != 0) {
            GTEST_SKIP() << python_ << " has no torch with Gloo";
        }
    }
    /// Both ranks train; rank 1 is killed, and named.
    void expect_two_ranks(const wire::StartRun& run) {
        ASSERT_TRUE(
            client_->wait_for([&] { return metrics_of(0).size() > 3 && metrics_of(1).size() > 3; }, 300))
            << history();
        for (const int rank : {0, 1}) {
            EXPECT_EQ(static_cast<int>(metrics_of(rank).back().values(0)) / 10, rank);
            EXPECT_EQ(found().at(rank).world_size(), 2);
        }
        ASSERT_EQ(::kill(static_cast<pid_t>(found().at(1).pid()), SIGKILL), 0);
        ASSERT_TRUE(client_->wait_for_end()) << history();
        EXPECT_EQ(exit_of(1).signal(), SIGKILL) << history();
        EXPECT_EQ(end().cause().rank(), 1);
        EXPECT_TRUE(wait_until_gone(run));
    }

    std::string python_;
};

const std::string kTrainsWithTorch = R"py(
import os, time, torch, torch.distributed as dist
def train(rank):
    values = torch.ones(8)
    for step in range(1, 10000):
        dist.all_reduce(values)
        print(f"step {step} loss {rank * 10 + 1 / step:.4f}", flush=True)
        time.sleep(0.05)
)py";

TEST_F(InnerRanksOfTorch, AreSpawned) {
    const auto run = begin(kTrainsWithTorch + R"py(
def work(rank, store):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=2)
    train(rank)
if __name__ == "__main__":
    torch.multiprocessing.spawn(work, args=(os.path.abspath("store"),), nprocs=2)
)py",
                           {}, {python_, "train.py"});
    ASSERT_TRUE(client_->wait_for([&] { return found().size() == 2; }, 300)) << history();
    EXPECT_EQ(found().at(1).source(), wire::INNER_PROCESS_GROUP);
    expect_two_ranks(run);
}

TEST_F(InnerRanksOfTorch, AreTorchruns) {
    const auto run =
        begin(kTrainsWithTorch + "dist.init_process_group('gloo')\ntrain(dist.get_rank())\n", {},
              {python_, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "train.py"});
    expect_two_ranks(run);
}

TEST_F(InnerRanks, ThatTheirProgramStartsAgainAreNoFailure) {
    begin(R"py(
import os, subprocess, sys, time
def start(seconds, code):
    return [subprocess.Popen([sys.executable, "-c", f"import time, sys; time.sleep({seconds}); sys.exit({code})"],
                             env=dict(os.environ, RANK=str(i), LOCAL_RANK=str(i), WORLD_SIZE="2")) for i in range(2)]
for code in (3, 0):
    for rank in start(2.5, code):
        rank.wait()
)py");
    ASSERT_TRUE(client_->wait_for_end()) << history();
    const auto exits = exits_of(1);
    ASSERT_EQ(exits.size(), 2U) << history();
    EXPECT_EQ(exits.front().code(), 3);
    EXPECT_EQ(exits.back().code(), 0);
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE);
}

}  // namespace
}  // namespace rankscope
