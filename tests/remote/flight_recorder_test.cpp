// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Dumps of PyTorch's Flight Recorder: recorded ones (tests/data/flight_recorder), and files of other shapes.

#include <base/files.h>
#include <remote/observe/flight_recorder/flight_match.h>

#include <gtest/gtest.h>

#include <filesystem>

namespace rankscope {
namespace {

using Dumps = std::map<int, FlightDump>;
using Ranks = std::vector<int>;

std::string recorded(const std::string& name) {
    return read_file(std::filesystem::path(RANKSCOPE_TEST_DATA) / "flight_recorder" / name).value_or("");
}

Dumps dumps_of(const std::string& run, const Ranks& ranks = {0, 1, 2}, const std::string& form = "pickle") {
    Dumps dumps;
    for (const int rank : ranks) {
        const auto dump = read_flight_dump(recorded(run + "-" + std::to_string(rank) + "." + form));
        EXPECT_TRUE(dump) << run << " " << rank;
        dumps[rank] = dump.value_or(FlightDump{});
        EXPECT_TRUE(dumps[rank].complete) << run << " " << rank;
    }
    return dumps;
}

FlightFinding only(const std::vector<FlightFinding>& found) {
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? FlightFinding{} : found.front();
}

/// The line of train.py that called it.
std::string line_of(const FlightEntry& entry) {
    for (const FlightFrame& frame : entry.frames) {
        if (frame.file == "/home/u/work/train.py") {
            return frame.function + ":" + std::to_string(frame.line);
        }
    }
    return "";
}

TEST(FlightRecorder, EntriesOfARealDump) {
    const FlightDump dump = dumps_of("skipped", {0}).at(0);
    EXPECT_EQ(dump.version, "2.10");
    ASSERT_EQ(dump.entries.size(), 5U);
    const FlightEntry& gather = dump.entries[3];
    EXPECT_EQ(gather.group, "0");
    EXPECT_EQ(gather.description, "default_pg");
    EXPECT_EQ(gather.sequence, 3);
    EXPECT_EQ(gather.operation, "all_gather");
    EXPECT_EQ(gather.backend, "gloo");
    EXPECT_EQ(gather.input_sizes, (FlightSizes{{4}}));
    EXPECT_EQ(gather.input_types, std::vector<std::string>{"Float"});
    EXPECT_EQ(gather.state, FlightState::Scheduled);
    EXPECT_FALSE(gather.retired);
    EXPECT_GT(gather.created_ns, 1'000'000'000'000'000'000);
    EXPECT_EQ(gather.completed_ns, 0);
    EXPECT_FALSE(gather.point_to_point);
    EXPECT_GT(gather.timeout_ms, 0);
    EXPECT_EQ(line_of(gather), "gather:21");
    EXPECT_EQ(dump.entries[2].group, "1");
}

TEST(FlightRecorder, JsonHasTheSameEntriesWithoutFrames) {
    Dumps pickles = dumps_of("skipped");
    const Dumps texts = dumps_of("skipped", {0, 1, 2}, "json");
    for (auto& [rank, dump] : pickles) {
        for (FlightEntry& entry : dump.entries) {
            entry.frames.clear();
        }
        EXPECT_EQ(dump.entries, texts.at(rank).entries);
    }
    EXPECT_EQ(only(match_flight_dumps(texts, 3)).ranks, Ranks{1});
}

TEST(FlightRecorder, Healthy) {
    EXPECT_TRUE(match_flight_dumps(dumps_of("healthy"), 3).empty());
    EXPECT_TRUE(match_flight_dumps({}, 3).empty());
}

TEST(FlightRecorder, ASkippedCollective) {
    const auto found = only(match_flight_dumps(dumps_of("skipped"), 3));
    EXPECT_EQ(found.fault, FlightFault::OtherOperation);
    EXPECT_EQ(found.group, "0");
    EXPECT_EQ(found.sequence, 3);
    EXPECT_EQ(found.ranks, Ranks{1});
    ASSERT_EQ(found.variants.size(), 2U);
    EXPECT_EQ(found.variants[0].ranks, (Ranks{0, 2}));
    EXPECT_EQ(found.variants[0].entry.operation, "all_gather");
    EXPECT_EQ(line_of(found.variants[0].entry), "gather:21");
    EXPECT_EQ(found.variants[1].entry.operation, "all_reduce");
    EXPECT_EQ(line_of(found.variants[1].entry), "last_reduce:25");
}

TEST(FlightRecorder, ARankThatHasNotEntered) {
    const auto found = only(match_flight_dumps(dumps_of("late"), 3));
    EXPECT_EQ(found.fault, FlightFault::NotEntered);
    EXPECT_EQ(found.sequence, 4);
    EXPECT_EQ(found.ranks, Ranks{0});
    ASSERT_EQ(found.variants.size(), 1U);
    EXPECT_EQ(found.variants[0].ranks, (Ranks{1, 2}));
    EXPECT_EQ(line_of(found.variants[0].entry), "last_reduce:25");
    ASSERT_EQ(found.last.size(), 1U);
    EXPECT_EQ(found.last[0].ranks, Ranks{0});
    EXPECT_EQ(line_of(found.last[0].entry), "gather:21") << "what it called last";
}

TEST(FlightRecorder, AnotherShape) {
    const auto found = only(match_flight_dumps(dumps_of("shape"), 3));
    EXPECT_EQ(found.fault, FlightFault::OtherSize);
    EXPECT_EQ(found.sequence, 3);
    EXPECT_EQ(found.ranks, Ranks{2});
    ASSERT_EQ(found.variants.size(), 2U);
    EXPECT_EQ(found.variants[1].entry.input_sizes, (FlightSizes{{5}}));
}

TEST(FlightRecorder, DumpsOverNccl) {
    EXPECT_TRUE(match_flight_dumps(dumps_of("nccl-healthy", {0, 1}), 2).empty());
    const FlightEntry entry = dumps_of("nccl-healthy", {0}).at(0).entries.at(4);
    EXPECT_EQ(entry.operation, "all_reduce");
    EXPECT_EQ(entry.backend, "nccl");
    EXPECT_EQ(entry.sequence, 5);
    EXPECT_EQ(entry.state, FlightState::Completed);
    EXPECT_GT(entry.completed_ns, entry.created_ns);

    const auto skipped = only(match_flight_dumps(dumps_of("nccl-skipped", {0, 1}), 2));
    EXPECT_EQ(skipped.fault, FlightFault::NotEntered) << "five equal operations: the last one lacks";
    EXPECT_EQ(skipped.sequence, 5);
    EXPECT_EQ(skipped.ranks, Ranks{1});

    const auto shape = only(match_flight_dumps(dumps_of("nccl-shape", {0, 1}), 2));
    EXPECT_EQ(shape.fault, FlightFault::OtherSize);
    EXPECT_EQ(shape.sequence, 4);
    ASSERT_EQ(shape.variants.size(), 2U);
    EXPECT_EQ(shape.variants[0].entry.input_sizes, (FlightSizes{{1024}}));
    EXPECT_EQ(shape.variants[1].entry.input_sizes, (FlightSizes{{512}}));
}

TEST(FlightRecorder, ADeadRank) {
    const auto found = only(match_flight_dumps(dumps_of("dead", {0, 1}), 3));
    EXPECT_EQ(found.fault, FlightFault::NoDump);
    EXPECT_EQ(found.ranks, Ranks{2});
    EXPECT_EQ(found.sequence, 4);
    EXPECT_EQ(only(match_flight_dumps(dumps_of("dead", {0, 1}))).fault, FlightFault::Unfinished)
        << "how many ranks there are is not known";
}

FlightEntry call(std::int64_t sequence, const std::string& operation,
                 FlightState state = FlightState::Started) {
    FlightEntry entry;
    entry.group = "7";
    entry.sequence = sequence;
    entry.operation = operation;
    entry.input_sizes = {{2, 3}};
    entry.output_sizes = {{2, 3}};
    entry.input_types = {"Float"};
    entry.state = state;
    return entry;
}

FlightDump dump_with(std::vector<FlightEntry> entries) {
    FlightDump dump;
    dump.entries = std::move(entries);
    return dump;
}

TEST(FlightRecorder, OneThingInSeveralShapes) {
    FlightEntry flat = call(1, "all_reduce");
    flat.input_sizes = {{6}};
    const auto equal = match_flight_dumps({{0, dump_with({call(1, "all_reduce")})}, {1, dump_with({flat})}});
    EXPECT_EQ(only(equal).fault, FlightFault::Unfinished) << "NCCL counts elements";
    FlightEntry half = call(1, "all_reduce");
    half.input_types = {"Half"};
    const auto type =
        only(match_flight_dumps({{0, dump_with({call(1, "all_reduce")})}, {1, dump_with({half})}}));
    EXPECT_EQ(type.fault, FlightFault::OtherType);
    EXPECT_TRUE(type.ranks.empty()) << "of two, none is the odd one out";
    // Each rank may pass its own share to these.
    for (const char* name : {"all_to_all", "reduce_scatter", "gather", "scatter"}) {
        FlightEntry one = call(1, name, FlightState::Completed);
        FlightEntry other = one;
        other.input_sizes = {{9}};
        EXPECT_TRUE(match_flight_dumps({{0, dump_with({one})}, {1, dump_with({other})}}).empty()) << name;
    }
    for (const char* name : {"_all_gather_base", "broadcast", "allreduce_coalesced", "reduce"}) {
        FlightEntry one = call(1, name, FlightState::Completed);
        FlightEntry other = one;
        other.input_sizes = {{9}};
        EXPECT_EQ(match_flight_dumps({{0, dump_with({one})}, {1, dump_with({other})}}).size(), 1U) << name;
    }
}

// The ring of a busy rank keeps fewer, and what has ended needs no rank any more.
TEST(FlightRecorder, RingsOfDifferentLength) {
    std::vector<FlightEntry> all;
    for (int sequence = 1; sequence <= 9; ++sequence) {
        all.push_back(call(sequence, "all_reduce", FlightState::Completed));
    }
    const std::vector<FlightEntry> newest(all.begin() + 5, all.end());
    EXPECT_TRUE(match_flight_dumps({{0, dump_with(all)}, {1, dump_with(newest)}}).empty());
    std::vector<FlightEntry> ahead = all;
    ahead.push_back(call(10, "all_reduce", FlightState::Completed));
    EXPECT_TRUE(match_flight_dumps({{0, dump_with(ahead)}, {1, dump_with(newest)}}).empty());
    ahead.back().state = FlightState::Started;
    EXPECT_EQ(only(match_flight_dumps({{0, dump_with(ahead)}, {1, dump_with(newest)}})).ranks, Ranks{1});
    FlightEntry send = call(1, "send");
    send.point_to_point = true;
    EXPECT_TRUE(match_flight_dumps({{0, dump_with({send})}, {1, dump_with({})}}).empty());
}

TEST(FlightRecorder, MembersOfAGroup) {
    FlightDump zero = dump_with({call(1, "all_reduce")});
    zero.groups = {{"7", "tp", {0, 2, 5}}};
    const auto found = only(match_flight_dumps({{0, zero}, {2, dump_with({})}, {5, zero}}));
    EXPECT_EQ(found.fault, FlightFault::NotEntered);
    EXPECT_EQ(found.ranks, Ranks{2});
    EXPECT_TRUE(found.last.at(0).entry.operation.empty());
    EXPECT_EQ(only(match_flight_dumps({{0, zero}, {5, zero}})).fault, FlightFault::NoDump);
}

TEST(FlightRecorder, DumpsOfOtherVersions) {
    const auto list = read_flight_dump(R"([{"seq_id": 4, "pg_id": 2, "profiling_name": "nccl:all_reduce",
        "input_sizes": [[1, 2]], "state": "completed", "time_created_ns": 5, "duration_ms": 1.5,
        "frames": [{"filename": "a.py", "name": "f", "line": 3}]}])");
    ASSERT_TRUE(list);
    ASSERT_EQ(list->entries.size(), 1U);
    EXPECT_EQ(list->entries[0].sequence, 4);
    EXPECT_EQ(list->entries[0].group, "2");
    EXPECT_EQ(list->entries[0].backend, "nccl");
    EXPECT_EQ(list->entries[0].duration_ms, 1.5);
    EXPECT_EQ(list->entries[0].frames, (std::vector<FlightFrame>{{"a.py", "f", 3}}));
    const auto groups = read_flight_dump(
        R"({"version": "2.4", "pg_config": {"1": {"name": "1", "desc": "tp", "ranks": "[0, 8, 16]"}}})");
    ASSERT_TRUE(groups);
    EXPECT_EQ(groups->groups, (std::vector<FlightGroup>{{"1", "tp", {0, 8, 16}}}));
}

