// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the agent makes of the files of NVIDIA's NCCL Inspector.

#include "support/agent_fixture.h"
#include "support/temporary_folder.h"

#include <remote/agent/nccl/inspector_files.h>
#include <remote/wire/event_wire.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

class InspectorRun : public test::AgentFixture {
protected:
    // Those before the exit of the rank.
    std::vector<NcclEvent> nccl_of(int rank) const {
        std::vector<NcclEvent> events;
        for (const auto& frame : client_->events()) {
            const Event event = from_wire(frame, "node1");
            if (event.rank == rank && event.as<ExitEvent>() != nullptr) {
                break;
            }
            if (const auto* nccl = event.as<NcclEvent>(); nccl != nullptr && event.rank == rank) {
                events.push_back(*nccl);
            }
        }
        return events;
    }
};

// A line of NCCL Inspector, with the process's number as the shell knows it.
std::string inspector_line(int number, int microseconds) {
    return R"({"header":{"id":"0x7f8c496ae9f661","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"n","pid":)" +
           std::string("'$$'") + R"(},"coll_perf":{"coll":"AllReduce","coll_sn":)" + std::to_string(number) +
           R"(,"coll_msg_size_bytes":1048576,"coll_exec_time_us":)" + std::to_string(microseconds) + "}}";
}

TEST_F(InspectorRun, WhatInspectorWroteOfARankThatIsNotObservedBecomesItsEvent) {
    auto run = run_of({"mkdir -p 'dumped here'; echo '" + inspector_line(1, 400) +
                           "' > \"dumped here/n-pid$$.log\"; echo '" + inspector_line(2, 600) +
                           "' >> \"dumped here/n-pid$$.log\"; echo '" + inspector_line(9, 1) +
                           "' > \"dumped here/n-pid1.log\"; exit 0",
                       "exit 0"});
    for (auto& rank : *run.mutable_ranks()) {
        (*rank.mutable_env())["NCCL_INSPECTOR_ENABLE"] = "1";
        (*rank.mutable_env())["NCCL_INSPECTOR_DUMP_DIR"] = (folder_ / "work" / "dumped here").string();
        fs::create_directories(folder_ / "work");
        rank.set_workdir((folder_ / "work").string());
    }
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for_end()) << history();
    const auto events = nccl_of(0);
    ASSERT_EQ(events.size(), 1U) << history();
    ASSERT_EQ(events[0].totals.size(), 1U);
    EXPECT_EQ(events[0].totals[0].function, "AllReduce");
    EXPECT_EQ(events[0].totals[0].operations, 2U) << "the file of another process is not this rank's";
    EXPECT_NEAR(events[0].totals[0].seconds, 1e-3, 1e-9);
    EXPECT_NEAR(events[0].totals[0].longest_s, 6e-4, 1e-9);
    ASSERT_EQ(events[0].operations.size(), 2U);
    EXPECT_EQ(events[0].operations[1].sequence, 2U);
    ASSERT_EQ(events[0].communicators.size(), 1U);
    EXPECT_EQ(events[0].communicators[0].ranks, 2);
    EXPECT_TRUE(nccl_of(1).empty());
}

TEST(InspectorFiles, OnlyTheEndOfALargeFileIsRead) {
    const TemporaryFolder folder;
    const std::string line =
        R"({"header":{"id":"0x1","rank":0,"n_ranks":2,"pad":")" + std::string(20'000, 'x') +
        R"("},"coll_perf":{"coll":"Broadcast","coll_sn":1,"coll_msg_size_bytes":8,"coll_exec_time_us":5}})" +
        '\n';
    {
        std::ofstream file(folder / "n-pid77.log");
        for (std::size_t bytes = 0; bytes < agent::kMostInspectorBytes + (1U << 20U); bytes += line.size()) {
            file << line;
        }
    }
    const auto event = agent::read_inspector_files(folder.path(), 77);
    ASSERT_TRUE(event);
    ASSERT_EQ(event->totals.size(), 1U);
    EXPECT_LE(event->totals[0].operations, agent::kMostInspectorBytes / line.size());
    EXPECT_GE(event->totals[0].operations, agent::kMostInspectorBytes / line.size() - 1);
    EXPECT_EQ(event->operations.size(), 256U);
    EXPECT_FALSE(agent::read_inspector_files(folder.path(), 7));
    EXPECT_FALSE(agent::read_inspector_files(folder / "absent", 77));
}

TEST(InspectorFiles, TheFolderIsThatOfTheJobElseOfTheNode) {
    wire::RankSpec rank;
    rank.set_workdir("/work dir");
    auto& env = *rank.mutable_env();
    env["NCCL_INSPECTOR_ENABLE"] = "0";
    EXPECT_EQ(agent::inspector_folder(rank), "");
    env["NCCL_INSPECTOR_ENABLE"] = "1";
    env["SLURM_JOBID"] = "4711";
    EXPECT_EQ(agent::inspector_folder(rank), "/work dir/nccl-inspector-4711");
    env["NCCL_INSPECTOR_DUMP_DIR"] = "dumps";
    EXPECT_EQ(agent::inspector_folder(rank), "/work dir/dumps");
    env["NCCL_INSPECTOR_DUMP_DIR"] = "/scratch/dumps";
    EXPECT_EQ(agent::inspector_folder(rank), "/scratch/dumps");
}

}  // namespace
}  // namespace rankscope
