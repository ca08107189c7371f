// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/rules/rule_file.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

std::vector<std::uint32_t> found(const LiteralScan& scan, std::string_view text) {
    std::vector<std::uint32_t> words;
    scan.scan(text, words);
    return words;
}

TEST(LiteralScan, FindsEveryWordOnce) {
    const LiteralScan scan({"abcd", "bcde", "abcd", "zzzzzz"});
    EXPECT_EQ(found(scan, "xabcdexabcd"), (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(found(scan, "zzzzz"), std::vector<std::uint32_t>{});
    EXPECT_EQ(found(scan, "zzzzzzz"), std::vector<std::uint32_t>{3});
    EXPECT_TRUE(found(LiteralScan(), "text").empty());
    EXPECT_TRUE(found(scan, "").empty());
}

TEST(LiteralScan, FindsWhatASimpleSearchFinds) {
    std::mt19937 random(7);
    const auto text_of = [&](std::size_t length) {
        std::string text;
        for (std::size_t i = 0; i < length; ++i) {
            text += static_cast<char>('a' + random() % 3);
        }
        return text;
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> words;
        for (int i = 0; i < 20; ++i) {
            words.push_back(text_of((round % 2 == 0 ? 4 : 8) + random() % 6));
        }
        const LiteralScan scan(words);
        const std::string text = text_of(random() % 200);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < words.size(); ++i) {
            if (text.find(words[i]) != std::string::npos) {
                expected.push_back(i);
            }
        }
        ASSERT_EQ(found(scan, text), expected) << text;
    }
}

TEST(LiteralScan, FindsShortAndLongWordsTogether) {
    const LiteralScan scan({"Xid ", "watchdog timeout", "NCCL INFO Channel 0", "nnel"});
    EXPECT_EQ(found(scan, "n1:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0]"),
              (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(found(scan, "Xid 79, watchdog timeout"), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(found(scan, "nne"), std::vector<std::uint32_t>{});
    EXPECT_EQ(found(scan, "xnnel"), std::vector<std::uint32_t>{3});
}

TEST(PatternLiteral, KnowsPatternsThatSayNoMoreThanTheirWords) {
    EXPECT_TRUE(says_only("Init COMPLETE", {"Init COMPLETE"}));
    EXPECT_TRUE(says_only(R"(bootstrap\.cc|Using network)", {"Using network", "bootstrap.cc"}));
    EXPECT_FALSE(says_only("Init COMPLETE", {"COMPLETE"}));
    EXPECT_FALSE(says_only("^Aborted", {"Aborted"}));
    EXPECT_FALSE(says_only(R"(error\b)", {"error"}));
}

TEST(PatternLiteral, IsInEveryMatch) {
    EXPECT_EQ(literal_of(R"(Call to (?:a|b)+ failed : \d+ bytes)"), " failed : ");
    EXPECT_EQ(literal_of(R"(\[Errno 28\])"), "[Errno 28]");
    EXPECT_EQ(literal_of("colou?rs of it"), "rs of it");
    EXPECT_EQ(literal_of("one|other"), "");
    EXPECT_EQ(literal_of("(?i)error"), "");
    EXPECT_EQ(literal_of("abc"), "");
    EXPECT_EQ(literal_of("[abc]defgh{2}ij"), "defg");
}

}  // namespace
}  // namespace rankscope::logs
