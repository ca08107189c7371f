// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/clock.h>
#include <remote/agent/node/command.h>
#include <remote/agent/slurm/slurm_job.h>

#include <gtest/gtest.h>

#include <csignal>
#include <ctime>

namespace rankscope::agent {
namespace {

// As Slurm 22.05 prints it.
constexpr const char* kPending =
    "JobId=2 JobName=a.sh UserId=trainer(59000) GroupId=trainer(59000) MCS_label=N/A Priority=4294901758 "
    "Nice=0 "
    "Account=(null) QOS=(null) JobState=PENDING Reason=Resources Dependency=(null) Requeue=1 Restarts=0 "
    "BatchFlag=1 "
    "Reboot=0 ExitCode=0:0 RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A SubmitTime=2026-11-21T13:32:21 "
    "StartTime=2026-11-21T14:05:00 EndTime=Unknown Deadline=N/A Partition=main NodeList= NumNodes=2-2 "
    "Comment=JobState=COMPLETED Command=/home/trainer/a b.sh WorkDir=/home/trainer Power= \n";

TEST(SlurmJob, ReadsWhatScontrolSays) {
    const auto state = parse_scontrol_job(kPending);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->job_id(), 2U);
    EXPECT_EQ(state->state(), "PENDING");
    EXPECT_EQ(state->reason(), "Resources");
    EXPECT_EQ(state->partition(), "main");
    EXPECT_EQ(state->time_limit(), "01:00:00");
    const std::time_t start = state->start_us() / 1000000;
    std::tm parts{};
    ::localtime_r(&start, &parts);
    EXPECT_EQ(parts.tm_hour, 14);
    EXPECT_EQ(parts.tm_min, 5);
}

TEST(SlurmJob, ReadsTheEndOfAJob) {
    const auto state = parse_scontrol_job(
        "JobId=7 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=3:9 RunTime=1-02:03:04 "
        "TimeLimit=UNLIMITED "
        "StartTime=Unknown Partition=(null)");
    ASSERT_TRUE(state);
    EXPECT_EQ(state->exit_code(), 3);
    EXPECT_EQ(state->exit_signal(), 9);
    EXPECT_EQ(state->elapsed(), "1-02:03:04");
    EXPECT_EQ(state->start_us(), 0);
    EXPECT_EQ(state->partition(), "");
    EXPECT_TRUE(slurm_state_is_final(state->state()));
    EXPECT_FALSE(slurm_state_is_final("COMPLETING"));
    EXPECT_FALSE(slurm_state_is_final(""));
}

TEST(SlurmJob, ReadsWhichNodesAreUnfit) {
    const auto nodes = parse_unfit_nodes(
        "node1|idle|none\nnode2|drained|disk | replaced\nnode2|drained|disk | replaced\nnode3|down*|Not "
        "responding\n"
        "node4|allocated|none\nnode5|mixed+drain|x\n\nno table\n");
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].name() + ' ' + nodes[0].state() + ' ' + nodes[0].reason(),
              "node2 drained disk | replaced");
    EXPECT_EQ(nodes[1].name() + ' ' + nodes[1].state() + ' ' + nodes[1].reason(),
              "node3 down Not responding");
}

TEST(SlurmJob, WhatIsNoJobIsNone) {
    for (const char* text :
         {"", "slurm_load_jobs error: Invalid job id specified", "JobId=", "JobId=5",
          "JobId=x JobState=RUNNING", "ArrayJobId=5 XJobState=RUNNING", "JobId=5JobState=RUNNING"}) {
        EXPECT_FALSE(parse_scontrol_job(text)) << text;
    }
}

TEST(SlurmJob, ReadsTheAccounting) {
    const auto state = parse_sacct(
        "12|CANCELLED by "
        "1000|0:15|00:01:02|\n12.batch|CANCELLED|0:15|00:01:02|5800K\n12.0|COMPLETED|0:0|00:01:01|1.5G\n");
    ASSERT_TRUE(state);
    EXPECT_EQ(state->job_id(), 12U);
    EXPECT_EQ(state->state(), "CANCELLED");
    EXPECT_EQ(state->reason(), "CANCELLED by 1000");
    EXPECT_EQ(state->exit_signal(), 15);
    EXPECT_EQ(state->elapsed(), "00:01:02");
    EXPECT_EQ(state->max_rss_bytes(), 3ULL << 29U);
    EXPECT_TRUE(state->accounted());
    for (const char* text :
         {"", "Slurm accounting storage is disabled", "|||", "12.0|COMPLETED|0:0|0|5K", "x|y|z|t"}) {
        EXPECT_FALSE(parse_sacct(text)) << text;
    }
}

TEST(SlurmJob, ProgramsAreFoundInPathAndWhereSitesInstallThem) {
    const test::TemporaryFolder folder;
    test::write_text(folder / "sbatch-of-the-test", "#!/bin/sh\n");
    std::filesystem::permissions(folder / "sbatch-of-the-test", std::filesystem::perms::owner_all);
    const test::ScopedEnvironment path("PATH", folder.path().string() + "::relative:/nowhere");
    EXPECT_EQ(find_slurm_program("sbatch-of-the-test"), (folder / "sbatch-of-the-test").string());
    EXPECT_EQ(find_slurm_program("env"), "/usr/bin/env");
    EXPECT_EQ(find_slurm_program("no-such-program"), "");
}

TEST(Command, CollectsBothStreamsAndTheStatus) {
    auto command = Command::start({"sh", "-c", "echo out; echo err >&2; exit 3"}, 60);
    ASSERT_TRUE(command);
    command->wait();
    EXPECT_EQ(command->status(), 3);
    EXPECT_EQ(command->output(), "out\n");
    EXPECT_EQ(command->errors(), "err\n");
    EXPECT_FALSE(command->timed_out());
    EXPECT_FALSE(Command::start({"/no/such/program"}, 60));
}

TEST(Command, LargeOutputDoesNotBlockIt) {
    auto command = Command::start({"sh", "-c", "head -c 3000000 /dev/zero; echo end >&2"}, 60);
    ASSERT_TRUE(command);
    command->wait();
    EXPECT_EQ(command->status(), 0);
    EXPECT_EQ(command->output().size(), 3000000U);
    EXPECT_EQ(command->errors(), "end\n");
}

TEST(Command, OneThatHangsIsKilled) {
    const double begin = monotonic_s();
    auto command = Command::start({"sleep", "600"}, 0.2);
    ASSERT_TRUE(command);
    command->wait();
    EXPECT_TRUE(command->timed_out());
    EXPECT_EQ(command->status(), -1);
    EXPECT_LT(monotonic_s() - begin, 30);
}

TEST(Command, AChildThatKeepsTheOutputOpenIsNotWaitedFor) {
    auto command = Command::start({"sh", "-c", "sleep 600 & echo $!"}, 60);
    ASSERT_TRUE(command);
    command->wait();
    EXPECT_EQ(command->status(), 0);
    const auto child = static_cast<pid_t>(std::stol(command->output()));
    EXPECT_EQ(::kill(child, SIGKILL), 0);
}

}  // namespace
}  // namespace rankscope::agent
