// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace rankscope::gui {
namespace {

std::vector<std::string> texts(const LogStore& log) {
    std::vector<std::string> out;
    for (std::uint32_t line = 0; line < log.lines()->size(); ++line) {
        out.emplace_back(log.lines()->text(line).view());
    }
    return out;
}

std::vector<std::string> texts_of(const LogStore& log, int rank) {
    std::vector<std::string> out;
    for (const LogLine& line : log.lines_of(rank, 1'000'000)) {
        out.push_back(line.text);
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
    EXPECT_EQ(texts(log), expected);
}

TEST(LogStore, FindsALineByItsTextNearItsNumber) {
    LogStore log;
    log.append(0, false, "same\n\tbad \nsame\n", 1);
    log.append_event(0, "same", 1);
    log.append(1, false, "same\n", 1);
    log.append(0, false, "last\n", 1);
    const auto number = [](const std::optional<LogLine>& line) { return line ? line->number : 0; };
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
    EXPECT_EQ(texts(log), (std::vector<std::string>{"one", "error", "zero done"}));
    EXPECT_EQ(log.lines_of(0, 100)[0].kind, LogKind::Err);
}

TEST(LogStore, TheTimeOfARankNeverFalls) {
    LogStore log;
    log.append(1, false, "d at 4\n", 4);
    log.append(1, false, "e, by a clock that was set back\n", 3);
    EXPECT_EQ(log.line(1).t_us, 4);
    EXPECT_EQ(log.line(2).t_us, 4);
    EXPECT_EQ(log.line(2).text, "e, by a clock that was set back");
}

TEST(LogStore, ALineWithoutAnEndIsThereWhenItsRankEnds) {
    LogStore log;
    log.append(3, true, "Segmentation fault", 1);
    EXPECT_EQ(log.last_number(), 0U);
    log.finish(3, 2);
    log.finish(3, 2);
    EXPECT_EQ(texts_of(log, 3), std::vector<std::string>{"Segmentation fault"});
}

TEST(LogStore, ALineOfTenMegabytesIsWholeAndOneWithoutEndIsSplit) {
    LogStore log;
    const std::string piece(std::size_t(1) << 20, 'y');
    for (int i = 0; i < 10; ++i) {
        log.append(0, false, piece, 1);
    }
    log.append(0, false, "\n", 1);
    for (int i = 0; i < 40; ++i) {
        log.append(1, false, piece, 1);
    }
    ASSERT_EQ(log.lines_of(0, 10).size(), 1U);
    EXPECT_EQ(log.line(1).text.size(), 10 * piece.size());
    const std::vector<LogLine> parts = log.lines_of(1, 10);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].text.size(), LogStore::kMostLineBytes);
}

TEST(Displayable, EscapesControlsAndProgressBarsBecomePlainText) {
    EXPECT_EQ(displayable("\x1b[31mred\x1b[0m text", 100), "red text");
    EXPECT_EQ(displayable("\x1b]0;title\x07shown", 100), "shown");
    EXPECT_EQ(displayable("10 %\r55 %\r100 %\r\n", 100), "100 %");
    EXPECT_EQ(displayable("a\tb", 100), "a    b");
    EXPECT_EQ(displayable(std::string("nul\0here", 8), 100), "nul\xEF\xBF\xBDhere");
    EXPECT_EQ(displayable("\x1b[", 100), "");
    EXPECT_EQ(displayable("\x1b", 100), "");
    EXPECT_EQ(displayable("\x1b[2J\x1b[1;1H\x1b]52;c;aGk=\x07\x1bPq\x1b\\x", 100), "qx")
        << "nothing is executed";
    EXPECT_EQ(displayable("ääää", 5), "ää …") << "not in the middle of a character";
}

TEST(Displayable, NothingReordersALineOrIsHiddenInIt) {
    EXPECT_EQ(displayable("rm -rf \u202e/tmp/x\u2066 #", 100), "rm -rf \uFFFD/tmp/x\uFFFD #");
    EXPECT_EQ(displayable("a\u009b2Jb", 100), "a\uFFFD2Jb");
    EXPECT_EQ(displayable("node1\u200b", 100), "node1\uFFFD");
    for (const char* text : {"█▉ 日本語 é ✓", "👩‍👩‍👧 ❤️"}) {
        EXPECT_EQ(displayable(text, 100), text);
    }
    EXPECT_FALSE(is_displayable("a\u202eb", 100));
    EXPECT_EQ(displayable("not UTF-8: \xff\xe2\x80", 100), "not UTF-8: \xff\xe2\x80") << "shown as U+FFFD";
}

TEST(Displayable, OnlyColoursAreKept) {
    std::vector<StyledFrom> styles;
    EXPECT_EQ(displayable("a\x1b[1;31mred\x1b[0m\x1b[2K b \x1b[38;5;208mo\x1b[38;2;1;2;3;4mr\x1b[999;;;m",
                          100, &styles),
              "ared b or");
    ASSERT_EQ(styles.size(), 5U);
    EXPECT_EQ(styles[0].byte, 1U);
    EXPECT_EQ(styles[0].style.foreground, TextStyle::kPaletteBit | 1U);
    EXPECT_TRUE(styles[0].style.bold);
    EXPECT_EQ(styles[1].style, TextStyle{});
    EXPECT_EQ(styles[2].style.foreground, 0xff8700U);
    EXPECT_EQ(styles[3].style.foreground, 0x010203U);
    EXPECT_TRUE(styles[3].style.underline);
    styles.clear();
    std::string hostile;
    for (int i = 0; i < 5000; ++i) {
        hostile += "\x1b[3" + std::to_string(i % 8) + "mx";
    }
    displayable(hostile + "\x1b[38;2", 1 << 20, &styles);
    EXPECT_LE(styles.size(), 256U);
}

}  // namespace
}  // namespace rankscope::gui
