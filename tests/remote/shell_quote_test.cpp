// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/run_program.h"

#include <base/shell_quote.h>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rankscope {
namespace {

using test::find_on_path;
using test::run_program;

// What the shell makes of the words: printf writes each, ended by a NUL.
std::vector<std::string> words_seen_by(const std::string& shell, const std::vector<std::string>& words) {
    std::string line = "/usr/bin/printf '%s\\0'";
    for (const auto& word : words) {
        line += ' ' + shell_quote(word);
    }
    const auto result = run_program({shell, "-c", line});
    EXPECT_EQ(result.status, 0) << line << result.errors;
    std::vector<std::string> seen;
    std::string rest = result.output;
    for (auto end = rest.find('\0'); end != std::string::npos; end = rest.find('\0')) {
        seen.push_back(rest.substr(0, end));
        rest.erase(0, end + 1);
    }
    return seen;
}

const std::vector<std::string>& awkward_words() {
    static const std::vector<std::string> words{
        "plain", "",    " ",        "'",        "''",    "a'b", "\\",      "\\\\", "a\\",  "\\'",
        "'\\''", "\"",  "$HOME",    "`id`",     "$(id)", "~",   "~root",   "*",    "?",    "[a]",
        "{a,b}", "=ls", "a=b",      "%1",       "%self", "#x",  "-n",      "--",   "&",    "|",
        ";",     "<",   ">",        "(",        ")",     "^x",  "@x",      "a b",  "a\tb", "é层😀",
        "x,y",   "a:b", "/usr/bin", "\x01\x7f", "$'x'",  "\\n", "a\\\\'b", "+x",   "=",    "%"};
    return words;
}

class RealShell : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        shell_ = find_on_path(GetParam());
        if (shell_.empty()) {
            GTEST_SKIP() << GetParam() << " is not installed here";
        }
    }
    bool is_csh() const { return shell_.ends_with("csh"); }
    std::string shell_;
};

TEST_P(RealShell, SeesAwkwardWordsAsTheyAre) {
    EXPECT_EQ(words_seen_by(shell_, awkward_words()), awkward_words());
}

TEST_P(RealShell, SeesRandomBytesAsTheyAre) {
    std::mt19937 random(5);
    // fish and csh take the command line as text: bytes that are none are theirs to mangle.
    const bool any_byte = std::string(GetParam()) != "fish" && !is_csh();
    static const std::string kSpecial = "'\"\\$`~*?[]{}=%#&|;<>()^@ \t-+,.:/abc019";
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> words(50);
        for (auto& word : words) {
            for (unsigned size = random() % 12; size > 0; --size) {
                word += any_byte && random() % 2 == 0 ? static_cast<char>(random() % 255 + 1)
                                                      : kSpecial[random() % kSpecial.size()];
            }
        }
        ASSERT_EQ(words_seen_by(shell_, words), words) << "round " << round;
    }
}

TEST_P(RealShell, RunsAnShScriptWhateverTheLoginShell) {
    for (const std::string word : {"plain", "with blank", "it's", "back\\slash", "q'u\\'x\\\\", "$HOME;*"}) {
        const std::string script =
            "d=" + shell_quote(word) + "; if [ -n \"$d\" ]; then printf '%s' \"$d\"; fi; exit 7";
        const auto result = run_program({shell_, "-c", sh_command(script)});
        EXPECT_EQ(result.output, word) << result.errors;
        EXPECT_EQ(result.status, 7);
    }
}

INSTANTIATE_TEST_SUITE_P(Shells, RealShell,
                         ::testing::Values("sh", "dash", "bash", "zsh", "fish", "csh", "tcsh", "ksh"),
                         [](const auto& shell) { return std::string(shell.param); });

TEST(ShellQuote, LeavesReadableWhatIsPlain) {
    EXPECT_EQ(shell_quote("/usr/bin/python3"), "/usr/bin/python3");
    EXPECT_EQ(shell_quote("--lr=0.1"), "--lr=0.1");
    EXPECT_EQ(shell_quote("user@host:22"), "user@host:22");
    EXPECT_EQ(shell_quote("two words"), "'two words'");
    EXPECT_EQ(shell_quote(""), "''");
}

}  // namespace
}  // namespace rankscope
