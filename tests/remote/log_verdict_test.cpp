// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/shipped_rules.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace rankscope::logs {
namespace {

TEST(LogVerdicts, CauseComesBeforeThoseThatNoticed) {
    const auto found = diagnosed(
        "[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:33484\n"
        "[rank2]: RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:33490\n"
        "[rank3]: ValueError: the label 1000 is out of range\n");
    ASSERT_FALSE(found.verdicts.empty());
    const auto& first = found.verdicts.front();
    EXPECT_EQ(first.id.text(), "rank-exception");
    EXPECT_EQ(first.rank, 3);
    EXPECT_EQ(first.waiting, (std::vector<int>{0, 2}));
    ASSERT_EQ(first.evidence.size(), 1U);
    EXPECT_EQ(first.evidence[0].file, "train.log");
    EXPECT_EQ(first.evidence[0].line, 3);
    EXPECT_EQ(first.evidence[0].text, "[rank3]: ValueError: the label 1000 is out of range");
}

TEST(LogVerdicts, VictimAloneIsNotSure) {
    const auto found = diagnosed(
        "n1:7:7 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer "
        "n4<41005>\n");
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_LT(found.verdicts.front().confidence, 0.5);
    EXPECT_EQ(found.verdicts.front().node, "n4");
    EXPECT_EQ(found.verdicts.front().reason, "victim");
}

TEST(LogVerdicts, AddressBecomesTheNodeThatHasIt) {
    const auto found = diagnosed(
        "n1:7:7 [0] NCCL INFO Bootstrap : Using eth0:10.3.0.1<0>\n"
        "n2:9:9 [0] NCCL INFO Bootstrap : Using eth0:10.3.0.2<0>\n"
        "n2:9:9 [0] misc/socket.cc:456 NCCL WARN Net : Connect to 10.3.0.1<45903> failed : No route to "
        "host\n");
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "nccl-ports-icmp-reject");
    EXPECT_EQ(found.verdicts.front().node, "n1");
}

TEST(LogVerdicts, HealthyLinesHaveNoVerdict) {
    const auto found = diagnosed(
        "n1:7:7 [0] NCCL INFO Bootstrap : Using eth0:10.3.0.1<0>\n"
        "n1:7:7 [0] NCCL INFO NET/IB : No device found.\n"
        "n1:7:7 [0] NCCL INFO Using network Socket\n"
        "n1:7:7 [0] NCCL INFO comm 0x7f rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n"
        "step 10 loss 0.3\n");
    EXPECT_TRUE(found.verdicts.empty());
    for (const auto& entry : found.timeline) {
        EXPECT_TRUE(entry.kind == TimelineKind::Fact || entry.kind == TimelineKind::Last) << entry.text;
    }
}

TEST(LogVerdicts, UnknownErrorIsNamedWithoutConfidence) {
    const auto found = diagnosed("n1:7:7 [0] init.cc:9 NCCL WARN The frobnicator is out of cheese\n");
    ASSERT_EQ(found.verdicts.size(), 1U);
    EXPECT_EQ(found.verdicts.front().id.text(), "no-known-cause");
    EXPECT_LT(found.verdicts.front().confidence, 0.5);
    EXPECT_NE(found.verdicts.front().title.find("out of cheese"), std::string::npos);
}

TEST(LogVerdicts, SummaryOfTorchrunNamesTheRankThatCrashed) {
    const auto found = diagnosed(
        "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-20_18:32:33\n  host      : "
        "node-a\n"
        "  rank      : 5 (local_rank: 1)\n  exitcode  : -11 (pid: 16740)\n");
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "rank-segv");
    EXPECT_EQ(found.verdicts.front().rank, 5);
    EXPECT_EQ(found.verdicts.front().node, "node-a");
}

TEST(LogVerdicts, RankThatDoesNotWaitIsBlamedForAHang) {
    std::string text = "[rank2]: loading the next shard\n";
    for (const char* rank : {"0", "1", "3"}) {
        text += std::string("[rank") + rank + "]:[E810 03:04:11.06 ProcessGroupNCCL.cpp:683] [Rank " + rank +
                "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=96, OpType=ALLREDUCE, "
                "NumelIn=8, "
                "NumelOut=8, Timeout(ms)=600000) ran for 600096 milliseconds before timing out.\n";
    }
    const auto found = diagnosed(text);
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "rank-hang");
    EXPECT_EQ(found.verdicts.front().rank, 2);
}

