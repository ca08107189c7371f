// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Answers of NCCL's RAS: recorded ones (tests/data/nccl_ras), of several versions, and texts of other shapes.

#include <base/files.h>
#include <remote/observe/nccl_ras/ras_findings.h>
#include <remote/observe/nccl_ras/ras_json.h>

#include <gtest/gtest.h>

#include <filesystem>

namespace rankscope {
namespace {

constexpr std::uint64_t kAll = 0xc0ffee;
constexpr std::uint64_t kPair = 0xbeef;

std::string recorded(const std::string& name) {
    return read_file(std::filesystem::path(RANKSCOPE_TEST_DATA) / "nccl_ras" / name).value_or("");
}

RasReport read(const std::string& answer) {
    const auto report = read_ras_report(answer);
    EXPECT_TRUE(report) << answer.substr(0, 200);
    return report.value_or(RasReport{});
}

std::vector<int> ranks_of(const RasFinding& finding) {
    std::vector<int> ranks;
    for (const RasRank& rank : finding.ranks) {
        ranks.push_back(rank.rank);
    }
    return ranks;
}

/// "behind AllReduce of 3", short enough to compare.
std::vector<std::string> short_of(const std::vector<RasFinding>& findings) {
    std::vector<std::string> all;
    for (const RasFinding& finding : findings) {
        std::string text = to_string(finding.fault);
        text += finding.collective.empty() ? "" : " " + finding.collective;
        text += finding.expected_collective.empty() ? "" : " for " + finding.expected_collective;
        text += finding.communicator == kPair ? " pair" : "";
        for (const int rank : ranks_of(finding)) {
            text += " " + std::to_string(rank);
        }
        all.push_back(text);
    }
    return all;
}

std::vector<std::string> found_in(const std::string& file) {
    return short_of(ras_findings(read(recorded(file))));
}

using Short = std::vector<std::string>;

TEST(NcclRas, RecordedAnswersNameTheRank) {
    EXPECT_EQ(found_in("2.24.3-healthy.txt"), Short{});
    EXPECT_EQ(found_in("2.30.7-healthy.json"), Short{});
    EXPECT_EQ(found_in("2.24.3-behind.txt"), Short{"behind 2"}) << "2.24 does not tell functions apart";
    EXPECT_EQ(found_in("2.28.9-behind.json"), Short{"behind AllReduce 2"});
    EXPECT_EQ(found_in("2.27.5-other.txt"), Short{"other-collective Broadcast for AllReduce 2"});
    EXPECT_EQ(found_in("2.28.9-other.txt"), Short{"other-collective Broadcast for AllReduce 2"});
    EXPECT_EQ(found_in("2.24.3-async.txt"), (Short{"async-error 1", "behind 2"}));
    EXPECT_EQ(found_in("2.30.7-async.json"),
              (Short{"async-error 1", "other-collective Broadcast for AllReduce 2"}));
    EXPECT_EQ(found_in("2.24.3-killed.txt"), (Short{"no-answer 3", "no-answer -1"}))
        << "2.24 names the rank without its process";
    for (const char* file :
         {"2.27.5-killed.txt", "2.28.9-killed.json", "2.30.7-killed.json", "2.30.7-killed.txt"}) {
        EXPECT_EQ(found_in(file), Short{"no-answer 3"}) << file;
    }
    EXPECT_EQ(found_in("2.30.7-stopped.json"), (Short{"no-answer pair 1", "no-answer 1"}));
}

TEST(NcclRas, TextHasAllThatItSays) {
    const RasReport report = read(recorded("2.27.5-other.txt"));
    EXPECT_TRUE(report.complete);
    EXPECT_FALSE(report.json);
    EXPECT_EQ(report.nccl_version, "2.27.5");
    EXPECT_EQ(report.cuda_runtime, 12090);
    EXPECT_EQ(report.cuda_driver, 0);
    EXPECT_EQ(report.nodes, 2);
    EXPECT_EQ(report.processes, 4);
    EXPECT_EQ(report.gpus, 4);
    ASSERT_EQ(report.groups.size(), 2U);
    EXPECT_EQ(report.groups[0].ranks, 4);
    EXPECT_TRUE(report.groups[0].mismatch);
    EXPECT_EQ(report.groups[1].state, RasRankState::Running);
    ASSERT_EQ(report.communicators.size(), 1U);
    const RasCommunicator& all = report.communicators[0];
    EXPECT_EQ(all.hash, kAll);
    EXPECT_EQ(all.label, "0-0");
    EXPECT_EQ(all.size, 4);
    ASSERT_EQ(all.ranks.size(), 1U);
    EXPECT_EQ(all.ranks[0].host, "127.0.0.2");
    EXPECT_EQ(all.ranks[0].cuda_device, 2);
    EXPECT_EQ(all.ranks[0].nvml_device, 2);
    EXPECT_GT(all.ranks[0].pid, 0);
    EXPECT_EQ(all.ranks[0].counts, (std::vector<RasCount>{{"Broadcast", 1}, {"AllReduce", 9}}));
    const auto findings = ras_findings(report);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].communicator, kAll);
    EXPECT_EQ(findings[0].launched, 1U);
    EXPECT_EQ(findings[0].expected, 0U);
    EXPECT_EQ(findings[0].size, 4);
}

