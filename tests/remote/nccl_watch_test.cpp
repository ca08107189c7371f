// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the agent makes of the files that librankscope-nccl.so writes: a program calls the real library as NCCL does.

#include "support/agent_fixture.h"
#include "support/nccl_rank.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <base/nccl_plugin_variables.h>
#include <remote/agent/nccl/nccl_evidence.h>
#include <remote/agent/nccl/nccl_watch.h>
#include <remote/agent/nccl/rank_rings.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/ranks/nccl_plugin.h>
#include <remote/wire/event_json.h>
#include <remote/wire/event_wire.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using agent::RankRings;
using agent::RingFolder;
using test::NcclRank;
using test::TemporaryFolder;

/// Of a rank that has started none itself.
std::optional<NcclEvent> take_own(RankRings& rings) {
    auto events = rings.take(monotonic_s());
    EXPECT_LE(events.size(), 1U);
    return events.empty() ? std::nullopt : std::optional(std::move(events.begin()->second));
}

/// All events until `done` of the last one, at most ten seconds.
std::vector<NcclEvent> events_until(RankRings& rings, const std::function<bool(const NcclEvent&)>& done) {
    std::vector<NcclEvent> events;
    const double until = monotonic_s() + 10;
    while (monotonic_s() < until) {
        rings.scan();
        rings.read();
        if (auto event = take_own(rings)) {
            events.push_back(std::move(*event));
            if (done(events.back())) {
                break;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return events;
}

std::vector<NcclEvent> events_of_dead(RankRings& rings) {
    std::vector<NcclEvent> events;
    rings.scan();
    rings.read();
    rings.read();
    if (auto event = take_own(rings)) {
        events.push_back(std::move(*event));
    }
    return events;
}

std::uint64_t operations_in(const std::vector<NcclEvent>& events) {
    std::uint64_t operations = 0;
    for (const auto& event : events) {
        for (const auto& totals : event.totals) {
            operations += totals.operations;
        }
    }
    return operations;
}

TEST(NcclEventInterval, GrowsWithTheRunAndItsSize) {
    EXPECT_EQ(agent::nccl_event_interval_s(8, 0), 1);
    EXPECT_EQ(agent::nccl_event_interval_s(8, 700), 5);
    EXPECT_EQ(agent::nccl_event_interval_s(64, 86400), 10);
    EXPECT_EQ(agent::nccl_event_interval_s(1024, 0), 16);
}

TEST(NcclWatch, TotalsAndProgressOfARankThatHasEnded) {
    const TemporaryFolder folder;
    NcclRank rank(folder.path(), {"steps=30", "every_ms=0"});
    EXPECT_EQ(rank.end(), 0);
    RankRings rings(folder.path());
    const auto events = events_of_dead(rings);
    ASSERT_EQ(events.size(), 1U);
    const NcclEvent& event = events.front();
    ASSERT_EQ(event.totals.size(), 1U);
    const NcclTotals& totals = event.totals.front();
    EXPECT_EQ(totals.operations, 30U);
    EXPECT_EQ(totals.bytes, 30U << 20U);
    EXPECT_EQ(totals.size_class, 20);
    EXPECT_EQ(totals.function, "AllReduce");
    EXPECT_EQ(totals.datatype, "ncclFloat32");
    EXPECT_EQ(totals.algorithm, "RING");
    EXPECT_EQ(totals.protocol, "SIMPLE");
    EXPECT_TRUE(totals.gpu_times);
    EXPECT_GE(totals.shortest_s, 0.001);
    EXPECT_GE(totals.longest_s, totals.shortest_s);
    EXPECT_GE(totals.seconds, 30 * totals.shortest_s);
    EXPECT_EQ(event.operations.size(), 16U) << "a sample";
    EXPECT_TRUE(std::any_of(event.operations.begin(), event.operations.end(), [&](const NcclOperation& one) {
        return one.gpu_s == totals.longest_s;
    })) << "the longest is always there";
    for (const auto& one : event.operations) {
        EXPECT_EQ(one.phase, NcclPhase::Finished);
        EXPECT_EQ(one.bytes, 1U << 20U);
        EXPECT_TRUE(one.algorithm.empty() && one.channels == 0 && one.peer_or_root == -1)
            << "the totals say it";
        EXPECT_LT(std::abs(static_cast<double>(one.start_us - now_us())), 60e6);
    }
    EXPECT_LT(body_to_json(event).size(), 4000U) << "it is stored for each rank, again and again";
    ASSERT_EQ(event.progress.size(), 1U);
    EXPECT_EQ(event.progress[0].called, 30U);
    EXPECT_EQ(event.progress[0].enqueued, 30U);
    EXPECT_EQ(event.progress[0].finished, 30U);
    ASSERT_EQ(event.communicators.size(), 1U);
    EXPECT_EQ(event.communicators[0].id.value, 0xfeed0001U);
    EXPECT_EQ(event.communicators[0].name, "world");
    EXPECT_EQ(event.communicators[0].ranks, 2);
    EXPECT_TRUE(event.communicators[0].closed);
    EXPECT_EQ(event.lost, 0U);
    EXPECT_EQ(event.api_version, 5);
    EXPECT_TRUE(event.open.empty());
    EXPECT_TRUE(events_of_dead(rings).empty()) << "nothing new";
}

TEST(NcclWatch, WhatARankIsInIsOpenAfterASecond) {
    const TemporaryFolder folder;
    NcclRank rank(folder.path(), {"steps=8", "every_ms=1", "away=1:5"});
    RankRings rings(folder.path());
    const auto events = events_until(rings, [](const NcclEvent& event) { return !event.open.empty(); });
    ASSERT_FALSE(events.empty());
    ASSERT_EQ(events.back().open.size(), 1U);
    const NcclOperation& open = events.back().open.front();
    EXPECT_EQ(open.sequence, 5U);
    EXPECT_EQ(open.phase, NcclPhase::Running);
    EXPECT_EQ(open.channels, 2);
    EXPECT_EQ(open.channels_done, 0);
    EXPECT_GE(open.seconds, 1);
    EXPECT_EQ(operations_in(events), 5U);
    ASSERT_EQ(events.back().progress.size(), 1U) << "of what is open, though it has not changed";
    EXPECT_EQ(events.back().progress[0].enqueued, 6U);
    EXPECT_EQ(events.back().progress[0].finished, 5U);
    ASSERT_FALSE(events.back().communicators.empty()) << "what an event names is described in it";
    EXPECT_FALSE(events.back().communicators.front().closed);
}

TEST(NcclWatch, TheLastOperationsOfAKilledRankAreThere) {
    const TemporaryFolder folder;
    NcclRank rank(folder.path(), {"steps=9", "every_ms=0", "dies=0:7"});
    EXPECT_TRUE(WIFSIGNALED(rank.end()));
    RankRings rings(folder.path());
    const auto events = events_of_dead(rings);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(operations_in(events), 7U);
    ASSERT_EQ(events[0].progress.size(), 1U);
    EXPECT_EQ(events[0].progress[0].enqueued, 8U);
    EXPECT_EQ(events[0].progress[0].finished, 7U);
}

TEST(NcclWatch, WithoutTheGpusSideDurationsAreNotKnown) {
    const TemporaryFolder folder;
    NcclRank rank(folder.path(), {"steps=5", "every_ms=0"}, "1");
    EXPECT_EQ(rank.end(), 0);
    RankRings rings(folder.path());
    const auto events = events_of_dead(rings);
    ASSERT_EQ(events.size(), 1U);
    ASSERT_EQ(events[0].totals.size(), 1U);
    EXPECT_EQ(events[0].totals[0].operations, 5U);
    EXPECT_EQ(events[0].totals[0].seconds, 0);
    EXPECT_FALSE(events[0].totals[0].gpu_times);
}

TEST(NcclWatch, TheLevelIsChangedWhileItRuns) {
    const TemporaryFolder folder;
    NcclRank rank(folder.path(), {"steps=100000", "every_ms=2"}, "1");
    RankRings rings(folder.path());
    ASSERT_FALSE(
        events_until(rings, [](const NcclEvent& event) { return operations_in({event}) > 0; }).empty());
    const auto timed = [](const NcclEvent& event) {
        return std::any_of(event.totals.begin(), event.totals.end(),
                           [](const NcclTotals& totals) { return totals.gpu_times; });
    };
    rings.set_level(2);
    const auto raised = events_until(rings, timed);
    ASSERT_FALSE(raised.empty());
    EXPECT_TRUE(timed(raised.back()));
    rings.set_level(0);
    const double until = monotonic_s() + 10;
    int silent = 0;
    while (silent < 5 && monotonic_s() < until) {
        rings.read();
        silent = take_own(rings) ? 0 : silent + 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
    EXPECT_EQ(silent, 5) << "paused";
}

// One folder for all processes of a program: those that are ranks of their own have events of their own.
TEST(NcclWatch, RanksThatAProgramHasStartedAreToldApart) {
    const TemporaryFolder folder;
    NcclRank first(folder.path(), {"steps=100000", "every_ms=2"});
    NcclRank second(folder.path(), {"steps=100000", "every_ms=2"}, "2", "1");
    std::map<pid_t, int> ranks{{first.pid(), 4}};
    RankRings rings(folder.path(), [&](pid_t pid) { return ranks.contains(pid) ? ranks.at(pid) : -1; });
    std::set<int> seen;
    const auto look = [&] {
        rings.scan();
        rings.read();
        for (const auto& [rank, event] : rings.take(monotonic_s())) {
            if (operations_in({event}) > 0) {
                seen.insert(rank);
            }
        }
    };
    EXPECT_TRUE(test::wait_until([&] {
        look();
        return seen == std::set<int>{-1, 4};
    }));
    ranks[second.pid()] = 5;
    EXPECT_TRUE(test::wait_until([&] {
        look();
        return seen.contains(5);
    }));
    EXPECT_TRUE(rings.has(5));
    EXPECT_FALSE(rings.has(6));
}

TEST(NcclWatch, AFileOfSomethingElseIsReportedNotRead) {
    const TemporaryFolder folder;
    test::write_text(folder.path() / "1-2.ring", std::string(100000, 'x'));
    RankRings rings(folder.path());
    rings.scan();
    EXPECT_FALSE(rings.unreadable()) << "it may be just being made";
    rings.scan();
    EXPECT_TRUE(rings.unreadable());
    EXPECT_FALSE(rings.found());
    rings.read();
    EXPECT_FALSE(take_own(rings));
}

// --- where the files are -----------------------------------------------------------------------------------------------

TEST(RingFolder, IsGoneWithItsOwner) {
    const TemporaryFolder folder;
    const agent::RunDir dir{folder.path() / "runs" / "a"};
    fs::create_directories(dir.dir);
    fs::path where;
    {
        const auto made = RingFolder::make(dir, 2);
        ASSERT_TRUE(made);
        where = made->path();
        ASSERT_TRUE(made->begin_rank(0));
        test::write_text(made->of_rank(0) / "x", "x");
        ASSERT_TRUE(made->begin_rank(0)) << "a second attempt";
        EXPECT_TRUE(fs::is_empty(made->of_rank(0)));
        EXPECT_EQ(fs::status(where).permissions(), fs::perms::owner_all);
        agent::remove_ring_folder(dir);
        EXPECT_TRUE(fs::exists(where)) << "held";
        for (const auto& abandoned : agent::abandoned_ring_folders()) {
            EXPECT_NE(abandoned.path, where) << "held";
        }
    }
    EXPECT_FALSE(fs::exists(where));
}

TEST(RingFolder, WhatAKilledOwnerLeavesIsFoundAndRemoved) {
    const TemporaryFolder folder;
    const agent::RunDir dir{folder.path() / "runs" / "b"};
    fs::create_directories(dir.dir);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto made = RingFolder::make(dir, 1);
        if (made && made->begin_rank(3)) {
            test::write_text(made->of_rank(3) / "1-1.ring", std::string(5000, 'x'));
        }
        ::_exit(0);  // no destructor
    }
    ::waitpid(child, nullptr, 0);
    const auto left = agent::abandoned_ring_folders();
    ASSERT_FALSE(left.empty());
    EXPECT_TRUE(std::any_of(left.begin(), left.end(), [](const auto& entry) { return entry.bytes == 5000; }));
    agent::remove_ring_folder(dir);
    for (const auto& entry : agent::abandoned_ring_folders()) {
        EXPECT_NE(entry.bytes, 5000U);
    }
}

// --- the environment -----------------------------------------------------------------------------------------------------

using Environment = std::map<std::string, std::string>;

TEST(NcclPlugin, PathsOfTheNodeReplaceThoseOfThePlan) {
    Environment env{{kNcclPluginVariable, kNcclPluginPlaceholder},
                    {kNcclFolderVariable, kNcclFolderPlaceholder},
                    {kNcclLevelVariable, "2"}};
    agent::place_nccl_plugin(env, "", "/b/librankscope-nccl.so", "/dev/shm/r/0");
    EXPECT_EQ(env, (Environment{{kNcclPluginVariable, "/b/librankscope-nccl.so"},
                                {kNcclFolderVariable, "/dev/shm/r/0"},
                                {kNcclLevelVariable, "2"}}));
}

TEST(NcclPlugin, TheUsersOwnIsLoadedThroughOurs) {
    const std::map<std::string, std::string> libraries{{"/opt/inspector.so", "/opt/inspector.so"},
                                                       {"libmine.so", "libmine.so"},
                                                       {"inspector", "libnccl-profiler-inspector.so"}};
    for (const auto& [value, library] : libraries) {
        Environment of_node{{kNcclPluginVariable, kNcclPluginPlaceholder}};
        agent::place_nccl_plugin(of_node, value, "/b/ours.so", "/f");
        EXPECT_EQ(of_node[kNcclPluginVariable], "/b/ours.so");
        EXPECT_EQ(of_node[kNcclChainVariable], library) << value;
        Environment of_job{{kNcclPluginVariable, kNcclPluginPlaceholder}, {kNcclChainVariable, value}};
        agent::place_nccl_plugin(of_job, "/node/s.so", "/b/ours.so", "/f");
        EXPECT_EQ(of_job[kNcclChainVariable], library) << "the job's wins";
    }
    EXPECT_EQ(agent::plugin_refused("none"), "not-loaded");
    EXPECT_EQ(agent::plugin_refused("STATIC_PLUGIN"), "foreign-plugin");
    EXPECT_EQ(agent::plugin_refused("inspector"), "");
    EXPECT_EQ(agent::plugin_refused(""), "");
}

TEST(NcclPlugin, WithoutOursEverythingIsAsTheUserHasIt) {
    Environment env{{kNcclPluginVariable, kNcclPluginPlaceholder},
                    {kNcclFolderVariable, kNcclFolderPlaceholder},
                    {kNcclLevelVariable, "2"},
                    {"PATH", "/bin"}};
    Environment again = env;
    agent::place_nccl_plugin(env, "", "", "/f");
    EXPECT_EQ(env, (Environment{{"PATH", "/bin"}}));
    agent::place_nccl_plugin(again, "none", "", "");
    EXPECT_EQ(again, (Environment{{"PATH", "/bin"}, {kNcclPluginVariable, "none"}}));
}

TEST(NcclPlugin, ALongPathGetsALink) {
    const TemporaryFolder folder;
    fs::path deep = folder.path();
    while (deep.string().size() < 260) {
        deep /= "a-folder-with-a-name-that-is-long";
    }
    fs::create_directories(deep);
    test::write_text(deep / kNcclPluginFile, "x");
    const fs::path rings = folder.path() / "rings";
    fs::create_directories(rings);
    const fs::path link = agent::loadable_nccl_plugin(deep / kNcclPluginFile, rings);
    EXPECT_LT(link.string().size(), 255U);
    EXPECT_TRUE(fs::equivalent(link, deep / kNcclPluginFile));
    EXPECT_EQ(agent::loadable_nccl_plugin(link, rings), link) << "short enough";
    EXPECT_EQ(agent::loadable_nccl_plugin(folder.path() / "absent.so", rings), "");
}

// --- why a rank is not observed -----------------------------------------------------------------------------------------

TEST(NcclEvidence, IsReadFromMaps) {
    agent::NcclEvidence evidence;
    agent::read_maps(
        "7f0000000000-7f0000001000 r--p 00000000 08:01 11 /venv/my env/nvidia/nccl/lib/libnccl.so.2\n"
        "7f0000002000-7f0000003000 r-xp 00000000 08:01 12 /venv/torch/lib/libtorch_cuda.so\n"
        "7f0000004000-7f0000005000 r-xp 00000000 08:01 13 /opt/lib/libnccl-net.so\n"
        "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n",
        evidence);
    EXPECT_EQ(evidence.library, "/venv/my env/nvidia/nccl/lib/libnccl.so.2");
    EXPECT_TRUE(evidence.torch_cuda);
    EXPECT_FALSE(evidence.plugin);
    agent::read_maps("7f0000000000-7f0000001000 r--p 0 0 1 /c/bundles/ab/librankscope-nccl.so", evidence);
    EXPECT_TRUE(evidence.plugin);
    EXPECT_EQ(agent::nccl_evidence({::getpid()}).library, "");
}

TEST(NcclEvidence, TheReleaseIsInTheNameOrThePackage) {
    EXPECT_EQ(agent::nccl_version_of("/usr/lib/x86_64-linux-gnu/libnccl.so.2.19.3"), 21903);
    const TemporaryFolder folder;
    fs::create_directories(folder.path() / "nvidia/nccl/lib");
    fs::create_directories(folder.path() / "nvidia_nccl_cu12-2.21.5.dist-info");
    EXPECT_EQ(agent::nccl_version_of((folder.path() / "nvidia/nccl/lib/libnccl.so.2").string()), 22105);
    EXPECT_EQ(agent::nccl_version_of("/lib/libnccl.so.2"), 0);
}

TEST(NcclEvidence, NothingIsSaidOfARankThatNeedsNoNccl) {
    const agent::NcclEvidence torch{.torch_cuda = true, .gpu = true, .library = "/l/libnccl.so.2"};
    EXPECT_EQ(agent::why_unobserved(torch, 21903, {.age_s = 1000, .world_size = 1, .working = true}), "");
    EXPECT_EQ(agent::why_unobserved({}, 0, {.age_s = 1000, .world_size = 8, .working = true}), "");
    const agent::NcclEvidence on_cpu{.torch_cuda = true, .library = "/l/libnccl.so.2"};
    EXPECT_EQ(agent::why_unobserved(on_cpu, 22900, {.age_s = 1000, .world_size = 8, .working = true}), "");
}

TEST(NcclEvidence, EachReasonHasItsWord) {
    const agent::Unobserved working{.age_s = 90, .world_size = 8, .working = true};
    const agent::Unobserved starting{.age_s = 90, .world_size = 8};
    const agent::NcclEvidence shared{.torch_cuda = true, .gpu = true, .library = "/l/libnccl.so.2"};
    EXPECT_EQ(agent::why_unobserved(shared, 22005, starting), "nccl-too-old");
    EXPECT_EQ(agent::why_unobserved(shared, 22703, starting), "") << "no communicator yet";
    EXPECT_EQ(agent::why_unobserved(shared, 22703, working), "not-loaded");
    EXPECT_EQ(agent::why_unobserved(shared, 0, working), "not-loaded");
    EXPECT_EQ(agent::why_unobserved({.torch_cuda = true, .gpu = true}, 0, working), "statically-linked");
    EXPECT_EQ(agent::why_unobserved({.plugin = true, .gpu = true}, 0,
                                    {.age_s = 10, .world_size = 8, .ring_unreadable = true}),
              "ring-unreadable");
    EXPECT_EQ(agent::why_unobserved({}, 0, {.age_s = 400, .world_size = 8, .explicitly = true}), "no-nccl");
}

// --- in a run ---------------------------------------------------------------------------------------------------------------

class NcclRun : public test::AgentFixture {
protected:
    wire::StartRun observed(const std::vector<std::string>& scripts) {
        wire::StartRun run = run_of(scripts);
        run.set_bundle("nccl");
        fs::create_directories(paths_.bundle("nccl"));
        fs::copy_file(RANKSCOPE_NCCL_PLUGIN, paths_.bundle("nccl") / kNcclPluginFile,
                      fs::copy_options::overwrite_existing);
        run.mutable_nccl()->set_level(2);
        for (auto& rank : *run.mutable_ranks()) {
            auto& env = *rank.mutable_env();
            env[kNcclPluginVariable] = kNcclPluginPlaceholder;
            env[kNcclFolderVariable] = kNcclFolderPlaceholder;
            env[kNcclLevelVariable] = "2";
            env["RANK"] = std::to_string(rank.rank());
            env["WORLD_SIZE"] = std::to_string(run.ranks_size());
        }
        return run;
    }
    static std::string program(const std::string& options) {
        return std::string("exec '") + RANKSCOPE_NCCL_RANK + "' " + options;
    }
    std::vector<NcclEvent> nccl_of(int rank) const {
        std::vector<NcclEvent> events;
        for (const auto& frame : client_->events()) {
            const Event event = from_wire(frame, "node1");
            if (const auto* nccl = event.as<NcclEvent>(); nccl != nullptr && event.rank == rank) {
                events.push_back(*nccl);
            }
        }
        return events;
    }
    bool has_ring_folder(const wire::StartRun& run) const {
        const std::string name = agent::ring_folder_name(dir_of(run));
        return fs::exists("/dev/shm/" + name) || fs::exists("/tmp/" + name);
    }
    bool exits_before_nccl(int rank) const {
        bool exited = false;
        for (const auto& frame : client_->events()) {
            exited = exited || (frame.has_exit() && frame.rank() == rank);
            if (exited && frame.has_nccl() && frame.rank() == rank) {
                return true;
            }
        }
        return false;
    }
};

TEST_F(NcclRun, EveryRanksOperationsBecomeEventsBeforeItsExit) {
    const auto run = observed({program("steps=40 every_ms=5"), program("steps=40 every_ms=5 dies=1:25")});
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(1).signal(), SIGKILL);
    EXPECT_EQ(operations_in(nccl_of(1)), 25U) << history();
    EXPECT_GT(operations_in(nccl_of(0)), 0U) << "how far it was when the other died is not said";
    for (const int rank : {0, 1}) {
        EXPECT_FALSE(exits_before_nccl(rank));
    }
    EXPECT_NE(log_of(0).find("plugin: " + (paths_.bundle("nccl") / kNcclPluginFile).string()),
              std::string::npos);
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_FALSE(has_ring_folder(run));
}

TEST_F(NcclRun, EachAttemptCountsFromTheStart) {
    auto run =
        observed({"if [ $TORCHELASTIC_RESTART_COUNT = 0 ]; then " + program("steps=4 every_ms=0 dies=0:3") +
                  "; else " + program("steps=6 every_ms=0") + "; fi"});
    (*run.mutable_ranks(0)->mutable_env())["TORCHELASTIC_RESTART_COUNT"] = "0";
    run.set_max_restarts(1);
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE) << history();
    const auto events = nccl_of(0);
    EXPECT_EQ(operations_in(events), 9U);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().progress.at(0).finished, 6U);
}

