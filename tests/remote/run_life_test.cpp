// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Stops, deaths and attachments of runs, with the real agent. Whatever happens, nothing of a run is left.

#include "support/agent_fixture.h"

#include <base/files.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/supervise/supervisor.h>
#include <remote/wire/frame_codec.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

namespace rankscope {
namespace {

using test::AgentClient;
using test::wait_until;
using test::write_text;

constexpr const char* kSleep = "echo up; exec sleep 1000";
constexpr const char* kDaemons =
    "(setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & sleep 1000' &); sleep 1000 & echo up; wait";

pid_t parent_of(pid_t pid) {
    const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    return stat.empty() ? 0 : static_cast<pid_t>(std::atol(stat.c_str() + stat.rfind(')') + 4));
}

class RunLife : public test::AgentFixture {
protected:
    /// Starts, attaches and waits until every rank has said "up".
    void bring_up(const wire::StartRun& run) {
        const auto reply = start(run);
        ASSERT_TRUE(reply.has_started()) << reply.failure().code() << ' ' << reply.failure().detail();
        supervisor_ = static_cast<pid_t>(reply.started().supervisor_pid());
        guardian_ = parent_of(supervisor_);
        ASSERT_TRUE(attach(*client_, run).has_events());
        ASSERT_TRUE(client_->wait_for([&] { return all_up(run); })) << history();
    }
    bool all_up(const wire::StartRun& run) const {
        for (int rank = 0; rank < run.ranks_size(); ++rank) {
            if (log_of(rank).find("up\n") == std::string::npos) {
                return false;
            }
        }
        return true;
    }
    std::vector<std::string> raw(const AgentClient& client) const {
        std::vector<std::string> all;
        for (const auto& event : client.events()) {
            all.push_back(event.SerializeAsString());
        }
        return all;
    }
    std::unique_ptr<AgentClient> another() const {
        return std::make_unique<AgentClient>(folder_.path().string());
    }

