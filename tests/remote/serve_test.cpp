// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The agent's other requests, and requests that are wrong.

#include "support/agent_fixture.h"
#include "support/run_program.h"

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/shell_quote.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/supervise/supervisor.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::AgentClient;

class Serve : public test::AgentFixture {
protected:
    static UniqueFd listener(std::uint16_t& port) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in name{};
        name.sin_family = AF_INET;
        EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        EXPECT_EQ(::listen(fd.get(), 1), 0);
        socklen_t size = sizeof name;
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &size);
        port = ntohs(name.sin_port);
        return fd;
    }
    static std::string own_pid() { return "(pid " + std::to_string(::getpid()); }
};

TEST_F(Serve, PingAndProbe) {
    wire::Request ping;
    ping.mutable_ping();
    EXPECT_NEAR(static_cast<double>(client_->call(ping).pong().clock_us()), static_cast<double>(now_us()),
                60e6);
    wire::Request probe;
    probe.mutable_probe();
    const wire::Reply reply = client_->call(probe);
    ASSERT_TRUE(reply.has_facts());
    EXPECT_GE(reply.facts().cpus(), 1U);
    EXPECT_GT(reply.facts().memory_bytes(), 1U << 20U);
    EXPECT_GT(reply.facts().cache_free_bytes(), 0U);
    EXPECT_EQ(reply.facts().cache_dir(), folder_.path().string());
    EXPECT_FALSE(reply.facts().hostname().empty());
    EXPECT_FALSE(reply.facts().agent_version().empty());
    ASSERT_GE(reply.facts().interfaces_size(), 1);
}

TEST_F(Serve, ABusyPortNamesItsHolderAndStartsNothing) {
    std::uint16_t port = 0;
    UniqueFd fd = listener(port);
    auto run = run_of({"exit 0"});
    run.set_master_port(port);
    const wire::Reply reply = start(run);
    EXPECT_EQ(reply.failure().code(), "port-in-use");
    EXPECT_NE(reply.failure().detail().find(own_pid()), std::string::npos) << reply.failure().detail();
    ASSERT_EQ(reply.failure().args_size(), 2) << "the port, and who holds it: ourselves";
    EXPECT_EQ(reply.failure().args(0), std::to_string(port));
    EXPECT_FALSE(fs::exists(dir_of(run).dir)) << "nothing is left of it";
    fd.reset();
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE);
}

TEST_F(Serve, FindsPorts) {
    std::uint16_t port = 0;
    UniqueFd fd = listener(port);
    wire::Request request;
    request.mutable_find_port()->set_preferred(port);
    wire::Reply reply = client_->call(request);
    EXPECT_NE(reply.port().port(), port);
    EXPECT_NE(reply.port().port(), 0U);
    EXPECT_NE(reply.port().held_by().find(own_pid()), std::string::npos);
    fd.reset();
    reply = client_->call(request);
    EXPECT_EQ(reply.port().port(), port);
    EXPECT_TRUE(reply.port().held_by().empty());
    EXPECT_EQ(client_->call(request).port().port(), port) << "held for the next run, and free for it";
    request.mutable_find_port()->set_preferred(0);
    EXPECT_GT(client_->call(request).port().port(), 0U);
    request.mutable_find_port()->set_preferred(65536 + 80);
    EXPECT_NE(client_->call(request).port().port(), 65536U + 80) << "there is no such port";
}

TEST_F(Serve, ARunOfThatNameIsThereAlready) {
    const auto run = run_of({"exit 0"});
    start_and_attach(run);
    EXPECT_EQ(start(run).failure().code(), "run-exists");
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(start(run).failure().code(), "run-exists") << "its events are still there";
}