TEST(NcclRas, JsonHasAllThatItSays) {
    const RasReport report = read(recorded("2.30.7-killed.json"));
    EXPECT_TRUE(report.json);
    EXPECT_TRUE(report.complete);
    EXPECT_FALSE(report.repaired);
    EXPECT_EQ(report.nccl_version, "2.30.7");
    EXPECT_EQ(report.cuda_runtime, 12090);
    EXPECT_FALSE(report.time.empty());
    ASSERT_EQ(report.communicators.size(), 2U);
    EXPECT_EQ(report.communicators[0].hash, kPair);
    const RasCommunicator& all = report.communicators[1];
    EXPECT_EQ(all.secondary_hash, "0xc0ffef:0xc10fee");
    EXPECT_EQ(all.size, 4);
    EXPECT_EQ(all.missing, 1);
    ASSERT_EQ(all.ranks.size(), 4U);
    EXPECT_EQ(all.ranks[0].state, RasRankState::Running);
    ASSERT_EQ(all.ranks[0].counts.size(), 5U);
    EXPECT_EQ(all.ranks[0].counts[4], (RasCount{"AllReduce", 10}));
    EXPECT_EQ(all.ranks[3].rank, 3);
    EXPECT_EQ(all.ranks[3].state, RasRankState::NoAnswer);
    EXPECT_EQ(all.ranks[3].host, "127.0.0.2");
    EXPECT_GT(all.ranks[3].pid, 0);
    EXPECT_EQ(read(recorded("2.30.7-async.json")).communicators[1].ranks[1].async_error, NcclError::Remote);
}

TEST(NcclRas, JsonOf2_28LacksCommas) {
    const RasReport report = read(recorded("2.28.9-killed.json"));
    EXPECT_TRUE(report.complete);
    EXPECT_TRUE(report.repaired);
    EXPECT_EQ(report.communicators.at(1).ranks.at(3).nvml_device, 3);
    EXPECT_FALSE(read(recorded("2.28.9-behind.json")).repaired);
    EXPECT_EQ(with_missing_commas(R"({"a": 1 "b": [2] "c": {} "d": true "e": "x 1 \" 2", "f": 3})"),
              R"({"a": 1, "b": [2], "c": {}, "d": true, "e": "x 1 \" 2", "f": 3})");
}

