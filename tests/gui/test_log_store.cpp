// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>

#include <gtest/gtest.h>

#include <random>

namespace rankscope::gui {
namespace {

std::vector<std::string> texts(const std::vector<const LogLine*>& lines) {
    std::vector<std::string> out;
    for (const LogLine* line : lines) {
        out.push_back(line->text);
    }
    return out;
}

TEST(LogStore, PiecesBecomeLinesWhereverTheyAreCut) {
    std::string whole;
    std::vector<std::string> expected;
    for (int i = 0; i < 300; ++i) {
        expected.push_back("line " + std::to_string(i) + std::string(std::size_t(i % 17), 'x'));
        whole += expected.back() + "\n";
    }
    std::mt19937 random(1);
    LogStore log;
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t length = 1 + random() % 60;
        log.append(0, false, std::string_view(whole).substr(at, length), 1);
        at += length;
    }
    EXPECT_EQ(texts(log.lines_of(0, 0, 1000)), expected);
}

TEST(LogStore, FindsALineByItsTextNearItsNumber) {
    LogStore log;
    log.append(0, false, "same\n\tbad \nsame\n", 1);
    log.append_event(0, "same", 1);
    log.append(1, false, "same\n", 1);
    log.append(0, false, "last\n", 1);
    const auto number = [](const LogLine* line) { return line == nullptr ? 0 : line->number; };
    EXPECT_EQ(number(log.find_output(0, "same", 1)), 1U);
    EXPECT_EQ(number(log.find_output(0, "same", 4)), 3U) << "the nearest";
    EXPECT_EQ(number(log.find_output(0, "same", 0)), 3U) << "the newest; an event is no output";
    EXPECT_EQ(number(log.find_output(0, "bad", 7)), 2U) << "blanks around it do not matter";
    EXPECT_EQ(number(log.find_output(0, "", 4)), 6U) << "by its number alone";
    EXPECT_EQ(number(log.find_output(0, "same", 0, 3)), 0U) << "none after that line";
    EXPECT_EQ(number(log.find_output(0, "other", 1)), 0U);
    EXPECT_EQ(number(log.find_output(2, "same", 1)), 0U);
}

TEST(LogStore, RanksAndStreamsDoNotMixInAnUnfinishedLine) {
    LogStore log;
    log.append(0, false, "zero ", 1);
    log.append(1, false, "one\n", 1);
    log.append(0, true, "error\n", 1);
    log.append(0, false, "done\n", 1);
    EXPECT_EQ(texts(log.lines(0, 100)), (std::vector<std::string>{"one", "error", "zero done"}));
    EXPECT_EQ(log.lines_of(0, 0, 100)[0]->kind, LogKind::Err);
}

TEST(LogStore, LinesOfAllRanksStandInTheOrderOfTime) {
    LogStore log;
    log.append(0, false, "a at 1\n", 1);
    log.append(0, false, "b at 3\n", 3);
    log.append(1, false, "c at 2, late\n", 2);
    log.append(1, false, "d at 4\n", 4);
    log.append(1, false, "e, by a clock that was set back\n", 3);
    EXPECT_EQ(texts(log.lines(0, 100)),
              (std::vector<std::string>{"a at 1", "c at 2, late", "b at 3", "d at 4",
                                        "e, by a clock that was set back"}));
    const LogLine* late = log.find(1, 3);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->text, "c at 2, late");
    EXPECT_EQ(log.find(0, 3), nullptr);
}

TEST(LogStore, OnlyNewLinesAfterANumber) {
    LogStore log;
    log.append(0, false, "a\nb\n", 1);
    const std::uint64_t seen = log.last_number();
    log.append(1, false, "c\n", 1);
    EXPECT_EQ(texts(log.lines(seen, 100)), (std::vector<std::string>{"c"}));
    std::uint64_t skipped = 0;
    EXPECT_EQ(texts(log.lines(0, 2, &skipped)), (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(skipped, 1U);
}

TEST(LogStore, KeepsTheNewestWithinItsBytes) {
    LogStore log;
    log.set_ranks(1024);
    const std::string line(1000, 'x');
    for (int i = 0; i < 1000; ++i) {
        log.append(5, false, std::to_string(i) + line + "\n", 1);
    }
    const auto kept = log.lines_of(5, 0, 100000);
    EXPECT_LT(kept.size(), 120U);
    EXPECT_GT(kept.size(), 30U);
    EXPECT_EQ(log.dropped(5) + kept.size(), 1000U);
    EXPECT_TRUE(kept.back()->text.starts_with("999"));
    EXPECT_EQ(log.dropped_all(), log.dropped(5));
}

TEST(LogStore, ALineWithoutEndIsLimited) {
    LogStore log;
    for (int i = 0; i < 100; ++i) {
        log.append(0, false, std::string(4096, 'y'), 1);
    }
    const auto lines = log.lines_of(0, 0, 1000);
    ASSERT_FALSE(lines.empty());
    for (const LogLine* line : lines) {
        EXPECT_LE(line->text.size(), LogStore::kMaxLineBytes + 8);
    }
}

TEST(Displayable, EscapesControlsAndProgressBarsBecomePlainText) {
    EXPECT_EQ(displayable("\x1b[31mred\x1b[0m text", 100), "red text");
    EXPECT_EQ(displayable("\x1b]0;title\x07shown", 100), "shown");
    EXPECT_EQ(displayable("10 %\r55 %\r100 %\r\n", 100), "100 %");
    EXPECT_EQ(displayable("a\tb", 100), "a    b");
    EXPECT_EQ(displayable(std::string("nul\0here", 8), 100), "nul\xEF\xBF\xBDhere");
    EXPECT_EQ(displayable("\x1b[", 100), "");
    EXPECT_EQ(displayable("\x1b", 100), "");
    EXPECT_EQ(displayable("ääää", 5), "ää …") << "not in the middle of a character";
}

}  // namespace
}  // namespace rankscope::gui