TEST_F(Serve, ListsAndCleans) {
    const auto live = run_of({"exec sleep 1000"});
    const auto done = run_of({"exit 0"});
    start_and_attach(done);
    ASSERT_TRUE(client_->wait_for_end());
    ASSERT_TRUE(wait_until_gone(done));
    ASSERT_TRUE(start(live).has_started());
    wire::Request list;
    list.mutable_list_runs();
    const wire::Reply runs = client_->call(list);
    int own = 0;
    for (const auto& entry : runs.runs().runs()) {
        if (entry.elsewhere()) {
            continue;  // another Rankscope of this account runs something here
        }
        ++own;
        const bool is_live = entry.run_id() == live.run_id();
        EXPECT_EQ(entry.state(), is_live ? wire::OUTCOME_RUNNING : wire::OUTCOME_DONE);
        EXPECT_EQ(entry.pids_size(), is_live ? 1 : 0);
        EXPECT_GT(entry.last_seq(), 0U);
    }
    ASSERT_EQ(own, 2);
    wire::Request clean;
    clean.mutable_clean()->set_all_runs(true);
    const wire::Reply cleaned = client_->call(clean);
    EXPECT_EQ(cleaned.cleaned().removed_size(), 1);
    EXPECT_EQ(cleaned.cleaned().kept_size(), 1);
    EXPECT_FALSE(fs::exists(dir_of(done).dir));
    EXPECT_TRUE(agent::supervisor_is_alive(dir_of(live)));
    EXPECT_EQ(left_of(live).size(), 1U) << "a live run is never touched";
}

TEST_F(Serve, CleanEndsWhatALostRunLeft) {
    const auto run = run_of({"(setsid sleep 1000 &); exec sleep 1000"});
    const wire::Reply started = start(run);
    ASSERT_TRUE(started.has_started());
    ASSERT_TRUE(test::wait_until([&] { return left_of(run).size() == 2; }));
    // The whole node was cut off and no desk attaches any more.
    const auto supervisor = static_cast<pid_t>(started.started().supervisor_pid());
    const auto lines = test::run_program({"/bin/sh", "-c",
                                          "p=$(awk '{print $4}' /proc/" + std::to_string(supervisor) +
                                              "/stat); kill -STOP $p; kill -9 " + std::to_string(supervisor) +
                                              "; kill -9 $p"});
    ASSERT_EQ(lines.status, 0) << lines.errors;
    ASSERT_TRUE(test::wait_until([&] { return !agent::supervisor_is_alive(dir_of(run)); }));
    wire::Request clean;
    clean.mutable_clean()->set_run_id(run.run_id());
    const wire::Reply cleaned = client_->call(clean);
    EXPECT_GE(cleaned.cleaned().removed_size(), 1);
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_FALSE(fs::exists(dir_of(run).dir));
}

// A shared account, another home, or a cache folder that was changed while a run was in progress.
class OtherCacheFolder : public Serve {
protected:
    void begin(const wire::StartRun& run) {
        const wire::Reply started = start(run);
        ASSERT_TRUE(started.has_started());
        supervisor_ = static_cast<pid_t>(started.started().supervisor_pid());
        ASSERT_TRUE(test::wait_until([&] { return !left_of(run).empty(); }));
    }
    std::vector<wire::Leftover> left_as_others_see_it(const wire::StartRun& run) {
        wire::Request request;
        request.mutable_leftovers();
        std::vector<wire::Leftover> found;
        const wire::Reply reply = other_.call(request);
        for (const auto& entry : reply.leftovers().entries()) {
            if (entry.run_id() == run.run_id()) {
                found.push_back(entry);
            }
        }
        return found;
    }
    int stale_processes(const wire::StartRun& run) {
        wire::Request request;
        request.mutable_inspect_host()->set_quick(true);
        const wire::Reply reply = other_.call(request);
        return static_cast<int>(
            std::count_if(reply.host().leftovers().begin(), reply.host().leftovers().end(),
                          [&](const auto& entry) { return entry.run_id() == run.run_id(); }));
    }

    pid_t supervisor_ = -1;
    AgentClient other_{(folder_ / "another/cache").string()};
};

