// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/fold/line_folder.h>
#include <remote/logs/fold/odd_ranks.h>

#include <gtest/gtest.h>

namespace rankscope::logs {
namespace {

constexpr auto kNone = LineFolder::kNone;
constexpr std::int64_t kSecond = 1'000'000;

class LineFolderTest : public ::testing::Test {
protected:
    /// The number of the line that this one repeats; kNone: none.
    std::uint32_t print(int rank, std::string_view text, double t_s = 0, bool is_stderr = false) {
        return folder_.take({.text = text,
                             .rank = rank,
                             .is_stderr = is_stderr,
                             .t_us = std::int64_t(t_s * kSecond),
                             .number = next_++});
    }

    LineFolder folder_;
    std::uint32_t next_ = 0;
};

TEST_F(LineFolderTest, TheSameLineOfAnotherRankRepeatsTheFirst) {
    EXPECT_EQ(print(0, "loading data"), kNone);
    EXPECT_EQ(print(1, "loading data"), 0U);
    EXPECT_EQ(print(2, "loading data"), 0U);
    EXPECT_EQ(print(2, "loading model"), kNone);
    EXPECT_EQ(print(0, "loading data", 0, true), kNone) << "on the other stream";
}

TEST_F(LineFolderTest, TheSecondTimeRepeatsTheSecondTime) {
    EXPECT_EQ(print(0, "waiting"), kNone);
    EXPECT_EQ(print(0, "waiting"), kNone);
    EXPECT_EQ(print(1, "waiting"), 0U);
    EXPECT_EQ(print(1, "waiting"), 1U);
    EXPECT_EQ(print(1, "waiting"), kNone) << "a third time, by this rank alone so far";
    EXPECT_EQ(print(0, "waiting"), 4U);
}

TEST_F(LineFolderTest, WhatIsEachRanksOwnIsNotCompared) {
    EXPECT_EQ(print(0, "step 120 loss 0.3121 (12.5ms, lr 1.0e-04) on port 40123"), kNone);
    EXPECT_EQ(print(1, "step 120 loss 0.2950 (13.1ms, lr 1.0e-04) on port 41999"), 0U);
    EXPECT_EQ(print(1, "step 121 loss 0.2950 (13.1ms, lr 1.0e-04) on port 41999"), kNone) << "the next step";
    EXPECT_EQ(print(2, "step 120 loss nan (13.1ms, lr 1.0e-04) on port 41999"), kNone) << "the odd one";
}

TEST_F(LineFolderTest, PrefixesAreNotCompared) {
    EXPECT_EQ(print(0, "node1:4410:4433 [0] NCCL INFO Using network IB"), kNone);
    EXPECT_EQ(print(1, "node2:9917:9920 [1] NCCL INFO Using network IB"), 0U);
    EXPECT_EQ(print(2, "node2:9918:9921 [0] NCCL INFO Using network Socket"), kNone) << "the odd one";
    EXPECT_EQ(print(0, "[rank0]:[W1120 18:35:02.265149 140 ProcessGroupNCCL.cpp:10] Warning: slow"), kNone);
    EXPECT_EQ(print(3, "[rank3]:[W1120 18:35:04.000001 977 ProcessGroupNCCL.cpp:10] Warning: slow"), 3U);
    EXPECT_EQ(print(0, "2026-01-31 14:03:22,123 INFO started"), kNone);
    EXPECT_EQ(print(1, "2026-01-31 14:03:23,999 INFO started"), 5U);
}

TEST_F(LineFolderTest, ARankThatMissesALineDoesNotShiftTheRest) {
    for (int step = 0; step < 20; ++step) {
        const std::string text = "step " + std::to_string(step) + " done";
        const std::uint32_t first = next_;
        EXPECT_EQ(print(0, text), kNone);
        if (step != 7) {
            EXPECT_EQ(print(1, text), first) << step;
        }
    }
}

TEST_F(LineFolderTest, ALineLongAfterIsNotFolded) {
    EXPECT_EQ(print(0, "starting", 0), kNone);
    EXPECT_EQ(print(1, "starting", 59), 0U);
    EXPECT_EQ(print(2, "starting", 61), kNone) << "of the next attempt, say";
    EXPECT_EQ(print(0, "starting", 62), 2U) << "its second time is the group of then";
    EXPECT_EQ(print(1, "starting", 63), 2U);
    EXPECT_EQ(print(3, "starting", -120), kNone) << "a clock that went back";
}

TEST_F(LineFolderTest, APlaceThatIsOtherForEveryRankIsLearned) {
    std::uint32_t folded = 0;
    for (int step = 0; step < 40; ++step) {
        for (int rank = 0; rank < 8; ++rank) {
            const std::string text = "step " + std::to_string(step) + " took " +
                                     std::to_string(100 + step * 17 % 31 + rank * 3) + " ms";
            folded += print(rank, text, step) != kNone ? 1 : 0;
        }
    }
    EXPECT_GT(folded, 36U * 7U) << "of 280";
}

TEST_F(LineFolderTest, LongLinesDifferWhereTheTemplateEnds) {
    const std::string same(2000, 'a');
    std::string numbers;
    for (int i = 0; i < 60; ++i) {
        numbers += std::to_string(i) + ' ';
    }
    EXPECT_EQ(print(0, same + " one"), kNone);
    EXPECT_EQ(print(1, same + " two"), kNone);
    EXPECT_EQ(print(2, same + " one"), 0U);
    EXPECT_EQ(print(0, numbers + '7'), kNone);
    EXPECT_EQ(print(1, numbers + '8'), kNone);
}

TEST_F(LineFolderTest, HostileLinesAreTaken) {
    for (const std::string& text :
         {std::string(), std::string(1, '\0'), std::string("\x01\x02\xff"), std::string(3 << 20, '9'),
          std::string("%s%n [rank"), std::string("-"), std::string(". ")}) {
        const std::uint32_t first = next_;
        EXPECT_EQ(print(0, text), kNone);
        EXPECT_EQ(print(1, text), first) << text.substr(0, 20);
    }
    EXPECT_EQ(print(-5, ""), 0U) << "any number of a rank";
}

TEST_F(LineFolderTest, ItsTablesDoNotGrowWithTheLog) {
    constexpr std::size_t kRemembered = 4096;
    folder_ = LineFolder(kRemembered);
    for (int i = 0; i < 40'000; ++i) {
        const std::uint32_t first = next_;
        print(i % 4, "line " + std::to_string(i));
        ASSERT_EQ(print(i % 4 + 1, "line " + std::to_string(i)), first);
    }
    EXPECT_LE(folder_.bytes(), kRemembered * 2 * (16 + 24));
    EXPECT_EQ(print(7, "line 39999"), 79'998U) << "what is recent is remembered";
    EXPECT_EQ(print(7, "line 0"), kNone) << "what is not, is forgotten";
}

TEST(VaryingParts, AreThePlacesThatDifferAndThePrefix) {
    const std::string_view text = "node1:44:45 [0] NCCL INFO comm 0x5 rank 0 nranks 4";
    const auto part = [&](std::string_view word) { return TextPart{text.find(word), word.size()}; };
    EXPECT_EQ(varying_parts(text, {"node1:44:45 [0] NCCL INFO comm 0x6 rank 0 nranks 4"}),
              std::vector{part("0x5")});
    EXPECT_EQ(varying_parts(text, {"node2:99:99 [1] NCCL INFO comm 0x5 rank 3 nranks 4"}),
              (std::vector{TextPart{0, text.find("comm")}, TextPart{text.find("rank 0") + 5, 1}}));
    EXPECT_TRUE(varying_parts(text, {}).empty());
    EXPECT_TRUE(varying_parts("", {"", "x 1"}).empty());
}

TEST(PresenceTest, FewThatDifferAreOdd) {
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(presence_of({0, 1, 2, 3, 4, 5, 6, 7}, all, true), Presence::Common);
    EXPECT_EQ(presence_of({0, 1, 2, 4, 5, 6, 7}, all, false), Presence::Missing);
    EXPECT_EQ(presence_of({3}, all, false), Presence::Alone);
    EXPECT_EQ(presence_of({0}, all, false), Presence::Common) << "the first one speaks for all";
    EXPECT_EQ(presence_of({0}, all, true), Presence::Alone) << "but not with a warning";
    EXPECT_EQ(presence_of({0, 1, 2, 3}, all, true), Presence::Common) << "a half";
    EXPECT_EQ(presence_of({1}, {0, 1}, true), Presence::Common) << "of two, none is the odd one";
}

}  // namespace
}  // namespace rankscope::logs