// Cut off anywhere, a dump is read as far as it goes.
TEST(FlightRecorder, DumpsMayBeCutOffAnywhere) {
    for (const char* name : {"late-1.pickle", "skipped-0.json"}) {
        const std::string bytes = recorded(name);
        const FlightDump whole = read_flight_dump(bytes).value_or(FlightDump{});
        ASSERT_EQ(whole.entries.size(), 5U);
        std::size_t most = 0;
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto part = read_flight_dump(std::string_view(bytes).substr(0, size));
            if (part) {
                EXPECT_FALSE(part->complete && size + 2 < bytes.size()) << name << " " << size;
                ASSERT_LE(part->entries.size(), 5U);
                most = std::max(most, part->entries.size());
            }
        }
        EXPECT_EQ(most, 5U) << name;
        const auto half = read_flight_dump(std::string_view(bytes).substr(0, bytes.size() * 3 / 4));
        ASSERT_TRUE(half) << name;
        ASSERT_GE(half->entries.size(), 2U) << name;
        EXPECT_EQ(half->entries[0], whole.entries[0]) << name;
    }
}

TEST(FlightRecorder, NothingIsExecuted) {
    // os.system("true"), in protocols 2 and 4, and an object of a class.
    for (const std::string_view bytes : {std::string_view("\x80\x02"
                                                          "cos\nsystem\nU\x04trueR."),
                                         std::string_view("\x80\x04\x8c\x02os\x8c\x06system\x93."),
                                         std::string_view("\x80\x02}(U\x07"
                                                          "entriesca\nb\n)\x81u.")}) {
        EXPECT_FALSE(read_flight_dump(bytes));
    }
    for (const char* bytes :
         {"", "{}", "[]", "\x80\x02", "\x80\x02.", "\x80\x02N.", "\x80\x05}.", "plain text", "{\"a\": 1}"}) {
        EXPECT_FALSE(read_flight_dump(bytes)) << bytes;
    }
}