TEST_F(NcclRun, AKilledSupervisorLeavesNoFiles) {
    const auto run = observed({program("steps=100000 every_ms=5")});
    start_and_attach(run);
    const auto observed_once = [&] { return !nccl_of(0).empty(); };
    ASSERT_TRUE(client_->wait_for(observed_once)) << history();
    EXPECT_TRUE(has_ring_folder(run));
    std::ifstream pid_file(dir_of(run).supervisor_pid());
    pid_t supervisor = 0;
    pid_file >> supervisor;
    ASSERT_GT(supervisor, 0);
    ::kill(supervisor, SIGKILL);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(end().outcome(), wire::OUTCOME_LOST);
    EXPECT_TRUE(wait_until_gone(run));
    EXPECT_FALSE(has_ring_folder(run));
}

TEST_F(NcclRun, TheLevelOfARunIsSetThroughItsSupervisor) {
    const auto run = observed({program("steps=100000 every_ms=5")});
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for([&] { return operations_in(nccl_of(0)) > 0; })) << history();
    wire::Request request;
    request.mutable_set_nccl_level()->set_run_id(run.run_id());
    request.mutable_set_nccl_level()->set_level(1);
    EXPECT_TRUE(client_->call(request).delivered().was_running());
    EXPECT_TRUE(client_->wait_for([&] {
        const auto events = nccl_of(0);
        return !events.empty() && !events.back().totals.empty() && !events.back().totals[0].gpu_times;
    })) << history();
    stop(run, true);
    ASSERT_TRUE(client_->wait_for_end());
}

