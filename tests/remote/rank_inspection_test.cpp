// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the agent finds out about ranks that do not move: each of them is a real process of a real run.

#include "support/agent_fixture.h"
#include "support/scoped_environment.h"

#include <base/clock.h>
#include <base/paths.h>
#include <remote/agent/probes/blocked_file.h>
#include <remote/agent/probes/rank_inspection.h>
#include <remote/diagnosis/rank_activity.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <functional>

namespace rankscope {
namespace {

class RankInspection : public test::AgentFixture {
protected:
    /// A command is reported with at most 80 bytes: wherever the build lies, the program has a short name.
    static std::string here() { return "cd '" + program_dir().string() + "' && "; }
    static std::string stuck(const std::string& words) {
        return here() + "exec ./remote_stuck_program " + words;
    }
    static wire::InspectRanks request_for(const wire::StartRun& run) {
        wire::InspectRanks request;
        request.set_run_id(run.run_id());
        return request;
    }
    wire::RankInspections look(const wire::StartRun& run) {
        wire::Request request;
        *request.mutable_inspect_ranks() = request_for(run);
        return client_->call(request).rank_states();
    }
    /// Looks until rank 0 is as wanted, and returns it.
    wire::RankInspection look_until(const wire::StartRun& run,
                                    const std::function<bool(const wire::RankInspection&)>& wanted) {
        wire::RankInspections seen;
        EXPECT_TRUE(test::wait_until([&] {
            seen = look(run);
            return seen.ranks_size() > 0 && wanted(seen.ranks(0));
        })) << describe(seen);
        return seen.ranks_size() > 0 ? seen.ranks(0) : wire::RankInspection();
    }
    static std::string describe(const wire::RankInspections& seen) {
        std::string text;
        for (const auto& rank : seen.ranks()) {
            text += "rank " + std::to_string(rank.rank()) + " pid " + std::to_string(rank.pid()) + ' ' +
                    rank.command() + " state " + rank.state() + " in " + rank.system_call() + " at " +
                    rank.wait_channel() + " file " + rank.blocked_file() + " on " +
                    rank.blocked_file_system() + '\n';
            for (const auto& socket : rank.sockets()) {
                text += "  " + socket.state() + ' ' + socket.peer_address() + ':' +
                        std::to_string(socket.peer_port()) + " unsent " + std::to_string(socket.unsent()) +
                        '\n';
            }
            for (const auto& unseen : rank.unseen()) {
                text += "  not seen: " + unseen.what() + ": " + unseen.why() + '\n';
            }
        }
        return text;
    }
    /// What the desk makes of it.
    static std::string activity(const wire::RankInspection& rank) {
        wire::RankInspections all;
        *all.add_ranks() = rank;
        return to_string(activity_of(rank_snapshots_from(all).at(0)).kind);
    }
    wire::StartRun begin(const std::vector<std::string>& scripts) {
        auto run = run_of(scripts);
        start_and_attach(run);
        return run;
    }
    static UniqueFd listener(int backlog, std::uint16_t& port) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        EXPECT_EQ(::listen(fd.get(), backlog), 0);
        socklen_t size = sizeof name;
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &size);
        port = ntohs(name.sin_port);
        return fd;
    }
    void end_all(const wire::StartRun& run) {
        stop(run, true);
        ASSERT_TRUE(client_->wait_for_end());
    }
    /// The permission to trace is missing where yama says so: then no system call is seen.
    static bool calls_are_seen(const wire::RankInspection& rank) {
        return std::none_of(rank.unseen().begin(), rank.unseen().end(),
                            [](const auto& unseen) { return unseen.what() == "system_call"; });
    }
};

TEST_F(RankInspection, ASleepingRank) {
    const auto run = begin({stuck("sleep")});
    const auto rank = look_until(
        run, [](const auto& seen) { return seen.wait_channel().find("nanosleep") != std::string::npos; });
    EXPECT_EQ(rank.state(), "S");
    EXPECT_NE(rank.command().find("remote_stuck_program sleep"), std::string::npos) << rank.command();
    EXPECT_GE(rank.elapsed_s(), 0);
    EXPECT_LT(rank.elapsed_s(), 300);
    ASSERT_EQ(rank.threads_size(), 1);
    EXPECT_EQ(rank.threads(0).tid(), rank.pid());
    EXPECT_EQ(rank.threads(0).name(), "remote_stuck_pr");
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "clock_nanosleep");
    }
    EXPECT_EQ(rank.traced_by(), "");
    EXPECT_EQ(activity(rank), "sleeps");
    end_all(run);
}