TEST(NcclRas, ImpossibleRowsAreDropped) {
    const RasReport report = read(recorded("2.27.5-stopped.txt"));
    EXPECT_TRUE(report.damaged);
    ASSERT_EQ(report.communicators.size(), 1U);
    EXPECT_EQ(short_of(ras_findings(report)), (Short{"no-answer pair 1"}));
    for (const char* file : {"2.24.3-stopped.txt", "2.27.5-killed.txt", "2.30.7-killed.txt"}) {
        EXPECT_FALSE(read(recorded(file)).damaged) << file;
    }
    EXPECT_TRUE(ras_text_is_sound("2.24.3"));
    EXPECT_TRUE(ras_text_is_sound("2.25.1+cuda12.8"));
    EXPECT_FALSE(ras_text_is_sound("2.26.2"));
    EXPECT_FALSE(ras_text_is_sound("2.28.9+cuda13.0"));
    EXPECT_TRUE(ras_text_is_sound("2.29.2"));
    EXPECT_TRUE(ras_text_is_sound("2.30.7"));
    EXPECT_FALSE(ras_text_is_sound(""));
    EXPECT_FALSE(ras_text_is_sound("2.23.4"));
}

// Cut off after any byte, an answer is read as far as it goes.
TEST(NcclRas, AnswersMayBeCutOffAnywhere) {
    for (const char* file :
         {"2.28.9-killed.json", "2.30.7-async.json", "2.27.5-other.txt", "2.24.3-stopped.txt"}) {
        const std::string answer = recorded(file);
        const RasReport whole = read(answer);
        for (std::size_t size = 0; size < answer.size(); ++size) {
            const auto report = read_ras_report(std::string_view(answer).substr(0, size));
            if (report) {
                EXPECT_LE(report->communicators.size(), whole.communicators.size()) << file << " " << size;
            }
        }
        const auto half = read_ras_report(std::string_view(answer).substr(0, answer.size() / 2));
        ASSERT_TRUE(half) << file;
        EXPECT_FALSE(half->complete) << file;
        EXPECT_EQ(half->nccl_version, whole.nccl_version) << file;
    }
}

// From the format strings of NCCL's src/ras/client_support.cc.
constexpr const char* kHead =
    "NCCL version 2.29.7 compiled with CUDA 12.9\nCUDA runtime version 12090, driver version 12080\n\n"
    "Job summary\n===========\n\n  Nodes  Processes         GPUs\n          per node  per process\n      3   "
    "       8"
    "            1\n      1          7            1\n\n  Nodes  Processes         GPUs\n(total)    (total)   "
    "   (total)\n"
    "      4         31           31\n\nThe outlier node:\n  Node 192.0.2.4 running processes "
    "1,2,3,4,5,6,7\n\n"
    "Communicators... (0.012s)\n=============\n\n"
    "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
    "    #  in group  per comm  per node  per comm  in group\n"
    "    0         2         4       7-8        32        31     ABORT  INCOMPLETE,ERROR,MISMATCH\n"
    "    1         8         1         8         8         8  FINALIZE      OK\n\nErrors\n======\n\n";

