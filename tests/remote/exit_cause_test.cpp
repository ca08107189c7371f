// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/agent/ranks/crash_dump.h>
#include <remote/agent/ranks/exit_cause.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

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
    for (const char* record : {
             "3,1214,9021,-;Out of memory: Killed process 4711 (python3) total-vm:1kB, anon-rss:2kB, "
             "UID:1000",
             "3,1,2,-;Memory cgroup out of memory: Killed process 4711 (python3) total-vm:1kB",
             // Before 4.20, as two records.
             "3,1,2,-;Out of memory: Kill process 4711 (python3) score 912 or sacrifice child",
             "3,1,2,-;Killed process 4711 (python3) total-vm:8kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB",
         }) {
        EXPECT_EQ(read_oom_kill(record), 4711) << record;
    }
    for (const char* record :
         {"6,1,2,-;eth0: link is up", "", "Out of memory: Killed process 4711 (x)",
          "3,1,2,-;Out of memory: Killed process", "3,1,2,-;Killed process 4711 (x) by a user",
          "3,1,2,-;Out of memory: Killed process 99999999999999999999 (x)"}) {
        EXPECT_EQ(read_oom_kill(record), std::nullopt) << record;
    }
}

TEST(ExitCause, WhatTheKernelLogSaidBeforeIsOfOtherProcesses) {
    const test::TemporaryFolder folder;
    const auto log = folder / "kmsg";
    const auto append = [&](const char* record) { std::ofstream(log, std::ios::app) << record << '\n'; };
    append("3,1,2,-;Out of memory: Killed process 4711 (python3) total-vm:1kB");
    OomWatch watch(log);
    EXPECT_EQ(watch.evidence(4711), "");
    append("3,2,3,-;Out of memory: Killed process 4712 (python3) total-vm:1kB\n SUBSYSTEM=memory");
    append("3,3,4,-;Memory cgroup out of memory: Killed process 4713 (python3) total-vm:1kB");
    EXPECT_EQ(watch.evidence(4713), "kernel log");
    EXPECT_EQ(watch.evidence(4712), "kernel log") << "it was read with the other";
    EXPECT_EQ(watch.evidence(4711), "");
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

constexpr const char* kCrash =
    "a line of the program's\n"
    "Fatal Python error: Segmentation fault\n\n"
    "Thread 0x00007f01 (most recent call first):\n"
    "  File \"/usr/lib/python3.12/threading.py\", line 355 in wait\n\n"
    "Current thread 0x00007f02 [python] (most recent call first):\n"
    "  File \"/venv/lib/python3.12/site-packages/torch/x.py\", line 7 in forward\n"
    "  File \"/a/my \", line 7.py\", line 41 in step\n"
    "  File \"/a/train.py\", line 60 in <module>\n\n"
    "Thread 0x00007f03 (most recent call first):\n"
    "  File \"/a/other.py\", line 1 in run\n\n"
    "Current thread's C stack trace (most recent call first):\n"
    "  Binary file \"/lib/x.so\", at f+0x1 [0x7f]\n\n"
    "Extension modules: numpy, torch (total: 2)\n"
    "  File \"/a/late.py\", line 2 in late\n";

TEST(ExitCause, ACrashHasItsPythonLines) {
    const std::string text = kCrash;
    for (const std::size_t piece : {text.size(), std::size_t{1}, std::size_t{7}}) {
        agent::CrashDumpReader reader;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            reader.feed(std::string_view(text).substr(at, piece));
        }
        const auto dump = reader.dump();
        EXPECT_EQ(dump.frames,
                  (std::vector<std::string>{"/venv/lib/python3.12/site-packages/torch/x.py:7 in forward",
                                            "/a/my \", line 7.py:41 in step", "/a/train.py:60 in <module>"}));
        EXPECT_EQ(dump.reason(), "Segmentation fault (my \", line 7.py:41 in step)");
        EXPECT_EQ(dump.lines().front(), "Fatal Python error: Segmentation fault");
        EXPECT_TRUE(dump.fits(SIGSEGV));
        EXPECT_FALSE(dump.fits(SIGABRT)) << "of a process that the rank started";
        EXPECT_FALSE(dump.fits(SIGKILL));
    }
}

TEST(ExitCause, ACrashOutsideOfPythonHasTheMainThreadsLines) {
    agent::CrashDumpReader reader;
    reader.feed(
        "Fatal Python error: Bus error\n\nCurrent thread 0x01 (most recent call first):\n"
        "  <no Python frame>\n\nThread 0x02 (most recent call first):\n"
        "  File \"/a/pin.py\", line 3 in pin\n\nThread 0x03 (most recent call first):\n"
        "  File \"/a/train.py\", line 9 in <module>\n");
    EXPECT_EQ(reader.dump().reason(), "Bus error (train.py:9 in <module>)");
    reader.feed("Fatal Python error: Aborted\n");
    EXPECT_EQ(reader.dump().reason(), "Aborted") << "the last one counts";
    EXPECT_TRUE(agent::CrashDumpReader().dump().error.empty());
    EXPECT_FALSE(agent::CrashDumpReader().dump().fits(SIGABRT));
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
