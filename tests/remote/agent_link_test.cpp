// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/fake_transport.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <remote/agent/node/process_tree.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/agent_script.h>
#include <remote/desk/nodes/session/probe.h>
#include <remote/desk/nodes/transport/local_transport.h>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::DamagingTransport;
using test::FakeCommand;
using test::FakeTransport;
using test::ScopedEnvironment;

class Link : public ::testing::Test {
protected:
    Link() { ::signal(SIGPIPE, SIG_IGN); }

    using Opened = Result<std::unique_ptr<AgentLink>>;
    Opened open(const NodeSpec& node, std::unique_ptr<Transport> transport) {
        pushes_ = 0;
        return AgentLink::open(node, std::move(transport), wake_, stop_.get_token(),
                               [this](const std::string&, double share) {
                                   ++pushes_;
                                   EXPECT_GE(share, 0);
                                   EXPECT_LE(share, 1);
                               });
    }
    Opened open_here(const NodeSpec& node = local_node()) {
        return open(node, std::move(*open_local_transport()));
    }
    Opened open_fake(std::deque<FakeCommand> commands) {
        return open(node_, std::make_unique<FakeTransport>(std::move(commands)));
    }
    static Failure failure_of(Opened opened) {
        EXPECT_FALSE(opened) << "must not succeed";
        return opened ? Failure{} : opened.failure();
    }
    static wire::Request ping() {
        wire::Request request;
        request.mutable_ping();
        return request;
    }
    fs::path bin() const { return folder_ / "cache/rankscope/bin"; }
    static std::size_t files_in(const fs::path& folder) {
        std::error_code error;
        const fs::directory_iterator it(folder, error);
        return error ? 0 : static_cast<std::size_t>(std::distance(it, fs::directory_iterator()));
    }

    test::TemporaryFolder folder_;
    ScopedEnvironment home_{"HOME", folder_.path().string()};
    ScopedEnvironment cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
    ScopedEnvironment direct_{"RANKSCOPE_CACHE_DIR", std::nullopt};
    NodeSpec node_ = [] {
        NodeSpec node;
        node.name = "node1";
        node.host = "node1.example.org";
        return node;
    }();
    WakeFd wake_;
    std::stop_source stop_;
    int pushes_ = 0;
};

TEST_F(Link, TheAgentIsPushedOnceAndNotTwice) {
    {
        auto link = open_here();
        ASSERT_TRUE(link) << to_line(link.failure());
        EXPECT_GT(pushes_, 0);
        EXPECT_TRUE((*link)->call(ping())->has_pong());
    }
    ASSERT_EQ(files_in(bin()), 1U) << "nothing half done is left";
    const fs::path file = fs::directory_iterator(bin())->path();
    EXPECT_EQ(file.filename(), "rankscope-agent-" + find_agent_binary()->hash.substr(0, 32));
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all);
    EXPECT_EQ(to_hex(*sha256_of_file(file)), find_agent_binary()->hash);
    auto again = open_here();
    ASSERT_TRUE(again);
    EXPECT_EQ(pushes_, 0);
}

TEST_F(Link, ATruncatedAgentIsReplaced) {
    ASSERT_TRUE(open_here());
    const fs::path file = fs::directory_iterator(bin())->path();
    fs::resize_file(file, fs::file_size(file) / 2);
    auto link = open_here();
    ASSERT_TRUE(link) << to_line(link.failure());
    EXPECT_GT(pushes_, 0);
    EXPECT_EQ(to_hex(*sha256_of_file(file)), find_agent_binary()->hash);
}

TEST_F(Link, APlantedAgentIsNotStarted) {
    fs::create_directories(bin());
    fs::permissions(folder_ / "cache", fs::perms::all);
    const fs::path trap = bin() / ("rankscope-agent-" + find_agent_binary()->hash.substr(0, 32));
    test::write_text(trap, "#!/bin/sh\ntouch '" + (folder_ / "sprung").string() + "'\n");
    fs::permissions(trap, fs::perms::all);
    const auto failure = failure_of(open_here());
    EXPECT_EQ(failure.code, FailureId("cache-unsafe")) << to_line(failure);
    EXPECT_NE(failure.what.find((folder_ / "cache").string()), std::string::npos) << failure.what;
    EXPECT_NE(failure.remedy.find("cache_dir"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder_ / "sprung"));
}