TEST(FlightRecorder, HostileDumps) {
    // A list that holds itself, as its own entries.
    EXPECT_FALSE(
        read_flight_dump("\x80\x02]q\x01(h\x01h\x01"
                         "e."));
    EXPECT_FALSE(read_flight_dump("\x80\x02" + std::string(100000, '(')));
    EXPECT_FALSE(read_flight_dump("\x80\x02" + std::string(4'100'000, ')')));
    EXPECT_FALSE(read_flight_dump(std::string(1'000'000, '[')));
    EXPECT_FALSE(read_flight_dump(std::string_view("\x80\x02X\xff\xff\xff\xff", 7)));
    EXPECT_FALSE(read_flight_dump(std::string_view("\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xff", 11)));
    // Many references to one long text.
    std::string same = "\x80\x02](}(X" + std::string("\x0e\x00\x00\x00", 4) + "profiling_nameX" +
                       std::string("\x00\x00\x10\x00", 4) + std::string(1U << 20U, 'x') + "uq" +
                       std::string(1, '\x01');
    for (int i = 0; i < 40000; ++i) {
        same += "h\x01";
    }
    const auto dump = read_flight_dump(same + "e.");
    ASSERT_TRUE(dump);
    EXPECT_FALSE(dump->complete);
    EXPECT_LT(dump->entries.size(), 40000U);
    FlightEntry odd = call(1, "all_reduce");
    odd.input_sizes = {{INT64_MAX, INT64_MIN, -1}};
    EXPECT_EQ(match_flight_dumps({{0, dump_with({odd})}, {1, dump_with({odd})}}).size(), 1U);
}

}  // namespace
}  // namespace rankscope
