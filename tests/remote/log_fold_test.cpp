// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/logs/facts/nccl_message.h>
#include <remote/logs/fold/folded_rows.h>
#include <remote/logs/grammar/line_parser.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rankscope::logs {
namespace {

const LineGuide& guide() {
    static const LineGuide own = [] {
        std::vector<std::string> problems;
        return LineGuide::parse(read_file(RANKSCOPE_RESOURCES "/nccl_lines.yaml").value_or(""), "lines",
                                problems);
    }();
    return own;
}

std::string key_of(std::string_view message, std::string_view host = {}) {
    LineTemplate shape;
    shape.take(message, host);
    std::replace(shape.key.begin(), shape.key.end(), kPlaceMark, '?');
    return shape.key;
}

// A rank's lines, as its NCCL prints them.
class Log {
public:
    void print(int rank, const std::string& message, LineLevel level = LineLevel::Info) {
        const std::string host = "node" + std::to_string(rank / 8);
        folded.feed({.place = {static_cast<std::uint32_t>(rank), ++number_},
                     .text = message,
                     .message = message,
                     .speaker = Speaker::Nccl,
                     .level = level,
                     .host = host,
                     .rank = -1,
                     .local_rank = -1,
                     .pid = 1000 + rank,
                     .tid = 1000 + rank,
                     .device = rank % 8});
    }
    void start(int rank, int ranks, const std::string& id = "0xabc0123456789") {
        print(rank, "ncclCommInitRank comm 0x55" + std::to_string(10000 + rank) + " rank " +
                        std::to_string(rank) + " nranks " + std::to_string(ranks) + " cudaDev " +
                        std::to_string(rank % 8) + " nvmlDev 0 busId 1b000 commId " + id + " - Init START");
    }
    FoldedRows rows() const { return folded_rows(folded, guide()); }
    FoldedRow row(std::string_view text) const {
        for (const auto& row : rows().rows) {
            if (row.text.find(text) != std::string::npos) {
                return row;
            }
        }
        ADD_FAILURE() << "no row with " << text;
        return {};
    }