TEST_F(Link, TwoDesksMayPushAtTheSameTime) {
    std::vector<std::thread> desks;
    for (int i = 0; i < 4; ++i) {
        desks.emplace_back([this] {
            auto link = AgentLink::open(local_node(), std::move(*open_local_transport()), wake_, {}, {});
            EXPECT_TRUE(link) << (link ? "" : to_line(link.failure()));
            EXPECT_TRUE(link && (*link)->call(ping()));
        });
    }
    for (auto& desk : desks) {
        desk.join();
    }
    EXPECT_EQ(files_in(bin()), 1U);
}

TEST_F(Link, TheNodesCacheFolderMayHaveAnyName) {
    for (const std::string& dir :
         {(folder_ / "scratch").string(), (folder_ / "it's a \"folder\" $HOME `x` \\").string(),
          std::string("~/below home"), std::string("~/it's")}) {
        NodeSpec node = local_node();
        node.cache_dir = dir;
        auto link = open_here(node);
        ASSERT_TRUE(link) << dir << ": " << to_line(link.failure());
        EXPECT_GT(pushes_, 0);
        wire::Request probe;
        probe.mutable_probe();
        const auto reply = (*link)->call(probe);
        ASSERT_TRUE(reply);
        const std::string expected = expand_home(dir).string();
        EXPECT_EQ(reply->facts().cache_dir(), expected);
        EXPECT_EQ(files_in(fs::path(expected) / "bin"), 1U) << dir;
    }
    EXPECT_FALSE(fs::exists(bin()));
}

TEST_F(Link, ProbeOfThisComputer) {
    std::vector<std::string> said;
    const auto facts =
        probe_node(local_node(), {}, {}, [&](const std::string& what) { said.push_back(what); });
    ASSERT_TRUE(facts) << to_line(facts.failure());
    EXPECT_GE(facts->cpus, 1);
    EXPECT_LT(std::abs(facts->clock_offset_s), 5) << "the same clock";
    EXPECT_GT(facts->round_trip_s, 0);
    EXPECT_GE(facts->connect_s, facts->round_trip_s);
    EXPECT_FALSE(said.empty());
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = probe_node(local_node(), {}, stop.get_token());
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.failure().code, FailureId("cancelled"));
}

TEST_F(Link, WaitingForAGreetingCanBeCancelled) {
    std::thread canceller([this] {
        stop_.request_stop();
        wake_.wake();
    });
    const double begin = monotonic_s();
    EXPECT_EQ(failure_of(open_fake({FakeCommand{"Welcome to node1\n", "", {}, true}})).code,
              FailureId("cancelled"));
    EXPECT_LT(monotonic_s() - begin, 20) << "long before the time is over";
    canceller.join();
}

TEST_F(Link, WaitingForAnAnswerCanBeCancelled) {
    auto link = open_fake({FakeCommand{std::string(kAgentGreeting), "", {}, true}});
    ASSERT_TRUE(link);
    const auto id = (*link)->send(ping());
    std::thread canceller([this] {
        stop_.request_stop();
        wake_.wake();
    });
    const auto reply = (*link)->receive(id, 1000);
    canceller.join();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.failure().code, FailureId("cancelled"));
    EXPECT_TRUE((*link)->alive()) << "the link itself is fine";
}

TEST_F(Link, ADamagedPushLeavesNothing) {
    for (const auto damage : {DamagingTransport::Damage::FlipAByte, DamagingTransport::Damage::LoseTheEnd}) {
        const auto failure = failure_of(
            open(node_, std::make_unique<DamagingTransport>(std::move(*open_local_transport()), damage)));
        EXPECT_EQ(failure.code, FailureId("damaged")) << to_line(failure);
        EXPECT_EQ(failure.where, "node1");
        EXPECT_EQ(files_in(bin()), 0U);
    }
}

TEST_F(Link, ACacheThatCannotBeWrittenIsSaid) {
    test::write_text(folder_ / "cache", "a file in the way");
    const auto failure = failure_of(open_here());
    EXPECT_EQ(failure.code, FailureId("no-permission"));
    EXPECT_NE(failure.remedy.find("cache_dir"), std::string::npos);
    EXPECT_FALSE(failure.detail.empty()) << "what mkdir said";
}

