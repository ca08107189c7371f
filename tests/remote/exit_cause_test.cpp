// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/agent/ranks/exit_cause.h>

#include <gtest/gtest.h>
#include <unistd.h>

namespace rankscope::agent {
namespace {

using Lines = std::vector<std::string>;

wire::Exit exit_with(int code, const std::string& last_line) {
    wire::Exit exit;
    exit.set_code(code);
    exit.add_traceback("Traceback (most recent call last):");
    exit.add_traceback(last_line);
    return exit;
}

TEST(ExitCause, AVictimIsKnownByWhatItWrites) {
    EXPECT_TRUE(lost_its_peers(exit_with(75, "")));
    // Written by torch 1.13 with Gloo, addresses shortened.
    EXPECT_TRUE(lost_its_peers(
        exit_with(1,
                  "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out "
                  "waiting 15000ms "
                  "for recv operation to complete")));
    EXPECT_TRUE(lost_its_peers(exit_with(
        1, "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer")));
    EXPECT_FALSE(lost_its_peers(exit_with(1, "ValueError: loss is nan")));
    wire::Exit own = exit_with(1, "");
    own.set_reason("rankscope-worker: the ranks cannot connect with one another: timed out");
    EXPECT_FALSE(lost_its_peers(own)) << "the engine has an exit code for that";
    own.set_missing_rank(2);
    EXPECT_TRUE(lost_its_peers(own));
}

TEST(ExitCause, OomKillsAreReadFromBothKindsOfCgroup) {
    EXPECT_EQ(oom_kills_in("low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n"), 2U);
    EXPECT_EQ(oom_kills_in("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n"), 7U);
    EXPECT_EQ(oom_kills_in("oom 3\n"), std::nullopt);
    EXPECT_EQ(oom_kills_in(""), std::nullopt);
    EXPECT_EQ(oom_kills_in("oom_kill many\n"), std::nullopt);
}

TEST(ExitCause, TheKernelLogNamesTheProcess) {
    const char* global =
        "3,1214,9021,-;Out of memory: Killed process 4711 (python3) total-vm:1kB, anon-rss:2kB, UID:1000";
    const char* cgroup = "3,1,2,-;Memory cgroup out of memory: Killed process 4711 (python3) total-vm:1kB";
    EXPECT_TRUE(is_oom_record(global, 4711));
    EXPECT_TRUE(is_oom_record(cgroup, 4711));
    EXPECT_FALSE(is_oom_record(global, 471));
    EXPECT_FALSE(is_oom_record(global, 711));
    EXPECT_FALSE(is_oom_record("6,1,2,-;eth0: link is up", 4711));
}

TEST(ExitCause, WithoutASignNothingIsSaid) {
    OomWatch watch;
    EXPECT_EQ(watch.evidence(::getpid()), "");
}

TEST(ExitCause, CoresAreFoundWhereThePatternPutsThem) {
    const test::TemporaryFolder folder;
    const CoreFacts facts{4711, 11, 1000, "python3", folder.path()};
    EXPECT_EQ(find_core("|/usr/lib/systemd/systemd-coredump %P %u", facts),
              "|/usr/lib/systemd/systemd-coredump");
    EXPECT_EQ(find_core("", facts), "");
    EXPECT_EQ(find_core("core\n", facts), "") << "there is none";
    test::write_text(folder / "core", "x");
    EXPECT_EQ(find_core("core\n", facts), (folder / "core").string());
    test::write_text(folder / "core.4711", "x");
    EXPECT_EQ(find_core("core.%p", facts), (folder / "core.4711").string());
    test::write_text(folder / "c-python3-4711-11-1732190000%", "x");
    test::write_text(folder / "c-python3-4712-11-1732190000%", "x");
    EXPECT_EQ(find_core(folder.path().string() + "/c-%e-%p-%s-%t%%", facts),
              (folder / "c-python3-4711-11-1732190000%").string());
    EXPECT_EQ(find_core("/no/such/folder/core.%p", facts), "");
    EXPECT_EQ(find_core("core.%", facts), "");
}

TEST(ExitCause, TheLastTracebackIsKept) {
    TracebackReader reader;
    for (const char byte :
         std::string("warming up\nTraceback (most recent call last):\n  File \"a.py\", line 1\n"
                     "ValueError: first\n\nDuring handling …:\n\n"
                     "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"b.py\"\n"
                     "[rank0]: RuntimeError: second\nand then a word\n")) {
        reader.feed({&byte, 1});
    }
    EXPECT_EQ(reader.lines(),
              (Lines{"Traceback (most recent call last):", "  File \"b.py\"", "RuntimeError: second"}));
}

TEST(ExitCause, ATracebackIsBounded) {
    TracebackReader reader;
    reader.feed("Traceback (most recent call last):\n");
    for (int i = 0; i < 5000; ++i) {
        reader.feed("  File \"deep.py\", line " + std::to_string(i) + ", " + std::string(10000, 'x') + '\n');
    }
    reader.feed("RecursionError: too deep\n");
    ASSERT_EQ(reader.lines().size(), TracebackReader::kLines);
    EXPECT_EQ(reader.lines().back(), "RecursionError: too deep");
    EXPECT_NE(reader.lines()[TracebackReader::kLines - 2].find("line 4999"), std::string::npos);
    EXPECT_LE(reader.lines()[1].size(), TracebackReader::kLineLength);
}

TEST(ExitCause, AnUnfinishedTracebackIsNone) {
    TracebackReader reader;
    reader.feed("Traceback (most recent call last):\n  File \"a.py\"\n");
    EXPECT_TRUE(reader.lines().empty());
}

}  // namespace
}  // namespace rankscope::agent
