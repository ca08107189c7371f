// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/table.h>
#include <remote/ctl/terminal_guard.h>
#include <remote/ctl/terminal_text.h>

#include <gtest/gtest.h>

namespace rankscope::ctl {
namespace {

using Lines = std::vector<std::string>;

TEST(TerminalText, NothingButColoursReachesTheTerminal) {
    struct Case {
        const char* title;
        std::string written;
        std::string shown;
    };
    const std::vector<Case> cases{
        {"clear screen", "a\x1b[2J\x1b[Hb", "a\\x1b[2J\\x1b[Hb"},
        {"cursor up", "\x1b[3A", "\\x1b[3A"},
        {"title", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07"},
        {"clipboard", "\x1b]52;c;ZXZpbA==\x1b\\", "\\x1b]52;c;ZXZpbA==\\x1b\\"},
        {"CSI as C1",
         "\xc2\x9b"
         "2J",
         "\\u009b2J"},
        {"CSI as a byte",
         "\x9b"
         "2J",
         "\\x9b2J"},
        {"not UTF-8", "\xff\xfe", "\\xff\\xfe"},
        {"overlong", "\xc0\x9b", "\\xc0\\x9b"},
        {"cut off", "\xe2\x82", "\\xe2\\x82"},
        {"right to left",
         "\xe2\x80\xae"
         "abc",
         "\\u202eabc"},
        {"backspace", "abc\b\b\bxyz", "abc\\x08\\x08\\x08xyz"},
        {"DEL and NUL", std::string("\x7f\0", 2), "\\x7f\\x00"},
        {"concealed", "\x1b[8mhidden", "\\x1b[8mhidden"},
        {"unfinished colour", "\x1b[31", "\\x1b[31"},
        {"text", "日本語 é ✓", "日本語 é ✓"},
    };
    for (const auto& entry : cases) {
        EXPECT_EQ(terminal_lines(entry.written, true, 0), Lines{entry.shown}) << entry.title;
    }
}

TEST(TerminalText, ColoursEndWithTheLine) {
    EXPECT_EQ(terminal_lines("\x1b[1;31mred", true, 0), Lines{"\x1b[1;31mred\x1b[0m"});
    EXPECT_EQ(terminal_lines("\x1b[38;5;8mgrey", true, 0), Lines{"\x1b[38;5;8mgrey\x1b[0m"});
    EXPECT_EQ(terminal_lines("\x1b[31mred", false, 0), Lines{"\\x1b[31mred"});
}

TEST(TerminalText, OnlyTheLastPartAfterACarriageReturnIsShown) {
    EXPECT_EQ(terminal_lines("10 %\r50 %\r100 %", true, 0), Lines{"100 %"});
    EXPECT_EQ(terminal_lines("windows\r", true, 0), Lines{"windows"});
    EXPECT_EQ(terminal_lines("done\rdone in 0 s: All 1 ranks finished.", true, 0),
              Lines{"done in 0 s: All 1 ranks finished."});
}

TEST(TerminalText, LongLinesAreDividedSoThatEachHasAPrefix) {
    EXPECT_EQ(terminal_lines(std::string(50, 'x'), true, 20),
              (Lines{std::string(20, 'x'), std::string(20, 'x'), std::string(10, 'x')}));
    EXPECT_EQ(terminal_lines("\x1b[31m" + std::string(30, 'x'), true, 20),
              (Lines{"\x1b[31m" + std::string(20, 'x') + "\x1b[0m",
                     "\x1b[31m" + std::string(10, 'x') + "\x1b[0m"}));
    for (const auto& piece : terminal_lines(std::string(40, '\t') + "done in 0 s", true, 40)) {
        EXPECT_LE(piece.size(), 40U);
    }
    EXPECT_EQ(terminal_lines("日本語日本語日本語日本語", true, 20), (Lines{"日本語日本語日本語日", "本語"}));
    EXPECT_EQ(terminal_lines("", true, 20), Lines{""});
}

TEST(TerminalText, AQuotedNewlineCannotBeginALineOfOurs) {
    EXPECT_EQ(safe_text("exited with code 1: boom\ndone in 0 s: All ranks finished.\n"),
              "exited with code 1: boom\n    | done in 0 s: All ranks finished.");
    EXPECT_EQ(safe_text("\x1b[31mx"), "\\x1b[31mx");
    EXPECT_EQ(safe_text(""), "");
}

TEST(Table, ACellIsOneLineThatNothingObeys) {
    EXPECT_EQ(format_table({{"GPU", "SYSTEM"},
                            {"H100\x1b]52;c;ZXZpbA==\x07", "Debian\n\x1b[2J"},
                            {"python3 -c import x\nx.run()",
                             "\xc2\x9b"
                             "31m"}}),
              "GPU                           SYSTEM\n"
              "H100\\x1b]52;c;ZXZpbA==\\x07    Debian\\n\\x1b[2J\n"
              "python3 -c import x\\nx.run()  \\u009b31m\n");
}

TEST(TerminalFilter, OnlyColoursAndOwnProgressPass) {
    const auto passed = [](const std::string& bytes, bool progress = false) {
        TerminalFilter whole(progress);
        const std::string at_once = whole.take(bytes + ".");
        TerminalFilter pieces(progress);
        std::string piecewise;
        for (const char c : bytes + ".") {
            piecewise += pieces.take({&c, 1});
        }
        EXPECT_EQ(piecewise, at_once) << "wherever the output is divided";
        return at_once.substr(0, at_once.size() - 1);
    };
    for (const char* text : {"plain\ttext\n", "日本語 é ✓\n", "\x1b[1;31mred\x1b[0m\n", "windows\r\n"}) {
        EXPECT_EQ(passed(text), text);
    }
    EXPECT_EQ(passed("\r\x1b[K50 %", true), "\r\x1b[K50 %");
    EXPECT_EQ(passed("\r\x1b[K50 %"), "\\x0d\\x1b[K50 %") << "standard output has no progress";
    EXPECT_EQ(passed("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
    EXPECT_EQ(passed("\x1b]52;c;x\x1b\\", true), "\\x1b]52;c;x\\x1b\\");
    EXPECT_EQ(passed("\x1b[2J\x1b[H\x1b[3A"), "\\x1b[2J\\x1b[H\\x1b[3A");
    EXPECT_EQ(passed("\x1b[8mhidden"), "\\x1b[8mhidden");
    EXPECT_EQ(passed("\x1bP1$r0m\x1b\\"), "\\x1bP1$r0m\\x1b\\");
    EXPECT_EQ(passed("\xc2\x9b"
                     "2J\x9b"
                     "2J"),
              "\\u009b2J\\x9b2J");
    EXPECT_EQ(passed("safe\rforged"), "safe\\x0dforged");
    EXPECT_EQ(passed("\b\x7f\xe2\x80\xae"
                     "abc\x0e"),
              "\\x08\\x7f\\u202eabc\\x0e");
    EXPECT_EQ(passed("\x1b[" + std::string(100, '1') + "m"), "\\x1b[" + std::string(100, '1') + "m");
    EXPECT_EQ(passed("\xe2\x82"), "\\xe2\\x82");
}

}  // namespace
}  // namespace rankscope::ctl