// A file system of its own in the cache's place, for this process alone; false: not allowed here.
bool mount_cache(const fs::path& folder, unsigned long flags, const char* options) {
    fs::create_directories(folder);
    return ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
}

TEST_F(Link, ANoexecCacheIsSaid) {
    if (!mount_cache(folder_ / "cache", MS_NOEXEC, "size=256m")) {
        GTEST_SKIP() << "mounting needs root";
    }
    const auto failure = failure_of(open_here());
    EXPECT_EQ(failure.code, FailureId("no-exec")) << to_line(failure);
    EXPECT_NE(failure.remedy.find("noexec"), std::string::npos);
    EXPECT_EQ(failure_of(open_here()).code, FailureId("no-exec")) << "and again: it is there now";
    ::umount((folder_ / "cache").c_str());
}

TEST_F(Link, AFullDiskIsSaid) {
    if (!mount_cache(folder_ / "cache", 0, "size=256k")) {
        GTEST_SKIP() << "mounting needs root";
    }
    const auto failure = failure_of(open_here());
    EXPECT_EQ(failure.code, FailureId("disk-full")) << to_line(failure);
    EXPECT_EQ(files_in(bin()), 0U) << "and is not made fuller";
    ::umount((folder_ / "cache").c_str());
}

TEST_F(Link, WhatTheNodeSaysInsteadIsUnderstood) {
    struct Row {
        const char* title;
        std::deque<FakeCommand> commands;
        const char* code;
        const char* says;  ///< in what, remedy or detail
    };
    const std::string marker = kNeedAgentMarker;
    const std::vector<Row> table{
        {"architecture",
         {{"motd\n" + marker + "Linux sparc64\n", "", kExitNeedAgent}},
         "agent-architecture",
         "no rankscope-agent for nodes with the processor sparc64"},
        {"system", {{marker + "Darwin arm64\n", "", kExitNeedAgent}}, "agent-architecture", "runs on Linux"},
        {"no shell", {{"This account is currently not available.\n", "", 1}}, "no-shell", "chsh"},
        {"unknown", {{"", "sh: syntax error\n", 2}}, "agent-start", "syntax error"},
        {"not executable", {{"/home/x/agent\n", "", kExitNotExecutable}}, "no-exec", "noexec"},
        {"folder of others",
         {{"motd\nRANKSCOPE-UNSAFE drwxrwxrwx 1000 /scratch/open\n", "", kExitUnsafeFolder}},
         "cache-unsafe",
         "chmod go-w /scratch/open"},
        {"killed", {{"", "", std::nullopt}}, "agent-lost", "Check the network"},
        {"disk", {{"", "mkdir: No space left on device\n", kExitCannotMakeFolder}}, "disk-full", "df -h"},
        {"quota", {{"", "Disk quota exceeded\n", kExitCannotWrite}}, "disk-full", "rankscopectl clean node1"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.title);
        const auto failure = failure_of(open_fake(row.commands));
        EXPECT_EQ(failure.code.text(), row.code);
        EXPECT_EQ(failure.where, "node1");
        EXPECT_NE((failure.what + failure.remedy + failure.detail).find(row.says), std::string::npos)
            << to_line(failure);
    }
}

TEST_F(Link, NoiseBeforeTheGreetingIsSkipped) {
    std::string frames;
    wire::Reply pong;
    pong.set_id(1);
    pong.mutable_pong()->set_clock_us(5);
    append_frame(frames, pong.SerializeAsString());
    auto link = open_fake({FakeCommand{
        "Last login: RANKSCOPE-AGENT\r\n" + std::string(kAgentGreeting) + frames, "warning\n", {}, true}});
    ASSERT_TRUE(link) << to_line(link.failure());
    const auto reply = (*link)->call(ping());
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->pong().clock_us(), 5);
    const auto late = (*link)->call(ping(), 0.05);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.failure().code, FailureId("agent-silent"));
    EXPECT_FALSE((*link)->alive());
}

TEST_F(Link, ADamagedStreamIsALostLink) {
    auto link = open_fake({FakeCommand{std::string(kAgentGreeting) + "\xff\xff\xff\xff????", "", {}, true}});
    ASSERT_TRUE(link);
    const auto reply = (*link)->call(ping());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.failure().code, FailureId("ssh-link-lost"));
    EXPECT_NE(reply.failure().detail.find("damaged"), std::string::npos);
    EXPECT_FALSE((*link)->next(0));
}