TEST(LogVerdicts, RuleAsksForAFactOfTheLines) {
    std::vector<RuleProblem> problems;
    const auto own = parse_rules(
        "- {id: facts, role: context, signatures: [{name: channels, fact: channel}]}\n"
        "- {id: late, title: late, signatures: [it failed], when: [{seen: facts/channels}]}\n"
        "- {id: early, title: early, signatures: [it failed], when: [{missing: facts/channels}]}\n",
        "r.yaml", problems);
    ASSERT_TRUE(problems.empty());
    const auto first = [&](const std::string& text) {
        return diagnose_text(own, text, "log").verdicts.at(0).id.str();
    };
    EXPECT_EQ(first("it failed\n"), "early");
    EXPECT_EQ(first("n1:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] via P2P/IPC\nit failed\n"), "late");
    EXPECT_EQ(first("n1:7:7 [0] NCCL INFO Channel closed by the user\nit failed\n"), "early");
}

TEST(LogVerdicts, RankOfAProcessIsThatInTheLargestCommunicator) {
    const auto found = diagnose_text(rules(),
                                     "n1:70:70 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 "
                                     "cudaDev 0 nvmlDev 0 busId 1b000 commId 0xa1 "
                                     "- Init COMPLETE\n"
                                     "n1:70:70 [0] NCCL INFO ncclCommInitRank comm 0x2 rank 5 nranks 8 "
                                     "cudaDev 0 nvmlDev 0 busId 1b000 commId 0xa2 "
                                     "- Init COMPLETE\n"
                                     "n1:70:75 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect "
                                     "to 10.9.0.7<41035> failed : No route to "
                                     "host\n",
                                     "log");
    const auto entry = std::find_if(found.timeline.begin(), found.timeline.end(),
                                    [](const TimelineEntry& one) { return one.place.line == 3; });
    ASSERT_NE(entry, found.timeline.end());
    EXPECT_EQ(entry->rank, 5);
}

TEST(LogVerdicts, WatchdogsOfTheRanksAreCompared) {
    const auto first = [](const std::string& one, const std::string& other) {
        const auto line = [](int rank, const std::string& work) {
            return "[rank" + std::to_string(rank) + "]:[E ProcessGroupNCCL.cpp:616] [Rank " +
                   std::to_string(rank) + "] Watchdog caught collective operation timeout: WorkNCCL(" + work +
                   ", Timeout(ms)=8000) ran for 8097 milliseconds before timing out.\n";
        };
        return diagnosed(line(0, one) + line(1, other)).verdicts.at(0);
    };
    const auto sizes = first("SeqNum=2, OpType=ALLREDUCE, NumelIn=4, NumelOut=4",
                             "SeqNum=2, OpType=ALLREDUCE, NumelIn=8, NumelOut=8");
    EXPECT_EQ(sizes.id.str(), "collective-mismatch");
    EXPECT_EQ(sizes.rank, -1) << "of two ranks either may be wrong";
    EXPECT_EQ(first("SeqNum=2, OpType=ALLREDUCE, NumelIn=4, NumelOut=4",
                    "SeqNum=2, OpType=ALLREDUCE, NumelIn=4, NumelOut=4")
                  .id.str(),
              "rank-hang");
    EXPECT_EQ(
        first("SeqNum=2, OpType=SEND, NumelIn=4, NumelOut=4", "SeqNum=2, OpType=RECV, NumelIn=4, NumelOut=4")
            .id.str(),
        "rank-hang")
        << "two sides of a transfer";
}

TEST(LogVerdicts, TheSentenceNamesThePlace) {
    const auto first = [](const std::string& text) { return diagnosed(text).verdicts.at(0); };
    const auto ecc = first(
        "[default0]:[rank12]:[E817 17:40:34.2 ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) Rank 12] Process "
        "group "
        "watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered\n");
    EXPECT_EQ(ecc.rank, 12);
    EXPECT_NE(ecc.title.find("rank 12"), std::string::npos) << ecc.title;
    const auto kernel = first("kernel: NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.\n");
    EXPECT_EQ(kernel.device, "GPU 0000:83:00");
    EXPECT_NE(kernel.title.find("0000:83:00"), std::string::npos) << kernel.title;
    const auto step =
        first("slurmstepd: error: *** JOB 37 ON n-5146 CANCELLED AT 2021-03-15 DUE TO PREEMPTION ***\n");
    EXPECT_EQ(step.node, "n-5146");
    EXPECT_NE(step.title.find("n-5146"), std::string::npos) << step.title;
    EXPECT_EQ(
        first("slurmstepd: error: *** JOB 37 ON ... CANCELLED AT 2021-03-15 DUE TO TIME LIMIT ***\n").node,
        "");
    const auto memory =
        first("[rank1]: torch.OutOfMemoryError: CUDA out of memory. GPU 5 has a total capacity of 79 GiB\n");
    EXPECT_EQ(memory.device, "GPU 5");
}