TEST_F(RankInspection, ASpinningRank) {
    const auto run = begin({stuck("spin")});
    const auto rank = look_until(run, [](const auto& seen) { return seen.cpu_s() > 0.1; });
    EXPECT_EQ(rank.state(), "R");
    EXPECT_EQ(rank.wait_channel(), "");
    EXPECT_EQ(rank.system_call(), "");
    EXPECT_EQ(activity(rank), "spins-on-cpu");
    end_all(run);
}

TEST_F(RankInspection, ALockOfItsOwn) {
    const auto run = begin({stuck("deadlock")});
    const auto rank = look_until(run, [](const auto& seen) {
        return seen.threads_size() == 2 && seen.threads(1).wait_channel().starts_with("futex");
    });
    EXPECT_TRUE(rank.wait_channel().starts_with("futex")) << rank.wait_channel();
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "futex");
        EXPECT_EQ(rank.threads(1).system_call(), "futex");
    }
    EXPECT_EQ(activity(rank), "waits-for-lock");
    end_all(run);
}

TEST_F(RankInspection, AFifoWithoutAWriter) {
    const std::string fifo = folder_ / "a fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const UniqueFd writer(::open(fifo.c_str(), O_RDWR | O_CLOEXEC));
    const auto run = begin({stuck("read '" + fifo + "'")});
    const auto rank = look_until(
        run, [](const auto& seen) { return seen.wait_channel().find("pipe_read") != std::string::npos; });
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "read");
        EXPECT_EQ(rank.blocked_file(), fifo);
        EXPECT_EQ(rank.blocked_pid(), rank.pid());
        EXPECT_FALSE(rank.blocked_file_system().empty());
    }
    EXPECT_EQ(activity(rank), "waits-for-pipe");
    end_all(run);
}

TEST_F(RankInspection, AFileLockAnotherHolds) {
    const std::string file = folder_ / "lock";
    const UniqueFd held(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
    const auto run = begin({stuck("lock '" + file + "'")});
    const auto rank = look_until(
        run, [](const auto& seen) { return seen.wait_channel().find("lock") != std::string::npos; });
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "flock");
        EXPECT_EQ(rank.blocked_file(), file);
        EXPECT_FALSE(rank.blocked_source().empty());
    }
    EXPECT_EQ(activity(rank), "waits-for-file-lock");
    end_all(run);
}

TEST_F(RankInspection, AStoppedRankAndATracedOne) {
    const auto run = begin({stuck("stop"), stuck("sleep")});
    EXPECT_EQ(activity(look_until(run, [](const auto& seen) { return seen.state() == "T"; })), "stopped");
    wire::RankInspection other;
    ASSERT_TRUE(test::wait_until([&] {
        other = look(run).ranks(1);
        return other.state() == "S" && other.wait_channel().find("nanosleep") != std::string::npos;
    }));
    const auto pid = static_cast<pid_t>(other.pid());
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) {
        end_all(run);
        GTEST_SKIP() << "no permission to trace";
    }
    const auto traced = look(run);
    EXPECT_NE(traced.ranks(1).traced_by().find("(pid " + std::to_string(::getpid())), std::string::npos)
        << traced.ranks(1).traced_by();
    ::kill(pid, SIGCONT);
    ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr), 0);
    ::waitpid(pid, nullptr, __WALL);
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    end_all(run);
}

TEST_F(RankInspection, ManyThreadsAreCutToAFew) {
    const auto run = begin({stuck("threads 100")});
    const auto rank =
        look_until(run, [](const auto& seen) { return seen.threads_size() == 64 && seen.unseen_size() > 0; });
    EXPECT_EQ(rank.threads(0).tid(), rank.pid());
    const auto cut = std::find_if(rank.unseen().begin(), rank.unseen().end(),
                                  [](const auto& unseen) { return unseen.what() == "threads"; });
    ASSERT_NE(cut, rank.unseen().end());
    EXPECT_TRUE(test::wait_until([&] { return look(run).ranks(0).unseen(0).why() == "37 more"; }));
    end_all(run);
}

TEST_F(RankInspection, WaitsForItsPeer) {
    std::uint16_t port = 0;
    const UniqueFd server = listener(5, port);
    const auto run = begin({stuck("receive " + std::to_string(port))});
    const auto rank = look_until(run, [](const auto& seen) {
        return seen.sockets_size() == 1 && seen.sockets(0).state() == "ESTABLISHED" &&
               seen.wait_channel() != "";
    });
    const auto& socket = rank.sockets(0);
    EXPECT_EQ(socket.peer_address(), "127.0.0.1");
    EXPECT_EQ(socket.peer_port(), port);
    EXPECT_EQ(socket.unsent(), 0U);
    EXPECT_GT(socket.rtt_s(), 0);
    EXPECT_LT(socket.idle_s(), 60);
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "recvfrom");
        EXPECT_EQ(rank.blocked_socket(), socket.inode());
        EXPECT_EQ(rank.blocked_file(), "");
    }
    EXPECT_EQ(activity(rank), "waits-for-peer");
    end_all(run);
}