TEST_F(NcclRun, WithoutTheLibraryTheRankRunsAndThatIsSaidOnce) {
    auto run = observed({program("steps=2 every_ms=0")});
    run.set_bundle("absent");
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(0).code(), 0);
    const auto events = nccl_of(0);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].unavailable, "not-loaded");
    EXPECT_NE(log_of(0).find("plugin: none"), std::string::npos) << log_of(0);
}

TEST_F(NcclRun, APluginOfTheUsersThatCannotBeOpenedIsReported) {
    auto run = observed({program("steps=3 every_ms=0")});
    (*run.mutable_ranks(0)->mutable_env())[kNcclChainVariable] = "/absent/plugin.so";
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(operations_in(nccl_of(0)), 3U);
    const auto notes = stages_of(0, wire::STAGE_NOTE);
    ASSERT_EQ(notes.size(), 1U) << history();
    EXPECT_EQ(notes[0].detail(), "the user's own NCCL profiler plugin cannot be opened");
}

TEST_F(NcclRun, ARankThatIsNotAskedForHasNothing) {
    auto run = observed({"env | grep -c NCCL_; exit 0"});
    run.mutable_ranks(0)->clear_env();
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_TRUE(nccl_of(0).empty());
    EXPECT_EQ(log_of(0), "0\n");
}

TEST_F(NcclRun, WhatThePluginSawIsNotCountedTwice) {
    auto run = observed(
        {R"(mkdir -p dumps; echo '{"header":{"id":"0x1","rank":0,"n_ranks":2},"coll_perf":{"coll":"Broadcast","coll_sn":1}}' > dumps/n-pid$$.log; )" +
         program("steps=3 every_ms=0")});
    (*run.mutable_ranks(0)->mutable_env())["NCCL_INSPECTOR_ENABLE"] = "1";
    (*run.mutable_ranks(0)->mutable_env())["NCCL_INSPECTOR_DUMP_DIR"] = "dumps";
    fs::create_directories(folder_ / "work");
    run.mutable_ranks(0)->set_workdir((folder_ / "work").string());
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(operations_in(nccl_of(0)), 3U);
}

}  // namespace
}  // namespace rankscope