TEST(NcclRas, TextWithEveryBlock) {
    const std::string answer =
        std::string(kHead) +
        "INCOMPLETE\n  Missing communicator data from 1 job process\n"
        "  Process 40 on node 192.0.2.3 managing GPUs 0,1 (NVML 4,5)\n\n"
        "DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
        "  Process 41 on node 192.0.2.4 managing GPU 7\n\n"
        "#0-1 (00c0ffee00c0ffee) INCOMPLETE\n  Missing communicator data from 2 ranks\n"
        "  Rank 8 -- GPU 0 (NVML 4) managed by process 40 on node 192.0.2.3\n"
        "  Rank 31 -- GPU 7 managed by process 41 on node 192.0.2.4\n\n"
        "#0-1 (00c0ffee00c0ffee) ERROR\n  Initialization errors on 2 ranks\n"
        "  2 ranks reported System error\n"
        "  Rank 3 -- GPU 3 managed by process 50 on node 192.0.2.1\n"
        "  Rank 4 -- [process information not found]\n"
        "  Asynchronous error on 1 rank\n"
        "  Rank 5 reported Unhandled CUDA error -- GPU 5 managed by process 52 on node 192.0.2.1\n\n"
        "Warnings\n========\n\n"
        "TIMEOUT\n  Encountered 2 communication timeouts while gathering communicator data\n\n"
        "#0-1 (00c0ffee00c0ffee) MISMATCH\n  Communicator ranks have different status\n"
        "  27 ranks have status RUNNING\n"
        "  Rank 6 has status ABORT -- GPU 6 managed by process 53 on node 192.0.2.1\n"
        "  2 ranks have status NOCOMM\n"
        "  Rank 9 -- GPU 1 managed by process 60 on node 192.0.2.2\n"
        "  Rank 10 -- [process information not found]\n"
        "  Communicator ranks have different AllGather operation counts\n"
        "  26 ranks have launched up to operation 412\n"
        "  2 ranks have not launched any operations\n"
        "  Rank 1 -- GPU 1 managed by process 48 on node 192.0.2.1\n"
        "  Rank 2 -- GPU 2 managed by process 49 on node 192.0.2.1\n"
        "  Rank 7 has not launched any operations -- [process information not found]\n\n";
    const RasReport report = read(answer);
    EXPECT_EQ(report.nodes, 4);
    EXPECT_EQ(report.processes, 31);
    EXPECT_EQ(report.timeouts, 2);
    EXPECT_EQ(report.missing_processes, 1);
    EXPECT_EQ(report.dead_processes, 1);
    ASSERT_EQ(report.missing.size(), 1U);
    EXPECT_EQ(report.missing[0].gpus, "0,1 (NVML 4,5)");
    ASSERT_EQ(report.groups.size(), 2U);
    EXPECT_TRUE(report.groups[0].mismatch && report.groups[0].error && report.groups[0].incomplete);
    EXPECT_EQ(report.groups[0].state, RasRankState::Aborted);
    EXPECT_EQ(report.groups[1].state, RasRankState::Finalizing);
    EXPECT_FALSE(report.damaged);
    ASSERT_EQ(report.communicators.size(), 1U);
    EXPECT_EQ(report.communicators[0].hash, 0x00c0ffee00c0ffeeU);
    EXPECT_EQ(report.communicators[0].ranks[0].nvml_device, 4);
    const auto findings = ras_findings(report);
    EXPECT_EQ(short_of(findings), (Short{"dead 31", "no-answer 8", "init-error 3 4", "async-error 5",
                                         "behind AllGather 1 2 7", "not-member 9 10", "aborted 6"}));
    EXPECT_EQ(findings[2].error, NcclError::System);
    EXPECT_EQ(findings[3].error, NcclError::Cuda);
}

// Half of the ranks is no outlier: NCCL names none of them, but all others.
TEST(NcclRas, RanksWithoutANameFollowFromTheOthers) {
    const auto answer = [](const char* block) {
        return "Communicators... (0.01s)\n=============\n\n"
               "    0         1         1         6         6         6   RUNNING  "
               "MISMATCH\n\nErrors\n======\n\n"
               "Warnings\n========\n\n#0-0 (00000000000000aa) MISMATCH\n"
               "  Communicator ranks have different AllReduce operation counts\n" +
               std::string(block);
    };
    const auto found =
        ras_findings(read(answer("  4 ranks have launched up to operation 7\n"
                                 "  Rank 0 -- GPU 0 managed by process 1 on node 192.0.2.1\n"
                                 "  Rank 2 -- GPU 2 managed by process 3 on node 192.0.2.1\n"
                                 "  Rank 3 -- GPU 3 managed by process 4 on node 192.0.2.1\n"
                                 "  Rank 5 -- GPU 5 managed by process 6 on node 192.0.2.1\n"
                                 "  2 ranks have launched up to operation 6\n")));
    EXPECT_EQ(short_of(found), (Short{"behind AllReduce 1 4"}));
    const auto unknown =
        ras_findings(read(answer("  3 ranks have launched up to operation 7\n"
                                 "  3 ranks have launched up to operation 6\n")));
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_TRUE(unknown[0].ranks.empty());
    EXPECT_EQ(unknown[0].count, 3);
    EXPECT_EQ(unknown[0].launched, 6U);
    EXPECT_EQ(unknown[0].expected, 7U) << "of two halves, the one ahead is the measure";
}