TEST_F(RankInspection, APeerThatReadsNothing) {
    std::uint16_t port = 0;
    const UniqueFd server = listener(5, port);
    const auto run = begin({stuck("send " + std::to_string(port))});
    const UniqueFd peer(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(peer);
    const auto rank = look_until(
        run, [](const auto& seen) { return seen.sockets_size() == 1 && seen.sockets(0).zero_window(); });
    EXPECT_GT(rank.sockets(0).unsent(), 0U);
    EXPECT_EQ(rank.sockets(0).retransmits(), 0U);
    EXPECT_EQ(activity(rank), "peer-takes-nothing");
    end_all(run);
}

TEST_F(RankInspection, AConnectionWithoutAnAnswer) {
    std::uint16_t port = 0;
    const UniqueFd server = listener(0, port);
    const auto fill = begin({stuck("receive " + std::to_string(port))});
    look_until(fill, [](const auto& seen) {
        return seen.sockets_size() == 1 && seen.sockets(0).state() == "ESTABLISHED";
    });
    const auto run = begin({stuck("connect " + std::to_string(port))});
    const auto rank = look_until(run, [](const auto& seen) {
        return seen.sockets_size() == 1 && seen.sockets(0).state() == "SYN_SENT" &&
               seen.sockets(0).retransmits() > 0;
    });
    EXPECT_EQ(rank.sockets(0).peer_port(), port);
    if (calls_are_seen(rank)) {
        EXPECT_EQ(rank.system_call(), "connect");
        EXPECT_EQ(rank.blocked_socket(), rank.sockets(0).inode());
    }
    EXPECT_EQ(activity(rank), "connecting");
    stop(fill, true);
    end_all(run);
}

TEST_F(RankInspection, AFileServerThatDoesNotAnswer) {
    if (::getuid() != 0 || ::access("/dev/fuse", R_OK | W_OK) != 0) {
        GTEST_SKIP() << "needs root and /dev/fuse";
    }
    const std::string mount = folder_ / "data set";
    ASSERT_EQ(::mkdir(mount.c_str(), 0755), 0);
    const auto run = begin({stuck("fuse '" + mount + "'"), stuck("loader fuse '" + mount + "'")});
    wire::RankInspections seen;
    ASSERT_TRUE(test::wait_until([&] {
        seen = look(run);
        // The server answers the opening, not the reading.
        return seen.ranks_size() == 2 && seen.ranks(0).blocked_file() == mount + "/data" &&
               seen.ranks(1).blocked_file() == mount + "/data" && seen.ranks(0).system_call() != "openat";
    })) << describe(seen);
    EXPECT_EQ(seen.ranks(0).blocked_file_system(), "fuse.test");
    EXPECT_EQ(seen.ranks(0).blocked_source(), "10.0.0.9:/export");
    EXPECT_EQ(seen.ranks(0).blocked_pid(), seen.ranks(0).pid());
    // As where the kernel shows no system calls.
    const agent::ProcFolder process("/proc/" + std::to_string(seen.ranks(0).pid()));
    const auto mounts = agent::parse_mountinfo(process.read("mountinfo"));
    const auto inferred = agent::served_file_of(process, seen.ranks(0).wait_channel(), mounts);
    EXPECT_EQ(inferred.file, mount + "/data") << seen.ranks(0).wait_channel();
    EXPECT_EQ(inferred.source, "10.0.0.9:/export");
    EXPECT_FALSE(agent::served_file_of(process, "hrtimer_nanosleep", mounts).on_a_file_system());
    EXPECT_EQ(seen.ranks(1).blocked_source(), "10.0.0.9:/export");
    EXPECT_NE(seen.ranks(1).blocked_pid(), seen.ranks(1).pid()) << "a process below the rank reads";
    EXPECT_NE(seen.ranks(1).command().find("loader"), std::string::npos) << seen.ranks(1).command();
    EXPECT_EQ(activity(seen.ranks(0)), "uses-file");
    EXPECT_EQ(activity(seen.ranks(1)), "uses-file");
    end_all(run);
}

TEST_F(RankInspection, TheProcessThatWorksIsBelowAShell) {
    std::uint16_t port = 0;
    const UniqueFd server = listener(5, port);
    const std::string program = "./remote_stuck_program ";
    const auto run = begin(
        {here() + "{ " + program + "sleep & " + program + "receive " + std::to_string(port) + "; }; exit 0",
         here() + program + "sleep; exit 0"});
    const auto rank = look_until(run, [](const auto& seen) { return seen.sockets_size() == 1; });
    EXPECT_NE(rank.command().find("receive"), std::string::npos) << rank.command();
    wire::RankInspection other;
    EXPECT_TRUE(test::wait_until([&] {
        other = look(run).ranks(1);
        return other.command().ends_with("remote_stuck_program sleep");
    })) << other.command();
    EXPECT_EQ(other.sockets_size(), 0);
    end_all(run);
}

TEST_F(RankInspection, ARankThatIsGoneAndRanksThatWereNotAskedFor) {
    const auto run = begin({"exit 0", stuck("sleep"), stuck("sleep")});
    const auto rank = look_until(run, [](const auto& seen) { return seen.pid() == 0; });
    EXPECT_EQ(rank.state(), "");
    EXPECT_EQ(activity(rank), "exited");
    EXPECT_EQ(look(run).ranks_size(), 3);
    wire::Request request;
    *request.mutable_inspect_ranks() = request_for(run);
    request.mutable_inspect_ranks()->add_ranks(2);
    request.mutable_inspect_ranks()->add_ranks(7);
    const auto some = client_->call(request).rank_states();
    ASSERT_EQ(some.ranks_size(), 1);
    EXPECT_EQ(some.ranks(0).rank(), 2);
    ASSERT_EQ(some.unseen_size(), 1);
    EXPECT_EQ(some.unseen(0).what(), "ranks.7");
    request.mutable_inspect_ranks()->set_run_id("../elsewhere");
    EXPECT_EQ(client_->call(request).rank_states().ranks_size(), 0);
    end_all(run);
    const auto after = look(run);
    for (const auto& ended : after.ranks()) {
        EXPECT_EQ(ended.pid(), 0);
    }
}

TEST_F(RankInspection, AGroupThatPermitsLittleTime) {
    // Version 1 and version 2, where the cpu controller is ours to use.
    const std::string name = "rankscope-test-" + std::to_string(::getpid());
    std::string group;
    for (const std::string parent : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
        const std::string quota = parent.ends_with("/cpu") ? "cpu.cfs_quota_us" : "cpu.max";
        if (::mkdir((parent + '/' + name).c_str(), 0755) == 0) {
            test::write_text(parent + '/' + name + '/' + quota, quota == "cpu.max" ? "5000 100000" : "5000");
            if (::access((parent + '/' + name + '/' + quota).c_str(), W_OK) == 0) {
                group = parent + '/' + name;
                break;
            }
            ::rmdir((parent + '/' + name).c_str());
        }
    }
    if (group.empty()) {
        GTEST_SKIP() << "needs a cgroup with a cpu controller to write to";
    }
    const auto run = begin({stuck("spin")});
    const auto before = look_until(run, [](const auto& seen) { return seen.pid() != 0; });
    test::write_text(group + "/cgroup.procs", std::to_string(before.pid()));
    const auto rank = look_until(run, [](const auto& seen) { return seen.throttled_s() > 0.05; });
    EXPECT_EQ(rank.throttled_by(), '/' + name);
    EXPECT_DOUBLE_EQ(rank.cpu_limit(), 0.05);
    end_all(run);
    EXPECT_TRUE(test::wait_until([&] { return ::rmdir(group.c_str()) == 0; }));
}

// A watcher that looks every five seconds may use half a percent of a core: 25 ms for each look. The limit of the test
// leaves room for a build without optimization.
TEST_F(RankInspection, ALookIsCheap) {
    std::vector<std::string> scripts(8, stuck("threads 39"));
    const auto run = begin(scripts);
    ASSERT_TRUE(test::wait_until([&] {
        const auto seen = look(run);
        return seen.ranks_size() == 8 &&
               std::all_of(seen.ranks().begin(), seen.ranks().end(), [](const auto& rank) {
                   return rank.threads_size() == 40 && rank.sockets_size() == 1;
               });
    }));
    constexpr int kRounds = 20;
    const auto request = request_for(run);
    const auto before = std::clock();
    const double began = monotonic_s();
    for (int i = 0; i < kRounds; ++i) {
        agent::inspect_ranks(paths_, request, {});
    }
    const double cpu_ms = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / kRounds;
    const double wall_ms = 1e3 * (monotonic_s() - began) / kRounds;
    RecordProperty("cpu_ms", std::to_string(cpu_ms));
    std::printf("a look at 8 ranks of 40 threads: %.1f ms of CPU time, %.1f ms\n", cpu_ms, wall_ms);
    EXPECT_LT(cpu_ms, 100);
    end_all(run);
}

}  // namespace
}  // namespace rankscope