TEST(LogVerdicts, ANodeIsWhatLinesName) {
    const auto of_file = [](const std::string& text, const std::string& file) {
        return diagnose_text(rules(), text, file).verdicts.at(0).node;
    };
    const std::string files = "OSError: [Errno 24] Too many open files\n";
    EXPECT_EQ(of_file(files, "report-005.txt"), "");
    EXPECT_EQ(of_file(files, "node-a.log"), "") << "a saved report may have any name";
    EXPECT_EQ(of_file("gpu-7:1:2 [0] NCCL INFO Using network Socket\n" + files, "node-a.log"), "gpu-7");
    EXPECT_EQ(
        of_file(
            "n1:1:2 [0] NCCL INFO Using network Socket\nn2:3:4 [0] NCCL INFO Using network Socket\n" + files,
            "both.log"),
        "");
    EXPECT_EQ(
        of_file("n1:7:7 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to fe80::1%ib1<17943> "
                "failed : Software caused connection abort\n",
                "a.log"),
        "")
        << "a link-local address is no node";
}

TEST(LogVerdicts, MemoryIsBounded) {
    std::string text;
    for (int i = 0; i < 3000; ++i) {
        text +=
            "n1:7:7 [0] init.cc:9 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device "
            "1000\n";
    }
    const auto found = diagnosed(text);
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().id.text(), "duplicate-gpu");
    EXPECT_LE(found.timeline.size(), 32U);
}

TEST(LogVerdicts, TimelineMarksTheFirstFault) {
    const auto found = diagnosed(
        "[2026-01-02 03:04:09] n1:7:7 [0] a.cc:1 NCCL WARN socketProgress: Connection closed by remote peer "
        "n2<41005>\n"
        "[2026-01-02 03:04:05] n2:9:9 [0] a.cc:1 NCCL WARN Cuda failure 2 'out of memory'\n");
    ASSERT_EQ(found.timeline.size(), 2U);
    EXPECT_EQ(found.timeline[0].host, "n2");
    EXPECT_TRUE(found.timeline[0].first);
    EXPECT_EQ(found.timeline[0].kind, TimelineKind::Fault);
    EXPECT_EQ(found.timeline[1].kind, TimelineKind::Notice);
}

// A launcher says which of its processes was killed, and not by whom.
TEST(LogVerdicts, AKilledProcessIsNamedAndNoLackOfMemoryIsStated) {
    const auto summary = diagnosed(
        "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-26_11:20:30\n  host      : node2\n"
        "  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 1039)\n  error_file: <N/A>\n"
        "  traceback : Signal 9 (SIGKILL) received by PID 1039\n");
    const auto child = diagnosed("[rank: 1] Child process with PID 1039 terminated with code -9.\n");
    for (const auto& found : {summary, child}) {
        ASSERT_FALSE(found.verdicts.empty());
        const std::string& title = found.verdicts.front().title;
        EXPECT_NE(title.find("rank 1, pid 1039: a user, a program or the kernel"), std::string::npos)
            << title;
        EXPECT_EQ(title.find("ran out of memory"), std::string::npos) << title;
        EXPECT_LT(found.verdicts.front().confidence, 0.8);
    }
    const auto loader =
        diagnosed("RuntimeError: DataLoader worker (pid 4161) is killed by signal: Killed.\n");
    EXPECT_NE(loader.verdicts.at(0).title.find("DataLoader worker was killed"), std::string::npos);
    EXPECT_NE(loader.verdicts.at(0).title.find("pid 4161"), std::string::npos);
    const auto counted = diagnosed("slurmstepd: error: Detected 1 oom_kill event in StepId=700.0.\n");
    EXPECT_EQ(counted.verdicts.at(0).title, "The node ran out of memory and killed a process.");
}

}  // namespace
}  // namespace rankscope::logs
