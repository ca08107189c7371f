// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/run_program.h"

#include <base/shell_quote.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <gtest/gtest.h>

#include <random>

namespace rankscope {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
    const auto split = split_shell_text(text);
    EXPECT_TRUE(split.problem.empty()) << split.problem;
    EXPECT_EQ(split.commands.size(), 1U) << text;
    return split.commands.empty() ? Words() : split.commands[0].words;
}

TEST(ShellWords, QuotesBackslashesAndContinuedLines) {
    EXPECT_EQ(words_of("torchrun  --nnodes=2 \\\n   train.py\t--lr 0.1 # a comment"),
              (Words{"torchrun", "--nnodes=2", "train.py", "--lr", "0.1"}));
    EXPECT_EQ(words_of(R"(a 'b c' "d e" f\ g ''  "" h'i'"j")"),
              (Words{"a", "b c", "d e", "f g", "", "", "hij"}));
    EXPECT_EQ(words_of(R"("\$x \"q\" \\ \n" '\n$x')"), (Words{R"($x "q" \ \n)", R"(\n$x)"}));
    EXPECT_EQ(words_of("a \\\r\n b"), (Words{"a", "b"})) << "pasted from a text with CRLF";
    EXPECT_EQ(words_of("a#b"), Words{"a#b"});
}

TEST(ShellWords, WhatAShellWouldFillInIsReported) {
    const auto split = split_shell_text("x $HOME '$A' \"$B/c\" $(hostname -s) `id` \\$C *.py ${D} 3$");
    ASSERT_EQ(split.commands.size(), 1U);
    EXPECT_EQ(split.commands[0].words,
              (Words{"x", "$HOME", "$A", "$B/c", "$(hostname -s)", "`id`", "$C", "*.py", "${D}", "3$"}));
    EXPECT_EQ(split.commands[0].unfilled, (Words{"$HOME", "$B/c", "$(hostname -s)", "`id`", "*.py", "${D}"}));
}

TEST(ShellWords, OperatorsEndACommandAndRedirectionsAreSetApart) {
    const auto split =
        split_shell_text("cd a && export B=1; run x >log.txt 2>&1 &\nnext &> all | tee -a f2 || y");
    ASSERT_EQ(split.commands.size(), 6U);
    EXPECT_EQ(split.commands[0].words, (Words{"cd", "a"}));
    EXPECT_EQ(split.commands[0].ended_by, "&&");
    EXPECT_EQ(split.commands[1].words, (Words{"export", "B=1"}));
    EXPECT_EQ(split.commands[2].words, (Words{"run", "x"}));
    EXPECT_EQ(split.commands[2].redirections, (Words{"> log.txt", "2>&1"}));
    EXPECT_EQ(split.commands[2].ended_by, "&");
    EXPECT_EQ(split.commands[3].redirections, (Words{"&> all"}));
    EXPECT_EQ(split.commands[3].ended_by, "|");
    EXPECT_EQ(split.commands[4].words, (Words{"tee", "-a", "f2"}));
    EXPECT_EQ(split.commands[4].ended_by, "||");
}

TEST(ShellWords, WhatIsNeverClosedIsAProblem) {
    EXPECT_NE(split_shell_text("a 'b").problem, "");
    EXPECT_NE(split_shell_text("a \"b").problem, "");
    EXPECT_EQ(split_shell_text("").commands.size(), 0U);
    EXPECT_EQ(split_shell_text(" \n # only a comment").commands.size(), 0U);
    for (const char* text : {"\\", "$", "${", "$(", "`", ">", "2>", "a >", "&", "|", "'", "\"\\"}) {
        split_shell_text(text);  // comes back
    }
}

TEST(ShellWords, AgreeWithARealShell) {
    std::mt19937 random(11);
    const std::string special = " \t'\"\\ab=-,.#{}[]^%@+:/0";
    int compared = 0;
    for (int round = 0; round < 300; ++round) {
        std::string line;
        for (unsigned size = random() % 24; size > 0; --size) {
            line += special[random() % special.size()];
        }
        const auto split = split_shell_text(line);
        if (!split.problem.empty() || line.ends_with('\\') || line.find('[') != std::string::npos) {
            continue;  // sh would wait for more, or for files that match
        }
        Words words = split.commands.empty() ? Words() : split.commands[0].words;
        std::string expected;
        for (const auto& word : words) {
            expected += word + '\n';
        }
        const auto seen = test::run_program(
            {"/bin/sh", "-c", "for w in \"$@\" " + line + "\ndo /usr/bin/printf '%s\\n' \"$w\"; done"});
        ASSERT_EQ(seen.output, expected) << line << seen.errors;
        ++compared;
    }
    EXPECT_GT(compared, 50);
}

TEST(ShellWords, UndoTheQuoting) {
    std::mt19937 random(12);
    for (int round = 0; round < 200; ++round) {
        Words words(1 + random() % 6);
        std::string line;
        for (auto& word : words) {
            for (unsigned size = random() % 10; size > 0; --size) {
                word += static_cast<char>(random() % 255 + 1);
            }
            line += shell_quote(word) + ' ';
        }
        ASSERT_EQ(words_of(line), words);
        ASSERT_TRUE(split_shell_text(line).commands.at(0).unfilled.empty()) << line;
    }
}

}  // namespace
}  // namespace rankscope