TEST_F(Link, UnaskedRepliesComeInOrderAndFailuresBecomeSentences) {
    std::string frames;
    for (int i = 0; i < 3; ++i) {
        wire::Reply reply;
        reply.mutable_events()->set_run_id("run" + std::to_string(i));
        append_frame(frames, reply.SerializeAsString());
    }
    wire::Reply refused;
    refused.set_id(1);
    refused.mutable_failure()->set_code("port-in-use");
    refused.mutable_failure()->set_detail("python3 (pid 7, uid 0)");
    refused.mutable_failure()->add_args("29500");
    append_frame(frames, refused.SerializeAsString());
    append_frame(frames, "\xff\xff");  // of a newer agent, perhaps: skipped
    auto link = open_fake({FakeCommand{std::string(kAgentGreeting) + frames, "", 0, false}});
    ASSERT_TRUE(link);
    const auto reply = (*link)->call(ping());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.failure().code, FailureId("port-in-use"));
    EXPECT_EQ(reply.failure().what, "Port 29500 is in use by python3 (pid 7, uid 0).");
    for (int i = 0; i < 3; ++i) {
        const auto unasked = (*link)->next(1000);
        ASSERT_TRUE(unasked);
        EXPECT_EQ(unasked->events().run_id(), "run" + std::to_string(i));
    }
    EXPECT_FALSE((*link)->next(0));
}

TEST_F(Link, ZerosAfterTheGreetingEndTheLink) {
    auto link = open_fake({FakeCommand{std::string(kAgentGreeting) + std::string(4096, '\0'), "", {}, true}});
    ASSERT_TRUE(link);
    const auto reply = (*link)->call(ping());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.failure().code, FailureId("ssh-link-lost"));
    EXPECT_FALSE((*link)->next(0));
}

// A node that speaks frames, but without end: only so much of it is read before it is consumed.
TEST_F(Link, AFloodOfFramesStaysOnTheNode) {
    class Flood : public Channel {
    public:
        explicit Flood(std::size_t& sent) : sent_(sent) {
            wire::Reply reply;
            reply.mutable_events()->set_run_id(std::string(60000, 'x'));
            append_frame(frame_, reply.SerializeAsString());
        }
        Read read(std::string& out) override {
            out += greeted_ ? frame_ : std::string(kAgentGreeting);
            sent_ += greeted_ ? frame_.size() : 0;
            greeted_ = true;
            return Read::Data;
        }
        Read read_error(std::string& out) override {
            out += frame_;
            return Read::Data;
        }
        std::ptrdiff_t write(std::string_view bytes) override {
            return static_cast<std::ptrdiff_t>(bytes.size());
        }
        void close_input() override {}
        void wait(bool, int, int) override {}
        std::optional<int> exit_status() override { return 0; }

    private:
        std::string frame_;
        std::size_t& sent_;
        bool greeted_ = false;
    };
    class Flooding : public Transport {
    public:
        explicit Flooding(std::size_t& sent) : sent_(sent) {}
        Result<std::unique_ptr<Channel>> exec(const std::string&) override {
            return std::unique_ptr<Channel>(std::make_unique<Flood>(sent_));
        }
        const ConnectionInfo& info() const override { return info_; }

    private:
        std::size_t& sent_;
        ConnectionInfo info_;
    };
    std::size_t sent = 0;
    auto link = open(node_, std::make_unique<Flooding>(sent));
    ASSERT_TRUE(link) << to_line(link.failure());
    EXPECT_FALSE((*link)->call(ping(), 0.5)) << "no answer among them";
    EXPECT_LE(sent, 40U << 20U);
}

TEST_F(Link, AKilledAgentIsALostLink) {
    auto link = open_here();
    ASSERT_TRUE(link);
    EXPECT_EQ(agent::signal_descendants(::getpid(), SIGKILL), 1);
    const auto reply = (*link)->call(ping());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.failure().code, FailureId("ssh-link-lost"));
    EXPECT_FALSE((*link)->alive());
}

}  // namespace
}  // namespace rankscope