    FoldedLog folded;

private:
    std::uint64_t number_ = 0;
};

Log healthy(int ranks) {
    Log log;
    for (int rank = 0; rank < ranks; ++rank) {
        log.print(rank, "NCCL version 2.28.9+cuda12.9");
        log.print(rank, "Bootstrap: Using eth0:10.0." + std::to_string(rank / 200) + '.' +
                            std::to_string(rank % 200 + 1) + "<0>");
        log.print(rank, "Using network IB");
        log.start(rank, ranks);
        for (int channel = 0; channel < 4; ++channel) {
            log.print(rank, "Channel 0" + std::to_string(channel) + "/0 : " + std::to_string(rank) +
                                "[0] -> " + std::to_string((rank + 1) % ranks) + "[1] via P2P/CUMEM");
        }
        log.print(rank,
                  "24 coll channels, 24 collnet channels, 0 nvls channels, 32 p2p channels, 4 p2p channels "
                  "per peer");
        log.print(rank, "ncclCommInitRank comm 0x55" + std::to_string(10000 + rank) + " rank " +
                            std::to_string(rank) + " nranks " + std::to_string(ranks) +
                            " cudaDev 0 nvmlDev 0 busId 1b000 commId 0xabc0123456789 - Init COMPLETE");
    }
    return log;
}

TEST(RankSets, TextAndBack) {
    RankSet ranks;
    for (const int rank : {0, 1, 2, 3, 4, 5, 6, 8, 10, 11}) {
        EXPECT_TRUE(ranks.insert(rank));
    }
    EXPECT_FALSE(ranks.insert(8));
    EXPECT_FALSE(ranks.insert(-1));
    EXPECT_FALSE(ranks.insert(RankSet::kMost));
    EXPECT_EQ(ranks_text(ranks), "0-6,8,10,11");
    EXPECT_EQ(parse_ranks("0-6, 8,10 11"), ranks);
    EXPECT_EQ(parse_ranks("6-0"), std::nullopt);
    EXPECT_EQ(parse_ranks("a"), std::nullopt);
    EXPECT_EQ(parse_ranks("1-999999999"), std::nullopt);
    EXPECT_EQ(parse_ranks(""), std::nullopt);
    EXPECT_EQ(ranks_text(RankSet()), "");
}

TEST(LineTemplates, WhatVariesIsAPlace) {
    EXPECT_EQ(key_of("comm 0x831fed0 rank 1 nranks 4 cudaDev 1 busId 1b000 - Init COMPLETE"),
              "comm ? rank ? nranks ? cudaDev ? busId ? - Init COMPLETE");
    EXPECT_EQ(key_of("Bootstrap : Using eth0:10.20.0.11<0>"), "Bootstrap : Using ?:?<?>");
    EXPECT_EQ(key_of("Bootstrap : Using [0]ib0:fe80::1%ib0<0>"), "Bootstrap : Using [?]?:?<?>");
    EXPECT_EQ(key_of("Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1"),
              key_of("Trees [0] -1/-1/-1->1->0 [1] 0/2/-1->1->-1"));
    EXPECT_EQ(key_of("Channel 00/02 :    0   1"), "Channel ?/? : ? ?");
    EXPECT_EQ(key_of("Using network Socket"), key_of("Using network AWS Libfabric"));
    EXPECT_EQ(key_of("connect to alpha failed", "alpha"), "connect to ? failed");
    EXPECT_EQ(key_of("connect to alphabet failed", "alpha"), "connect to alphabet failed");
    EXPECT_EQ(key_of("at 18:13:52.984066 it"), "at ? it");
    EXPECT_EQ(key_of("ends with 5."), "ends with ?.");
    EXPECT_EQ(key_of(""), "");
    EXPECT_LE(key_of(std::string(100000, 'x')).size(), kLongestTemplate + 3);
    EXPECT_LE(key_of(std::string(3000, '1')).size(), kLongestTemplate + 3);
}

TEST(FoldedLogs, SameLineOfAllRanksOnce) {
    const auto log = healthy(16);
    const auto rows = log.rows();
    EXPECT_EQ(rows.ranks.size(), 16U);
    EXPECT_TRUE(rows.ranks_known);
    EXPECT_EQ(rows.rows.size(), 7U);
    EXPECT_EQ(log.row("NCCL version").text, "NCCL version 2.28.9+cuda12.9");
    EXPECT_EQ(ranks_text(log.row("NCCL version").ranks), "0-15");
    EXPECT_EQ(log.row("Bootstrap").text, "Bootstrap: Using eth0:\u2026<0>");
    EXPECT_EQ(log.row("via P2P").count, 64U);
    EXPECT_EQ(log.row("Init START").communicators, std::vector<std::string>{"0xabc0123456789"});
    EXPECT_EQ(log.row("Using network").subsystem, "INIT");
    EXPECT_NE(log.row("Using network").meaning, "");
    for (const auto& row : rows.rows) {
        EXPECT_TRUE(row.odd.empty()) << row.text;
    }
}

TEST(FoldedLogs, DifferentValueIsNamed) {
    Log log;
    for (int rank = 0; rank < 8; ++rank) {
        log.print(rank, rank == 3 ? "NCCL version 2.27.3+cuda12.9" : "NCCL version 2.28.9+cuda12.9");
        log.print(rank,
                  rank == 5 ? "Bootstrap: Using docker0:172.17.0.1<0>" : "Bootstrap: Using eth0:10.0.0.1<0>");
        log.print(rank, rank == 6 ? "Using network Socket" : "Using network IB");
        log.start(rank, 8);
        log.print(rank, std::to_string(rank == 7 ? 12 : 24) +
                            " coll channels, 0 nvls channels, 32 p2p channels, 2 p2p channels per peer");
    }
    const auto odd = [&](std::string_view text) {
        const auto row = log.row(text);
        return row.odd.size() == 1 ? ranks_text(row.odd[0].ranks) + ": " + row.odd[0].value + " instead of " +
                                         row.odd[0].others
                                   : std::to_string(row.odd.size());
    };
    EXPECT_EQ(odd("Bootstrap"), "5: docker0 instead of eth0");
    EXPECT_EQ(odd("Using network"), "6: Socket instead of IB");
    EXPECT_EQ(odd("coll channels"), "7: 12 instead of 24");
    EXPECT_EQ(log.row("Using network").odd[0].place.file, 6U);
    // By its nature the version is printed by some ranks alone; a different one is odd all the same.
    EXPECT_EQ(odd("NCCL version"), "3: 2.27.3+cuda12.9 instead of 2.28.9+cuda12.9");
}

TEST(FoldedLogs, MissingAndLoneLinesAreNamedWhereTheyHappened) {
    Log log;
    for (int rank = 0; rank < 8; ++rank) {
        log.start(rank, 8);
        if (rank == 2) {
            log.print(rank, "Call to ibv_reg_mr failed with error Cannot allocate memory", LineLevel::Warn);
        }
        log.print(rank, "Connected NVLS tree");
        if (rank != 2) {
            log.print(rank, "comm 0x1 rank 0 nranks 8 cudaDev 0 busId 1b000 - Init COMPLETE");
        }
    }
    const auto rows = log.rows().rows;
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_NE(rows[1].text.find("ibv_reg_mr"), std::string::npos);  // between, not at the end
    ASSERT_EQ(rows[1].odd.size(), 1U);
    EXPECT_EQ(rows[1].odd[0].kind, OddKind::Alone);
    EXPECT_EQ(rows[1].odd[0].ranks, std::vector<int>{2});
    EXPECT_TRUE(rows[2].odd.empty());
    ASSERT_EQ(rows[3].odd.size(), 1U);
    EXPECT_EQ(rows[3].odd[0].kind, OddKind::Missing);
    EXPECT_EQ(rows[3].odd[0].ranks, std::vector<int>{2});
}

TEST(FoldedLogs, TwoRanksHaveNoOddOne) {
    Log log;
    log.print(0, "Using network IB");
    log.print(1, "Using network Socket");
    log.print(1, "NET/IB : No device found.");
    for (const auto& row : log.rows().rows) {
        EXPECT_TRUE(row.odd.empty()) << row.text;
    }
    EXPECT_EQ(log.row("Using network").text, "Using network \u2026");
    EXPECT_FALSE(log.rows().ranks_known);
}

TEST(FoldedLogs, SilentRanksAreNamed) {
    Log log;
    for (const int rank : {0, 1, 3}) {
        log.start(rank, 4);
    }
    EXPECT_EQ(log.rows().silent, std::vector<int>{2});
    Log one;
    one.start(0, 4);
    EXPECT_TRUE(one.rows().silent.empty());  // only its output was kept
}

TEST(FoldedLogs, FiltersLookAtAllParts) {
    Log log = healthy(8);
    log.print(4, "Call to ibv_reg_mr failed with error Cannot allocate memory", LineLevel::Warn);
    const auto count = [&](const FoldedFilter& filter) {
        const auto rows = log.rows().rows;
        return std::count_if(rows.begin(), rows.end(),
                             [&](const FoldedRow& row) { return passes(row, filter); });
    };
    EXPECT_EQ(count({}), 8);
    EXPECT_EQ(count({.subsystem = "NET", .communicator = {}, .text = {}, .ranks = {}}), 1);
    EXPECT_EQ(count({.subsystem = {}, .communicator = {}, .text = "IBV_REG", .ranks = {}}), 1);
    EXPECT_EQ(count({.subsystem = {}, .communicator = {}, .text = {}, .ranks = {}, .least = LineLevel::Warn}),
              1);
    EXPECT_EQ(count({.subsystem = {}, .communicator = {}, .text = {}, .ranks = *parse_ranks("3")}), 7);
    EXPECT_EQ(count({.subsystem = {},
                     .communicator = {},
                     .text = {},
                     .ranks = {},
                     .least = LineLevel::None,
                     .odd_only = true}),
              1);
    EXPECT_EQ(count({.subsystem = {}, .communicator = "0xabc0123456789", .text = {}, .ranks = {}}), 5);
}

TEST(FoldedLogs, RowsAreOfTheTimesOfTheirLines) {
    FoldedLog folded;
    const auto print = [&](const std::string& message, double time, bool of_day = false) {
        folded.feed({.place = {0, 1},
                     .text = message,
                     .message = message,
                     .speaker = Speaker::Nccl,
                     .rank = 0,
                     .time = time,
                     .time_of_day_only = of_day});
    };
    print("Using network IB", 100);
    print("Using network IB", 140);
    print("Using network IB", 120);
    print("Connected all rings", std::numeric_limits<double>::quiet_NaN());
    print("Connected all trees", 50, true);
    const FoldedRows rows = folded_rows(folded, guide());
    ASSERT_EQ(rows.rows.size(), 3U);
    EXPECT_EQ(rows.rows[0].first_s, 100);
    EXPECT_EQ(rows.rows[0].last_s, 140);
    EXPECT_TRUE(std::isnan(rows.rows[1].first_s) && std::isnan(rows.rows[2].last_s));
    const auto shown = [&](double from_s, double until_s) {
        FoldedFilter times;
        times.from_s = from_s;
        times.until_s = until_s;
        return std::count_if(rows.rows.begin(), rows.rows.end(),
                             [&](const FoldedRow& row) { return passes(row, times); });
    };
    EXPECT_EQ(shown(0, 99), 2) << "what has no time is not left out";
    EXPECT_EQ(shown(110, 115), 3);
    EXPECT_EQ(shown(140, 200), 3);
    EXPECT_EQ(shown(141, 200), 2);
}

TEST(FoldedLogs, SizeDependsOnKindsAlone) {
    Log log = healthy(1024);
    EXPECT_EQ(log.rows().rows.size(), 7U);
    EXPECT_EQ(ranks_text(log.rows().ranks), "0-1023");
    for (int round = 0; round < 200; ++round) {
        for (int rank = 0; rank < 1024; rank += 7) {
            log.print(rank, "AllReduce: opCount " + std::to_string(round) + " sendbuff 0x7f" +
                                std::to_string(round) + " recvbuff 0x7f00 count " +
                                std::to_string(round * 4) +
                                " datatype 7 op 0 root 0 comm 0x5 [nranks=1024] stream 0x1");
        }
    }
    EXPECT_EQ(log.folded.lines().size(), 8U);
    for (const auto& line : log.folded.lines()) {
        EXPECT_LE(line.firsts.size(), 1024U);
        for (const auto& place : line.places) {
            EXPECT_LE(place.values.size(), FoldedLog::kMostValues);
        }
    }
    // More kinds than are kept.
    for (std::size_t i = 0; i < FoldedLog::kMostLines + 10; ++i) {
        std::string word;
        for (std::size_t rest = i + 1; rest > 0; rest /= 26) {
            word += static_cast<char>('a' + rest % 26);
        }
        log.print(0, "kind " + word);
    }
    EXPECT_EQ(log.folded.lines().size(), FoldedLog::kMostLines);
    EXPECT_EQ(log.folded.left_out(), 18U);
}

TEST(LineGuides, ExplainsNcclsLines) {
    std::vector<std::string> problems;
    const auto text = read_file(RANKSCOPE_RESOURCES "/nccl_lines.yaml");
    ASSERT_TRUE(text.has_value());
    const auto own = LineGuide::parse(*text, "lines", problems);
    EXPECT_EQ(joined(problems), "");
    EXPECT_GE(own.entries().size(), 60U);
    const auto subsystem = [&](std::string_view line) {
        const auto* entry = own.find(line);
        return entry == nullptr ? std::string("none") : entry->subsystem;
    };
    EXPECT_EQ(subsystem("NET/IB : Using [0]mlx5_0:1/IB ; OOB eth0:10.0.0.1<0>"), "NET");
    EXPECT_EQ(subsystem("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"), "GRAPH");
    EXPECT_EQ(subsystem("AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}"),
              "TUNING");
    EXPECT_EQ(
        subsystem("AllReduce: opCount 1f sendbuff 0x7 recvbuff 0x7 count 4 datatype 7 op 0 root 0 comm 0x5"),
        "COLL");
    EXPECT_EQ(subsystem("RAS client listening socket at 127.0.0.1<28028>"), "RAS");
    EXPECT_EQ(subsystem("something else"), "none");
    EXPECT_TRUE(fits("a*c", "abbc"));
    EXPECT_FALSE(fits("a*c", "abbd"));
    EXPECT_TRUE(fits("*", ""));
    EXPECT_FALSE(fits("", "a"));
}

TEST(LineGuides, ProblemsHaveTheirLine) {
    std::vector<std::string> problems;
    const auto guide = LineGuide::parse(
        "- {line: 'a *', subsystem: NET, meaning: m}\n- {line: b, meaning: m}\n- {line: c, subsystem: NET, "
        "meaning: m, colour: red}\n- x\n",
        "f", problems);
    EXPECT_EQ(guide.entries().size(), 1U);
    EXPECT_EQ(joined(problems, "|"),
              "f:2: an entry needs `line`, `subsystem` and `meaning`|f:3: unknown key \"colour\"|f:4: an "
              "entry is a map of keys");
    problems.clear();
    EXPECT_TRUE(LineGuide::parse("[", "f", problems).entries().empty());
    EXPECT_EQ(problems.size(), 1U);
}

}  // namespace
}  // namespace rankscope::logs