TEST(NcclRas, OneRankAheadIsNamed) {
    const auto found = ras_findings(
        read(std::string(kHead) + "Warnings\n========\n\n#0-0 (00000000000000aa) MISMATCH\n"
                                  "  Communicator ranks have different Reduce operation counts\n"
                                  "  31 ranks have launched up to operation 7\n"
                                  "  Rank 9 has launched up to operation 8 -- GPU 1 managed by process 3 on "
                                  "node 192.0.2.1\n"));
    EXPECT_EQ(short_of(found), Short{"ahead Reduce 9"});
}

// A busy job's counts differ, too: only what stands still is a fault.
TEST(NcclRas, AFindingStandsWhenTheNextReportHasItToo) {
    const auto first = ras_findings(read(recorded("2.28.9-behind.json")));
    ASSERT_EQ(first.size(), 1U);
    EXPECT_FALSE(first[0].standing);
    const auto second = ras_findings(read(recorded("2.28.9-behind.json")), first);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_TRUE(second[0].standing);
    std::string later = recorded("2.28.9-behind.json");
    for (std::size_t at = later.find("\"AllReduce\": 10"); at != std::string::npos;
         at = later.find("\"AllReduce\": 10", at)) {
        later.replace(at, 15, "\"AllReduce\": 11");
    }
    const auto busy = ras_findings(read(later), first);
    ASSERT_EQ(busy.size(), 1U);
    EXPECT_FALSE(busy[0].standing);
}

TEST(NcclRas, NoAnswerOfRas) {
    for (const char* text :
         {"", "\n", "SSH-2.0-OpenSSH_9.2\r\n", "{}", "[]", "{\"a\": [1]}", "ERROR: Unknown command x\n",
          "{\"communicators\": [[1], 5, {\"size\": \"x\"}]}"}) {
        EXPECT_FALSE(read_ras_report(text)) << text;
    }
    // Numbers beyond any type, and places where others belong.
    const auto odd = read_ras_report(R"({"nccl_version": "2.29.2", "communicators": [[1], {"size": 1e300,
        "hash": "zz", "missing_ranks_count": -99999999999999, "ranks": [5, {"rank": 18446744073709551615,
        "collective_counts": {"AllReduce": -1}, "status": {"init_state": 99}}]}]})");
    ASSERT_TRUE(odd);
    EXPECT_EQ(short_of(ras_findings(*odd)), Short{"init-error -1"});
}

// Deep, wide and long: neither recursion nor memory without a limit.
TEST(NcclRas, HostileAnswers) {
    const std::string deep =
        "{\"nccl_version\": \"2.29.2\", \"communicators\": " + std::string(3'000'000, '[');
    EXPECT_TRUE(read_ras_report(deep));
    std::string wide = "{\"nccl_version\": \"2.29.2\", \"communicators\": [";
    for (int i = 0; i < 600000; ++i) {
        wide += "{},";
    }
    const auto report = read_ras_report(wide);
    ASSERT_TRUE(report);
    EXPECT_LE(report->communicators.size(), kMostRasRanks);
    std::string list =
        "Communicators... (0.1s)\n    0 1 1 1 600000 1   RUNNING  INCOMPLETE\nErrors\n"
        "#0-0 (00000000000000aa) INCOMPLETE\n  The missing ranks: ";
    for (int i = 0; i < 600000; ++i) {
        list += std::to_string(i) + ",";
    }
    const auto missing = read_ras_report(list);
    ASSERT_TRUE(missing);
    EXPECT_LE(missing->communicators.at(0).ranks.size(), kMostRasRanks);
}

}  // namespace
}  // namespace rankscope