TEST_F(OtherCacheFolder, ALiveRunIsNobodysLeftover) {
    const auto run = run_of({"exec sleep 1000"});
    begin(run);
    const auto left = left_as_others_see_it(run);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_TRUE(left[0].live());
    EXPECT_TRUE(left[0].elsewhere());
    EXPECT_EQ(left[0].run_name(), "test");
    EXPECT_EQ(stale_processes(run), 0);
    wire::Request end;
    end.mutable_end_process()->set_pid(left[0].pid());
    end.mutable_end_process()->set_start_ticks(left[0].start_ticks());
    EXPECT_EQ(other_.call(end).failure().code(), "run-live");
    test::write_text(folder_ / "shm/torch_1_2_3", "made after the run began");
    wire::Request clean;
    clean.mutable_clean()->set_all_runs(true);
    const wire::Reply cleaned = other_.call(clean);
    EXPECT_EQ(cleaned.cleaned().removed_size(), 0);
    EXPECT_EQ(cleaned.cleaned().kept_size(), 1) << "a process of the run may be about to open it";
    EXPECT_TRUE(fs::exists(folder_ / "shm/torch_1_2_3"));
    EXPECT_EQ(left_of(run).size(), 1U);
}

TEST_F(OtherCacheFolder, ALiveRunIsListedAttachedAndStopped) {
    const auto run = run_of({"echo up; exec sleep 1000"});
    begin(run);
    wire::Request list;
    list.mutable_list_runs();
    const wire::Reply runs = other_.call(list);
    const auto found = std::find_if(runs.runs().runs().begin(), runs.runs().runs().end(),
                                    [&](const auto& entry) { return entry.run_id() == run.run_id(); });
    ASSERT_NE(found, runs.runs().runs().end());
    EXPECT_EQ(found->state(), wire::OUTCOME_RUNNING);
    EXPECT_TRUE(found->elsewhere());
    EXPECT_EQ(found->name(), "test");
    ASSERT_TRUE(attach(other_, run).has_events());
    wire::Request stop;
    stop.mutable_stop_run()->set_run_id(run.run_id());
    EXPECT_TRUE(other_.call(stop).stopping().was_running());
    EXPECT_TRUE(other_.wait_for_end());
    EXPECT_EQ(other_.events().back().end().outcome(), wire::OUTCOME_STOPPED);
}

TEST_F(OtherCacheFolder, WhatAKilledSupervisorLeavesIsALeftover) {
    const auto run = run_of({"(setsid sleep 1000 &); exec sleep 1000"});
    begin(run);
    ASSERT_TRUE(test::wait_until([&] { return left_of(run).size() == 2; }));
    const pid_t guardian = agent::parent_of(supervisor_);
    ::kill(guardian, SIGSTOP);
    ::kill(supervisor_, SIGKILL);
    ::kill(guardian, SIGKILL);
    ASSERT_TRUE(test::wait_until([&] { return !agent::supervisor_is_alive(dir_of(run)); }));
    ASSERT_TRUE(test::wait_until([&] { return left_of(run).size() == 1; })) << "the rank itself dies with it";
    const auto left = left_as_others_see_it(run);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_FALSE(left[0].live());
    EXPECT_EQ(stale_processes(run), 1);
    wire::Request end;
    end.mutable_end_process()->set_pid(left[0].pid());
    end.mutable_end_process()->set_start_ticks(left[0].start_ticks() + 1);
    EXPECT_FALSE(other_.call(end).process_ended().was_running()) << "another process with that number";
    EXPECT_EQ(stale_processes(run), 1);
    end.mutable_end_process()->set_start_ticks(left[0].start_ticks());
    EXPECT_TRUE(other_.call(end).process_ended().was_running());
}

// Read by the agent from files and pipes, in bytes.
std::uint64_t bytes_read_by(pid_t pid) {
    const std::string io = read_file("/proc/" + std::to_string(pid) + "/io").value_or("rchar: 0");
    return std::strtoull(io.c_str() + io.find("rchar: ") + 7, nullptr, 10);
}

TEST_F(Serve, ASpoolIsReadOnceWhateverItsLength) {
    constexpr std::uint64_t kOutput = 48U << 20U;
    const auto run = run_of({"yes 'a line of the output of a rank' | head -c " + std::to_string(kOutput)});
    start_and_attach(run);
    ASSERT_TRUE(test::wait_until([&] { return !agent::supervisor_is_alive(dir_of(run)); }))
        << "the desk reads less quickly than the rank writes";
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(log_of(0).size(), kOutput);
    EXPECT_LT(bytes_read_by(client_->pid()), 3 * kOutput);
}

