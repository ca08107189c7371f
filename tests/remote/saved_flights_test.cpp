// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Dumps of PyTorch's Flight Recorder that lie in files: recorded ones (tests/data/flight_recorder).

#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/runs/watch/saved_flights.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

const fs::path kRecorded = fs::path(RANKSCOPE_TEST_DATA) / "flight_recorder";

std::string recorded(const std::string& name) {
    return read_file(kRecorded / name).value_or("");
}

SavedFlights dumps_of(const std::string& run, int ranks, std::int64_t modified_s = 0) {
    SavedFlights flights;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string name = run + '-' + std::to_string(rank) + ".pickle";
        EXPECT_TRUE(flights.take(name, modified_s, recorded(name))) << name;
    }
    return flights;
}

std::vector<Verdict> verdicts_of(const SavedFlights& flights) {
    std::vector<Verdict> verdicts;
    flights.add_to(verdicts);
    return verdicts;
}

bool mentions(const Verdict& verdict, const std::string& text) {
    return std::ranges::any_of(verdict.evidence, [&](const Evidence& evidence) {
        return evidence.text.find(text) != std::string::npos;
    });
}

TEST(SavedFlights, TheNameOfADumpEndsWithItsRank) {
    EXPECT_EQ(rank_of_dump("/tmp/nccl_trace_rank_12"), 12);
    EXPECT_EQ(rank_of_dump("rank_3"), 3);
    EXPECT_EQ(rank_of_dump("run7/skipped-0.pickle"), 0);
    EXPECT_EQ(rank_of_dump("trace.5"), 5);
    EXPECT_EQ(rank_of_dump("nccl_trace"), -1);
    EXPECT_EQ(rank_of_dump("4/nccl_trace"), -1);
    EXPECT_EQ(rank_of_dump("nccl_trace_rank_3_20261126"), 3);
    EXPECT_EQ(rank_of_dump("ranks/trace_of_rank-7.json"), 7);
    EXPECT_EQ(rank_of_dump("rank_a_5"), 5);
    EXPECT_EQ(rank_of_dump("rank_99999999999"), -1);
    EXPECT_EQ(rank_of_dump(""), -1);
}

TEST(SavedFlights, ARankThatLeftOutACollectiveIsNamed) {
    for (const auto& [run, ranks] : {std::pair("nccl-skipped", 2), std::pair("late", 3)}) {
        const auto verdicts = verdicts_of(dumps_of(run, ranks));
        ASSERT_EQ(verdicts.size(), 1U) << run;
        EXPECT_EQ(verdicts[0].id.str(), "nccl-rank-behind") << run;
        EXPECT_EQ(verdicts[0].rank, run == std::string("late") ? 0 : 1);
        EXPECT_TRUE(verdicts[0].node.empty());
        EXPECT_EQ(verdicts[0].title.find(" for "), std::string::npos)
            << "no time is known: " << verdicts[0].title;
        EXPECT_TRUE(mentions(verdicts[0], "train.py:") || mentions(verdicts[0], ".py:")) << run;
    }
}

TEST(SavedFlights, TheGroupIsNamedByItsPurpose) {
    SavedFlights flights;
    for (int rank = 0; rank < 4; ++rank) {
        const std::string name = "rank_" + std::to_string(rank);
        const fs::path file = fs::path(RANKSCOPE_TEST_DATA) / "meshes/hang_tp" / name;
        ASSERT_TRUE(flights.take(name, 0, read_file(file).value_or(""))) << name;
    }
    const auto verdicts = verdicts_of(flights);
    ASSERT_EQ(verdicts.size(), 1U);
    EXPECT_EQ(verdicts[0].rank, 3);
    EXPECT_TRUE(mentions(verdicts[0], "tp group 1 (ranks 2 and 3), process group mesh_tp"))
        << verdicts[0].evidence.front().text;
    EXPECT_NE(verdicts[0].title.find("tp group 1"), std::string::npos) << verdicts[0].title;
}

TEST(SavedFlights, AnotherSizeAndAnotherOperationAreMismatches) {
    const auto shape = verdicts_of(dumps_of("nccl-shape", 2));
    ASSERT_EQ(shape.size(), 1U);
    EXPECT_EQ(shape[0].id.str(), "collective-mismatch");
    EXPECT_EQ(shape[0].reason, "other-size");
    const auto skipped = verdicts_of(dumps_of("skipped", 3));
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].id.str(), "collective-mismatch");
    EXPECT_EQ(skipped[0].ranks, std::vector<int>{1});
}

TEST(SavedFlights, ARankWithoutADumpIsNamedAsAHint) {
    SavedFlights flights;
    ASSERT_TRUE(flights.take("rank_0", 0, recorded("nccl-skipped-0.pickle")));
    const auto verdicts = verdicts_of(flights);
    ASSERT_EQ(verdicts.size(), 1U);
    EXPECT_EQ(verdicts[0].id.str(), "nccl-rank-behind");
    EXPECT_EQ(verdicts[0].reason, "no-dump");
    EXPECT_EQ(verdicts[0].rank, 1);
    EXPECT_LE(verdicts[0].confidence, 0.5);
}

TEST(SavedFlights, OfAHealthyRunNothingIsSaid) {
    EXPECT_TRUE(verdicts_of(dumps_of("healthy", 3)).empty());
    EXPECT_TRUE(verdicts_of(dumps_of("nccl-healthy", 2)).empty());
    EXPECT_TRUE(verdicts_of(SavedFlights()).empty());
}

