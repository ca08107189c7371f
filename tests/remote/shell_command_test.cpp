// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// No text of elsewhere becomes a command: neither in a command that Rankscope runs, nor in one that a user copies.

#include "support/hostile_texts.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

#include <base/command_parts.h>
#include <base/shell_command.h>
#include <base/shell_quote.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/command_fix.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using test::hostile_texts;
using test::run_program;

TEST(CommandParts, WhatIsNoHostNameIsRefused) {
    for (const auto& attack : hostile_texts("/tmp/mark")) {
        EXPECT_FALSE(HostName::of(attack)) << attack;
        EXPECT_FALSE(NumericAddress::of(attack)) << attack;
        EXPECT_FALSE(FirewallName::of(attack)) << attack;
        EXPECT_FALSE(VariableName::of(attack)) << attack;
        EXPECT_FALSE(AbsolutePath::of(attack)) << attack;
    }
    for (const char* wrong : {"", ".", "..", "a..b", "-node", "node-", "a b", "localhost", "LocalHost",
                              "x.localhost", "localhost.localdomain", "ip6-loopback", "10.0.0.1", "10.1",
                              "0x7f000001", "2130706433", "fd00::1", "node\xc2\xb2",
                              "n\xd0\xbe"
                              "de"}) {
        EXPECT_FALSE(HostName::of(wrong)) << wrong;
    }
    EXPECT_FALSE(HostName::of(std::string(64, 'a')));
    EXPECT_FALSE(HostName::of(std::string(63, 'a') + '.' + std::string(63, 'b') + '.' + std::string(63, 'c') +
                              '.' + std::string(63, 'd')));
    for (const char* right : {"node2", "gpu-01.rack_3.example.org", "3f2a9c81d0e4", "xn--nde-sna", "a.b."}) {
        EXPECT_TRUE(HostName::of(right)) << right;
    }
}

TEST(CommandParts, PathsNumbersAndNames) {
    EXPECT_TRUE(AbsolutePath::of("/home/me/it's a \"folder\" $(x)"));
    EXPECT_TRUE(AbsolutePath::of("/home/数据"));
    for (const char* wrong :
         {"", "relative", "/a/../etc", "/a\n/b", "/a\x1b[2J", "/a\xe2\x80\xae/b", "-rf", "~/x"}) {
        EXPECT_FALSE(AbsolutePath::of(wrong)) << wrong;
    }
    for (const std::int64_t wrong : {-1L, 0L, 1L, -4242L, 1L << 40}) {
        EXPECT_FALSE(Pid::of(wrong)) << "kill " << wrong << " is for more than one process, or for init";
    }
    EXPECT_EQ(Pid::of(4242)->number(), 4242);
    EXPECT_FALSE(NumericAddress::of("10.0.0.1 evil"));
    EXPECT_FALSE(NumericAddress::of("fe80::1%$(x)"));
    EXPECT_TRUE(NumericAddress::of("fd00::1"));
    EXPECT_FALSE(PlainWord::of("-oProxyCommand=x"));
    EXPECT_FALSE(PlainWord::of("two words"));
}

TEST(ShellCommand, RendersItsWordsAsTheyAre) {
    const auto path = AbsolutePath::of("/a/it's; touch $(x) `y` \\z").value();
    EXPECT_EQ(run_program({"sh", "-c", ShellCommand("printf %s").word(path).str()}).output, path.text());
    const auto inner = ShellCommand("printf %s").word(ShellWord("<").add(path).add(">"));
    EXPECT_EQ(run_program({"sh", "-c", ShellCommand("sh -c").script(inner).str()}).output,
              '<' + path.text() + '>');
    const auto twice = ShellCommand("sh -c").script(ShellCommand("sh -c").script(inner));
    EXPECT_EQ(run_program({"sh", "-c", twice.str()}).output, '<' + path.text() + '>');
    // As ssh does: the shell at the other end reads the line again.
    const auto remote = ShellCommand("eval").remote_line(inner);
    EXPECT_EQ(run_program({"sh", "-c", remote.str()}).output, '<' + path.text() + '>');
    EXPECT_EQ(ShellCommand("kill -CONT").pid(Pid::of(7).value()).str(), "kill -CONT 7");
    EXPECT_EQ(in_turn({ShellCommand("a"), ShellCommand("b")}).str(), "a && b");
    const auto name = HostName::of("a.b-c").value();
    EXPECT_EQ(ShellWord("s/").add_pattern(name).add("/").add(name).text(), "s/a[.]b-c/a.b-c");
}

TEST(ShellCommand, AFixHasTheCommandAndItsUndo) {
    const Fix fix = root_fix("node1", ShellCommand("sudo true"), ShellCommand("sudo false"));
    EXPECT_EQ(fix, (Fix{.node = "node1", .command = "sudo true", .undo = "sudo false", .needs_root = true}));
    EXPECT_TRUE(command_fix("node1", ShellCommand("true")).undo.empty());
}

/// A sentence with a command that a user copies into a shell, as text() and the catalogue make them.
class CopiedCommand : public ::testing::Test {
protected:
    void expect_harmless(const std::string& sentence, const std::string& attack) const {
        const auto begin = sentence.find('`');
        const auto end = sentence.rfind('`');
        ASSERT_NE(begin, end) << sentence;
        // Only what the attack brings could make the file; the command itself is `echo`.
        (void)run_program({"sh", "-c", sentence.substr(begin + 1, end - begin - 1)});
        EXPECT_FALSE(std::filesystem::exists(mark_)) << attack << " in: " << sentence;
    }
    test::TemporaryFolder folder_;
    std::string mark_ = (folder_ / "mark").string();
};

TEST_F(CopiedCommand, AnArgumentOfASentenceIsOneWord) {
    for (const auto& attack : hostile_texts(mark_)) {
        expect_harmless(text("Test", "Of %1: `echo %1 %2` shows it.", {"node1", attack}), attack);
        expect_harmless(text("Test", "Try `echo -G %1`.", {attack}), attack);
    }
    EXPECT_EQ(text("Test", "%1: `ssh -G %1`.", {"$(touch x)"}), "$(touch x): `ssh -G '$(touch x)'`.");
    EXPECT_EQ(text("Test", "`chmod 600 %1`", {"~/my keys/id"}), "`chmod 600 ~/'my keys/id'`");
    EXPECT_EQ(text("Test", "`ssh %1 true`", {"-oProxyCommand=x"}), "`ssh … true`");
    EXPECT_EQ(text("Test", "`ssh -p %1 %2`", {"22", "me@node1"}), "`ssh -p 22 me@node1`");
    EXPECT_EQ(text("Test", "`rm %1` and %1", {"a b"}), "`rm 'a b'` and a b");
}

TEST_F(CopiedCommand, APlaceOfTheCatalogueIsOneWord) {
    for (const auto& attack : hostile_texts(mark_)) {
        const CatalogueArguments arguments{.node = attack, .detail = attack, .args = {attack}};
        expect_harmless(fill_places("`echo {node} {1} {detail}`", arguments), attack);
    }
    EXPECT_EQ(fill_places("`chmod go-w {1}`: {1}", {.args = {"/a b"}}), "`chmod go-w '/a b'`: /a b");
    EXPECT_EQ(fill_places("`kill {1}`", {}), "`kill …`");
}

}  // namespace
}  // namespace rankscope