TEST_F(Serve, WrongRequestsAreRefused) {
    auto run = run_of({"exit 0"});
    const std::string id = run.run_id();
    const std::string outside = folder_.path().filename().string() + "-outside";
    for (const std::string& bad : std::vector<std::string>{"../" + outside, "", "a/b", ".."}) {
        run.set_run_id(bad);
        EXPECT_EQ(start(run).failure().code(), "bad-request") << bad;
        EXPECT_EQ(attach(*client_, run).failure().code(), "no-such-run") << bad;
        wire::Request request;
        request.mutable_stop_run()->set_run_id(bad);
        EXPECT_EQ(client_->call(request).failure().code(), "bad-request") << bad;
    }
    run.set_run_id(id);
    EXPECT_EQ(attach(*client_, run).failure().code(), "no-such-run");
    run.set_bundle("../bundle");
    EXPECT_EQ(start(run).failure().code(), "bad-request");
    wire::Request stop;
    stop.mutable_stop_run()->set_run_id("no-such");
    EXPECT_FALSE(client_->call(stop).stopping().was_running());
    EXPECT_EQ(client_->call(wire::Request()).failure().code(), "bad-request") << "of a newer desk";
    EXPECT_FALSE(fs::exists(folder_.path().parent_path() / outside));
}

TEST_F(Serve, FramesThatAreNoRequestsAreIgnored) {
    std::string frame;
    append_frame(frame, "\xff\xff\xff");
    append_frame(frame, "");
    client_->send_bytes(frame);
    wire::Request ping;
    ping.mutable_ping();
    EXPECT_TRUE(client_->call(ping).has_pong());
}

TEST_F(Serve, ADamagedStreamEndsTheConversation) {
    client_->send_bytes("\xff\xff\xff\xff nonsense from a broken link");
    EXPECT_EQ(client_->finish(), 0);
}

TEST_F(Serve, AFullDiskStartsNothing) {
    if (::geteuid() != 0 || test::run_program({"unshare", "-m", "true"}).status != 0) {
        GTEST_SKIP() << "a small file system needs root and mount namespaces";
    }
    // A file system of its own, filled to the last byte, that only this agent sees.
    const std::string cache = (folder_ / "full").string();
    fs::create_directories(cache);
    const std::string agent = (program_dir() / "rankscope-agent").string();
    client_ = std::make_unique<AgentClient>(
        cache,
        std::vector<std::string>{test::find_on_path("unshare"), "-m", "sh", "-c",
                                 "mount -t tmpfs -o size=64k tmpfs " + cache + " && mkdir " + cache +
                                     "/runs && { dd if=/dev/zero of=" + cache +
                                     "/ballast bs=1k 2>/dev/null; exec " + shell_quote(agent) + " serve; }"});
    auto run = run_of({"exit 0"});
    run.set_train_config(std::string(10000, 'x'));
    EXPECT_EQ(start(run).failure().code(), "disk-full");
    wire::Request list;
    list.mutable_list_runs();
    const wire::Reply runs = client_->call(list);
    for (const auto& entry : runs.runs().runs()) {
        EXPECT_NE(entry.run_id(), run.run_id()) << "nothing is left of it";
    }
}

TEST(AgentProgram, WrongUsageIsSaid) {
    const std::string agent = (program_dir() / "rankscope-agent").string();
    EXPECT_EQ(test::run_program({agent}).status, 2);
    EXPECT_EQ(test::run_program({agent, "frobnicate"}).status, 2);
    EXPECT_NE(test::run_program({agent}).errors.find("serve"), std::string::npos);
    const auto version = test::run_program({agent, "--version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_TRUE(version.output.starts_with("rankscope-agent "));
}

TEST(AgentProgram, EndsWithItsInput) {
    const test::TemporaryFolder folder;
    AgentClient client(folder.path().string());
    EXPECT_EQ(client.finish(), 0);
}

}  // namespace
}  // namespace rankscope