    pid_t supervisor_ = -1;
    pid_t guardian_ = -1;
};

TEST_F(RunLife, AStopEndsEveryRankAndSaysWhy) {
    const auto run = run_of({kSleep, kSleep});
    bring_up(run);
    stop(run, false, "Stopped by the user.");
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_TRUE(wait_until_gone(run));
    for (int rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(exit_of(rank).signal(), SIGTERM);
        EXPECT_TRUE(exit_of(rank).requested());
        EXPECT_EQ(exit_of(rank).stop_cause(), "Stopped by the user.");
    }
    EXPECT_EQ(end().outcome(), wire::OUTCOME_STOPPED);
    EXPECT_EQ(end().detail(), "Stopped by the user.");
}

TEST_F(RunLife, ARankMayEndInItsOwnWayWithinTheGrace) {
    const auto run = run_of({"trap 'echo saving; exit 0' TERM; echo up; while :; do sleep 0.05; done"}, 1000);
    bring_up(run);
    stop(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(exit_of(0).code(), 0);
    EXPECT_TRUE(exit_of(0).requested());
    EXPECT_NE(log_of(0).find("saving"), std::string::npos);
}

TEST_F(RunLife, WhoIgnoresTheSignalIsKilledAfterTheGrace) {
    const auto run = run_of({"trap '' TERM; echo up; while :; do sleep 1000; done", kSleep}, 0.3);
    bring_up(run);
    const double begin = monotonic_s();
    stop(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_GE(monotonic_s() - begin, 0.3);
    EXPECT_EQ(exit_of(0).signal(), SIGKILL);
    EXPECT_TRUE(exit_of(0).requested());
    EXPECT_TRUE(wait_until_gone(run));
}

TEST_F(RunLife, ASecondStopForces) {
    const auto run = run_of({"trap '' TERM; echo up; while :; do sleep 1000; done"}, 3600);
    bring_up(run);
    stop(run);
    stop(run, true);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(exit_of(0).signal(), SIGKILL);
    EXPECT_EQ(stages_of(-1, wire::STAGE_STOP).size(), 1U) << history();
}

TEST_F(RunLife, AStoppedProcessEndsToo) {
    const auto run = run_of({"echo up; kill -STOP $$; sleep 1000"}, 3600);
    bring_up(run);
    stop(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(exit_of(0).signal(), SIGTERM);
}

TEST_F(RunLife, OneDeadRankEndsTheOthers) {
    const auto run = run_of({kSleep, "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 3", kSleep});
    bring_up(run);
    write_text(folder_ / "go", "");
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_EQ(exit_of(1).code(), 3);
    EXPECT_FALSE(exit_of(1).requested()) << "the cause";
    EXPECT_TRUE(exit_of(0).requested()) << "a consequence";
    EXPECT_EQ(exit_of(2).stop_cause(), "rank 1 ended");
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(RunLife, ARankKilledFromOutsideIsTheCause) {
    const auto run = run_of({kSleep, kSleep});
    bring_up(run);
    const pid_t pid = [&] {
        for (const auto& stage : stages_of(1, wire::STAGE_START)) {
            return static_cast<pid_t>(std::atol(stage.detail().substr(4).c_str()));
        }
        return pid_t{-1};
    }();
    ASSERT_GT(pid, 1);
    ::kill(pid, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(exit_of(1).signal(), SIGKILL);
    EXPECT_FALSE(exit_of(1).requested());
    EXPECT_TRUE(exit_of(0).requested());
}

TEST_F(RunLife, NothingARankStartedIsLeft) {
    const auto run =
        run_of({kDaemons, "(setsid sleep 1000 &); echo up; while [ ! -e go ]; do sleep 0.02; done"});
    bring_up(run);
    ASSERT_TRUE(wait_until([&] { return left_of(run).size() >= 6; }));
    write_text(folder_ / "go", "");
    stop(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(end().left_processes(), 0);
    EXPECT_TRUE(left_of(run).empty()) << "gone before the end is reported";
}

TEST_F(RunLife, AKilledSupervisorTakesEverythingWithIt) {
    const auto run = run_of({kDaemons, kSleep});
    bring_up(run);
    ::kill(supervisor_, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_EQ(end().outcome(), wire::OUTCOME_LOST);
    for (int rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(exit_of(rank).signal(), SIGKILL);
        EXPECT_TRUE(exit_of(rank).requested()) << "no rank is to blame";
    }
    auto second = another();
    ASSERT_TRUE(attach(*second, run).has_events());
    ASSERT_TRUE(second->wait_for_end());
    EXPECT_EQ(raw(*second), raw(*client_)) << "the spool was closed once";
}

TEST_F(RunLife, AKilledGuardianEndsTheRun) {
    const auto run = run_of({kDaemons, kSleep});
    bring_up(run);
    ::kill(guardian_, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_EQ(end().left_processes(), 0);
}

TEST_F(RunLife, WithBothKilledTheNextAttachmentCleansUp) {
    const auto run = run_of({kDaemons, kSleep});
    bring_up(run);
    ::kill(guardian_, SIGSTOP);  // so that neither can act on the other's death
    ::kill(supervisor_, SIGKILL);
    ::kill(guardian_, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(end().outcome(), wire::OUTCOME_LOST);
    EXPECT_TRUE(wait_until_gone(run)) << "the daemons of its ranks, too";
    EXPECT_EQ(exits_of(0).size(), 1U);
    EXPECT_EQ(exits_of(1).size(), 1U);
}

TEST_F(RunLife, TwoDesksSeeTheSameLostEnd) {
    const auto run = run_of({kSleep});
    bring_up(run);
    auto second = another();
    ASSERT_TRUE(attach(*second, run).has_events());
    ::kill(guardian_, SIGSTOP);
    ::kill(supervisor_, SIGKILL);
    ::kill(guardian_, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    ASSERT_TRUE(second->wait_for_end());
    EXPECT_EQ(raw(*second), raw(*client_));
}

TEST_F(RunLife, TheRunContinuesWithoutTheDesk) {
    const auto run =
        run_of({"echo up; i=0; while [ ! -e go ]; do echo $((i+=1)); sleep 0.01; done; echo last"});
    bring_up(run);
    client_->kill();
    EXPECT_TRUE(agent::supervisor_is_alive(dir_of(run)));
    client_ = another();
    ASSERT_TRUE(attach(*client_, run).has_events());
    ASSERT_TRUE(client_->wait_for([this] { return log_of(0).size() > 200; }));
    client_ = another();  // this one's stdin ends, as when the connection is lost
    write_text(folder_ / "go", "");
    ASSERT_TRUE(wait_until([&] { return !agent::supervisor_is_alive(dir_of(run)); }));
    ASSERT_TRUE(attach(*client_, run).has_events());
    ASSERT_TRUE(client_->wait_for_end());
    std::string expected = "up\n";
    const std::string log = log_of(0);
    for (int i = 1; expected.size() + 5 < log.size(); ++i) {
        expected += std::to_string(i) + '\n';
    }
    EXPECT_EQ(log, expected + "last\n") << "no line missing, none twice";
}

TEST_F(RunLife, AttachingFromAnyNumberGivesTheRest) {
    const auto run = run_of({"for i in 1 2 3 4 5; do echo $i; sleep 0.01; done", "echo x >&2"});
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end());
    const auto all = raw(*client_);
    ASSERT_GE(all.size(), 6U);
    for (std::uint64_t from = 0; from <= all.size(); ++from) {
        auto client = another();
        ASSERT_TRUE(attach(*client, run, from).has_events());
        ASSERT_TRUE(client->wait_for_end());
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(from, 1) - 1);
        ASSERT_EQ(raw(*client), std::vector<std::string>(begin, all.end())) << from;
    }
    auto client = another();
    ASSERT_TRUE(attach(*client, run, all.size() + 1).has_events());
    wire::Request ping;
    ping.mutable_ping();
    EXPECT_TRUE(client->call(ping).has_pong());
    EXPECT_TRUE(client->events().empty()) << "there is nothing more";
}

TEST_F(RunLife, ManyAttachmentsWhileItRuns) {
    const auto run = run_of({"echo up; i=0; while [ ! -e go ]; do echo $((i+=1)); done; echo last"});
    bring_up(run);
    std::vector<std::unique_ptr<AgentClient>> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(another());
        ASSERT_TRUE(attach(*clients.back(), run, static_cast<std::uint64_t>(i) + 1).has_events());
    }
    write_text(folder_ / "go", "");
    ASSERT_TRUE(client_->wait_for_end());
    const auto all = raw(*client_);
    for (std::size_t i = 0; i < clients.size(); ++i) {
        ASSERT_TRUE(clients[i]->wait_for_end());
        ASSERT_EQ(raw(*clients[i]),
                  std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(i), all.end()));
    }
}

TEST_F(RunLife, PauseStopsEveryProcessAndContinueResumesThem) {
    const auto run = run_of({"echo up; i=0; while :; do echo $((i+=1)); sleep 0.01; done"});
    bring_up(run);
    const auto ask = [&](bool resume, std::size_t times = 1) {
        wire::Request request;
        request.mutable_pause_run()->set_run_id(run.run_id());
        request.mutable_pause_run()->set_resume(resume);
        EXPECT_TRUE(client_->call(request).delivered().was_running());
        ASSERT_TRUE(client_->wait_for([&] {
            return stages_of(-1, resume ? wire::STAGE_CONTINUE : wire::STAGE_PAUSE).size() == times;
        })) << history();
    };
    const auto all_stopped = [&] {
        const auto pids = left_of(run);
        return std::all_of(pids.begin(), pids.end(), agent::is_suspended);
    };
    ask(false);
    EXPECT_TRUE(wait_until(all_stopped));
    ask(true);
    const auto before = log_of(0).size();
    EXPECT_TRUE(client_->wait_for([&] { return log_of(0).size() > before + 20; }));
    ask(false, 2);
    stop(run);  // also while it is paused
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_TRUE(wait_until_gone(run));
    for (const auto& event : client_->events()) {
        EXPECT_FALSE(event.has_notice()) << "our own pause is no surprise";
    }
}

TEST_F(RunLife, AKillFromOutsideDuringAStopIsNotOurs) {
    auto run = run_of({"trap '' TERM; echo up; while :; do sleep 0.01; done", "echo up; sleep 0.1; exit 3"});
    run.set_grace_s(3600);
    bring_up(run);
    ASSERT_TRUE(client_->wait_for([this] { return !stages_of(-1, wire::STAGE_STOP).empty(); }));
    ::kill(static_cast<pid_t>(std::atol(stages_of(0, wire::STAGE_START).at(0).detail().substr(4).c_str())),
           SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(0).signal(), SIGKILL);
    EXPECT_FALSE(exit_of(0).requested());
    EXPECT_EQ(end().cause().rank(), 1) << "what failed first is the cause";
}

TEST_F(RunLife, ARankStoppedByAnotherIsNamedAndLeftAlone) {
    const auto run = run_of({kSleep, kSleep});
    bring_up(run);
    const pid_t pid =
        static_cast<pid_t>(std::atol(stages_of(1, wire::STAGE_START).at(0).detail().substr(4).c_str()));
    const auto told_of = [&](const std::string& code) {
        return client_->wait_for([&] {
            return std::any_of(client_->events().begin(), client_->events().end(),
                               [&](const wire::Event& event) {
                                   return event.notice().id() == code && event.rank() == 1 &&
                                          event.notice().args(0) == std::to_string(pid);
                               });
        });
    };
    ::kill(pid, SIGSTOP);
    EXPECT_TRUE(told_of("rank-stopped")) << history();
    ::kill(pid, SIGCONT);
    EXPECT_TRUE(told_of("rank-continued")) << history();
    stop(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(end().outcome(), wire::OUTCOME_STOPPED);
}

TEST_F(RunLife, ARankStoppedForLongerThanTheLimitFailsTheRun) {
    auto run = run_of({kSleep, kSleep});
    run.set_stopped_limit_s(0.2);
    bring_up(run);
    ::kill(static_cast<pid_t>(std::atol(stages_of(1, wire::STAGE_START).at(0).detail().substr(4).c_str())),
           SIGSTOP);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
    EXPECT_EQ(end().cause().rank(), 1);
    EXPECT_EQ(end().cause().exit().signal(), SIGSTOP);
}

TEST_F(RunLife, TheCheckpointSignalComesFirst) {
    auto run = run_of(
        {"trap 'echo saving; sleep 0.2; echo saved; exit 0' USR1; trap 'echo term; exit 1' TERM; echo up; "
         "while :; do sleep 0.02; done",
         "trap '' USR1; echo up; while :; do sleep 0.02; done"});
    run.set_checkpoint_signal(SIGUSR1);
    run.set_checkpoint_wait_s(1);
    bring_up(run);
    stop(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(log_of(0), "up\nsaving\nsaved\n");
    EXPECT_EQ(exit_of(0).code(), 0);
    EXPECT_EQ(exit_of(1).signal(), SIGTERM) << "who does not end by itself is ended as ever";
    EXPECT_EQ(end().outcome(), wire::OUTCOME_STOPPED);
}

TEST_F(RunLife, AFailureDoesNotWaitForCheckpoints) {
    auto run = run_of(
        {"trap 'echo saving' USR1; echo up; while :; do sleep 0.02; done", "echo up; sleep 0.3; exit 3"});
    run.set_checkpoint_signal(SIGUSR1);
    run.set_checkpoint_wait_s(3600);
    bring_up(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(log_of(0), "up\n");
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(RunLife, ATracebackIsPartOfTheEnd) {
    const auto run =
        run_of({"printf 'Traceback (most recent call last):\\n  File \"t.py\", line 3\\nMemoryError\\n' >&2; "
                "exit 1"});
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end());
    const auto exit = exit_of(0);
    ASSERT_EQ(exit.traceback_size(), 3);
    EXPECT_EQ(exit.traceback(2), "MemoryError");
}

// The length of a frame in the middle, so that it seems to reach behind the end of the file; or any byte.
void damage(std::string& spool, bool length) {
    if (!length) {
        spool[spool.size() / 2] = static_cast<char>(spool[spool.size() / 2] ^ 1);
        return;
    }
    std::size_t at = 0;
    while (at < spool.size() / 2) {
        std::uint32_t size = 0;
        std::memcpy(&size, spool.data() + at, sizeof size);
        at += kFrameHeader + size;
    }
    ASSERT_LT(at + 3, spool.size());
    spool[at + 2] = static_cast<char>(spool[at + 2] ^ 0x10);
}

class DamagedSpool : public RunLife, public testing::WithParamInterface<bool> {};

TEST_P(DamagedSpool, StillComesToAnEnd) {
    const auto run = run_of({"echo up; for i in $(seq 200); do echo $i; sleep 0.002; done; exec sleep 1000"});
    bring_up(run);
    ASSERT_TRUE(client_->wait_for([this] { return log_of(0).find("200\n") != std::string::npos; }));
    ::kill(guardian_, SIGSTOP);
    ::kill(supervisor_, SIGKILL);
    ::kill(guardian_, SIGKILL);
    client_->kill();
    std::string spool = *read_file(dir_of(run).spool());
    damage(spool, GetParam());
    write_text(dir_of(run).spool(), spool);
    client_ = another();
    ASSERT_TRUE(attach(*client_, run).has_events());
    ASSERT_TRUE(client_->wait_for_end()) << "what can be read, then the end";
    EXPECT_EQ(end().outcome(), wire::OUTCOME_LOST);
    EXPECT_NE(log_of(0).find("up\n"), std::string::npos);
    EXPECT_TRUE(wait_until_gone(run));
}

INSTANTIATE_TEST_SUITE_P(Where, DamagedSpool, testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "Length" : "Middle"; });

}  // namespace
}  // namespace rankscope