TEST(SavedFlights, ARunThatWasWrittenDownWhileItWorkedIsNoHang) {
    const auto& waiting = dumps_of("late", 3).dumps().at(1).entries.back();
    const std::int64_t called_s = waiting.created_ns / 1'000'000'000;
    const auto busy = dumps_of("late", 3, called_s + 2);
    ASSERT_EQ(busy.findings().size(), 1U);
    EXPECT_FALSE(busy.findings()[0].standing);
    EXPECT_TRUE(verdicts_of(busy).empty());
    EXPECT_EQ(verdicts_of(dumps_of("late", 3, called_s + 600)).size(), 1U);
}

TEST(SavedFlights, TheNewerDumpOfARankCounts) {
    SavedFlights flights;
    EXPECT_TRUE(flights.take("a/rank_0", 200, recorded("nccl-healthy-0.pickle")));
    EXPECT_TRUE(flights.take("b/rank_0", 100, recorded("late-0.pickle")));
    EXPECT_EQ(flights.dumps().at(0).entries.size(), 5U);
    EXPECT_EQ(flights.world_size(), 2);
    EXPECT_TRUE(flights.take("c/rank_0", 300, recorded("late-0.pickle")));
    EXPECT_EQ(flights.dumps().at(0).entries.size(), 4U);
}

TEST(SavedFlights, WhatAnEarlierRunLeftIsLeftOut) {
    const auto& healthy = dumps_of("nccl-healthy", 2).dumps().at(0);
    const std::int64_t begin_s = healthy.entries.front().created_ns / 1'000'000'000;
    // A larger run before: the groups of the newer one do not have its last rank.
    SavedFlights smaller;
    EXPECT_TRUE(smaller.take("rank_0", begin_s + 700, recorded("nccl-healthy-0.pickle")));
    EXPECT_TRUE(smaller.take("rank_1", begin_s + 700, recorded("nccl-healthy-1.pickle")));
    EXPECT_TRUE(smaller.take("rank_2", begin_s + 600, recorded("nccl-skipped-1.pickle")));
    smaller.leave_out_earlier_runs();
    EXPECT_EQ(smaller.of_earlier_runs(), std::vector<int>{2});
    EXPECT_TRUE(verdicts_of(smaller).empty());
    // A rank that wrote none this time: its file is older than what the other has called.
    SavedFlights old;
    EXPECT_TRUE(old.take("rank_0", begin_s + 700, recorded("nccl-healthy-0.pickle")));
    EXPECT_TRUE(old.take("rank_1", begin_s - 3600, recorded("nccl-skipped-1.pickle")));
    old.leave_out_earlier_runs();
    EXPECT_EQ(old.of_earlier_runs(), std::vector<int>{1});
    EXPECT_TRUE(verdicts_of(old).empty());
    // Of one run, whatever the order of its files.
    SavedFlights one = dumps_of("nccl-skipped", 2, begin_s + 900);
    one.leave_out_earlier_runs();
    EXPECT_TRUE(one.of_earlier_runs().empty());
    EXPECT_EQ(one.dumps().size(), 2U);
}

TEST(SavedFlights, AVerdictOfTheSameNameGivesItsEvidence) {
    Verdict printed;
    printed.id = "collective-mismatch";
    printed.confidence = 0.6;
    printed.evidence.push_back({.text = "a line of a log"});
    Verdict timeout;
    timeout.id = "watchdog-timeout";
    timeout.confidence = 0.9;
    std::vector<Verdict> verdicts{timeout, printed};
    dumps_of("nccl-shape", 2).add_to(verdicts);
    ASSERT_EQ(verdicts.size(), 2U);
    EXPECT_EQ(verdicts[0].id.str(), "collective-mismatch");
    EXPECT_TRUE(mentions(verdicts[0], "a line of a log"));
    EXPECT_TRUE(mentions(verdicts[0], "Flight Recorder: "));
}

TEST(SavedFlights, AreFoundAmongLogs) {
    const test::TemporaryFolder folder;
    const fs::path root = folder.path();
    for (const char* name : {"late-0.pickle", "late-1.pickle", "late-2.pickle"}) {
        fs::copy_file(kRecorded / name, root / name);
    }
    std::ofstream(root / "skipped.json") << recorded("skipped-0.json");  // no rank in its name: a text
    std::ofstream(root / "train.log") << "{\"pg_config\": not what it looks like}\nepoch 1\n";
    std::ofstream(root / "weights-1.pickle") << "\x80\x02}q\x00(" << std::string(600, '\x01');
    SavedFlights flights;
    std::vector<std::string> sources;
    std::size_t lines = 0;
    const logs::RawSink sink{
        .begin = [&](std::uint32_t, const logs::Source& source) { sources.push_back(source.name); },
        .line =
            [&](const logs::RawLine& line) {
                lines += sources.at(line.place.file).ends_with("train.log") ? 1U : 0U;
            },
        .whole = flights.sink()};
    const auto read = logs::read_raw_lines({root.string()}, {}, sink);
    EXPECT_EQ(flights.dumps().size(), 3U);
    EXPECT_EQ(sources.size(), 6U);
    EXPECT_EQ(read.sources.size(), sources.size());
    EXPECT_EQ(lines, 2U);
    ASSERT_EQ(read.remarks.size(), 1U);
    EXPECT_EQ(read.remarks[0].kind, logs::RemarkKind::NotText);
    // One that is too large is not taken.
    SavedFlights none;
    (void)logs::read_raw_lines({root.string()}, {.most_whole = 1000},
                               {.begin = {}, .line = [](const logs::RawLine&) {}, .whole = none.sink()});
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace rankscope
