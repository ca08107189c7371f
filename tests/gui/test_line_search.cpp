// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_level.h>
#include <gui/data/line_search.h>
#include <gui/data/log_query.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>

namespace rankscope::gui {
namespace {

std::vector<std::uint32_t> found_in(const LineStore& store, const SearchText& wanted) {
    const LinePattern pattern(wanted);
    std::vector<std::uint32_t> found;
    EXPECT_EQ(
        search_lines(store, pattern, 0, store.size(), {}, [&](std::uint32_t line) { found.push_back(line); }),
        store.size());
    return found;
}

void fill(LineStore& store, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        store.append(line, 0, LogKind::Out, 0);
    }
    store.publish();
}

using Lines = std::vector<std::uint32_t>;

TEST(LineSearch, TextPatternsCaseAndWords) {
    LineStore store;
    fill(store,
         {"an Error here", "no terror", "error: 5", "", "ERROR", "größer ERRORx", "a.b", "axb", "über"});
    EXPECT_EQ(found_in(store, {.text = "error"}), (Lines{0, 1, 2, 4, 5}));
    EXPECT_EQ(found_in(store, {.text = "error", .case_matters = true}), (Lines{1, 2}));
    EXPECT_EQ(found_in(store, {.text = "error", .whole_words = true}), (Lines{0, 2, 4}));
    EXPECT_EQ(found_in(store, {.text = "a.b"}), (Lines{6}));
    EXPECT_EQ(found_in(store, {.text = "a.b", .is_pattern = true}), (Lines{6, 7}));
    EXPECT_EQ(found_in(store, {.text = "GRÖSS|GRÖß|ÜBER", .is_pattern = true}), (Lines{5, 8}))
        << "other letters too";
    EXPECT_EQ(found_in(store, {.text = "ÜBER"}), (Lines{8}));
    EXPECT_EQ(found_in(store, {.text = "^error", .is_pattern = true}), (Lines{2, 4}));
    EXPECT_EQ(found_in(store, {.text = "\\d$", .is_pattern = true}), (Lines{2}));
    EXPECT_EQ(found_in(store, {.text = "^$", .is_pattern = true}), (Lines{3}));
    EXPECT_EQ(found_in(store, {.text = "error[^x]", .is_pattern = true}), (Lines{0, 2})) << "within a line";
    EXPECT_EQ(found_in(store, {.text = "here\\nno", .is_pattern = true}), (Lines{}));
    EXPECT_EQ(found_in(store, {.text = "q*", .is_pattern = true}).size(), store.size())
        << "the empty text matches";
    EXPECT_EQ(found_in(store, {.text = ""}), (Lines{}));
}

TEST(LineSearch, AgreesWithLookingAtEveryLine) {
    std::mt19937 random(11);
    LineStore store;
    std::vector<std::string> lines;
    for (int i = 0; i < 20000; ++i) {
        std::string line;
        for (std::size_t left = random() % 90; left > 0; --left) {
            line += "abcdeAB .-é"[random() % 12];
        }
        lines.push_back(line);
    }
    fill(store, lines);
    for (const char* text : {"ab", "b", "ABCDE", "a.b", "d e", "abcdeabc"}) {
        for (const bool case_matters : {false, true}) {
            for (const bool is_pattern : {false, true}) {
                const SearchText wanted{.text = text, .is_pattern = is_pattern, .case_matters = case_matters};
                const LinePattern pattern(wanted);
                Lines expected;
                for (std::uint32_t line = 0; line < store.size(); ++line) {
                    if (pattern.find(store.text(line).view(), 0)) {
                        expected.push_back(line);
                    }
                }
                EXPECT_EQ(found_in(store, wanted), expected) << text << case_matters << is_pattern;
            }
        }
    }
}

TEST(LineSearch, WhatEveryMatchContains) {
    EXPECT_EQ(required_text("NCCL WARN .*timeout"), "NCCL WARN ");
    EXPECT_EQ(required_text("a|b"), "");
    EXPECT_EQ(required_text("(a|b)cde[0-9]+f"), "cde");
    EXPECT_EQ(required_text("abc?"), "ab");
    EXPECT_EQ(required_text("ab+cd"), "ab");
    EXPECT_EQ(required_text("abé*x"), "ab");
    EXPECT_EQ(required_text("step\\.\\d+"), "step.");
    EXPECT_EQ(required_text("(?i)abc"), "");
    EXPECT_EQ(required_text("a{3}bcd"), "bcd");
    EXPECT_EQ(required_text("[]ab]xyz[^]]q"), "xyz");
    for (const char* odd : {"[", "(", "\\", "a{", "[a", "((((", "[[:", "a\\", "{", "*"}) {
        (void)required_text(odd);  // ends, reads nothing beyond
    }
}

TEST(LineSearch, AWrongPatternIsReportedWithItsPlace) {
    const LinePattern open({.text = "abc(def", .is_pattern = true});
    ASSERT_TRUE(open.fault());
    EXPECT_NE(open.fault()->message.find("missing"), std::string::npos) << open.fault()->message;
    const LinePattern range({.text = "loss [z-a]", .is_pattern = true});
    ASSERT_TRUE(range.fault());
    EXPECT_EQ(range.fault()->place, 6);
    EXPECT_FALSE(range.find("loss z", 0));
    const LinePattern back({.text = "(a)\\1", .is_pattern = true});
    ASSERT_TRUE(back.fault());
    EXPECT_EQ(back.fault()->place, 3);
    EXPECT_TRUE(LinePattern({.text = std::string(5000, 'a')}).fault());
}

TEST(LineSearch, HostilePatternsAreBounded) {
    LineStore store;
    fill(store, {std::string(200'000, 'a') + "!", std::string(200'000, 'x')});
    for (const char* text : {"(a+)+$", "(a|aa)+$", "(x+x+)+y", "(.*)*z", "[a-q][^u-z]{13}x", "(a?){60}a{60}b",
                             "((a{100}){100}){10}", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
        const auto begin = std::chrono::steady_clock::now();
        const LinePattern pattern({.text = text, .is_pattern = true});
        search_lines(store, pattern, 0, store.size(), {}, [](std::uint32_t) {});
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << text;
    }
}

TEST(LineSearch, LevelsThatLinesSay) {
    EXPECT_EQ(level_of_line("2026-01-01 ERROR no"), LineLevel::Error);
    EXPECT_EQ(level_of_line("torch.cuda.OutOfMemoryError: CUDA"), LineLevel::Error);
    EXPECT_EQ(level_of_line("n1:1:2 [0] NCCL WARN x"), LineLevel::Warning);
    EXPECT_EQ(level_of_line("a.py:3: UserWarning: x"), LineLevel::Warning);
    EXPECT_EQ(level_of_line("error: no such file"), LineLevel::Error);
    EXPECT_EQ(level_of_line("mean error 0.1"), LineLevel::None);
    EXPECT_EQ(level_of_line("INFO ready"), LineLevel::Info);
    EXPECT_EQ(level_of_line(""), LineLevel::None);
}

TEST(LogQuery, SaysHowFarAFoldIs) {
    constexpr int kLines = 400'000;  // they take some tenths of a second
    auto store = std::make_shared<LineStore>();
    for (int i = 0; i < kLines; ++i) {
        store->append("step " + std::to_string(i / 8) + " loss 0.5", i % 8, LogKind::Out, i / 8);
    }
    store->publish();
    LineChoice folded;
    folded.folded = true;
    LogQuery query(store, folded);
    std::vector<double> shares;
    const LogAnswer answer = query.advance(nullptr, {}, {}, [&](double share) { shares.push_back(share); });
    EXPECT_EQ(answer.order.size(), std::uint32_t(kLines / 8));
    ASSERT_FALSE(shares.empty());
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_GT(shares.front(), 0);
    EXPECT_LE(shares.back(), 1);
}

TEST(LogQuery, MatchesFollowTheOrderAsItGrows) {
    std::mt19937 random(5);
    auto store = std::make_shared<LineStore>();
    LogQuery query(store, {});
    const auto pattern = std::make_shared<const LinePattern>(SearchText{.text = "7"});
    LogAnswer answer;
    for (int batch = 0; batch < 40; ++batch) {
        for (int i = 0; i < 500; ++i) {
            store->append(std::to_string(random() % 1000), int(random() % 4), LogKind::Out,
                          batch * 100 - std::int64_t(random() % 300));
        }
        store->publish();
        answer = query.advance(pattern);
    }
    EXPECT_EQ(answer.order.size(), store->size());
    EXPECT_EQ(answer.searched, store->size());
    Lines expected;
    for (std::uint32_t row = 0; row < answer.order.size(); ++row) {
        if (store->text(answer.order.at(row)).view().find('7') != std::string_view::npos) {
            expected.push_back(row);
        }
    }
    Lines found;
    for (std::uint32_t i = 0; i < answer.matches.size(); ++i) {
        found.push_back(answer.matches.at(i));
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(query.advance(nullptr).matches.size(), 0U);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_LT(query.advance(pattern, stopped.get_token()).searched, store->size());
    EXPECT_EQ(query.advance(pattern).matches.size(), expected.size()) << "after a stop it continues";
}

}  // namespace
}  // namespace rankscope::gui
