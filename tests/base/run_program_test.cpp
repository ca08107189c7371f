// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/run_program.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {
namespace {

using Words = std::vector<std::string>;

TEST(RunProgram, KeepsBothStreamsAndTheStatus) {
    const auto done = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}, {});
    EXPECT_EQ(done.status, 3);
    EXPECT_EQ(done.output, "out\n");
    EXPECT_EQ(done.errors, "err\n");
    EXPECT_FALSE(done.good());
    EXPECT_EQ(run_program({"/no/such/program"}, {}).start_error, ENOENT);
}

TEST(RunProgram, ReportsLinesAsTheyCome) {
    Words lines;
    const auto done = run_program({"sh", "-c", "printf 'one\\ntwo\\rthree\\nrest'"},
                                  {.on_line = [&lines](std::string_view line) { lines.emplace_back(line); }});
    EXPECT_TRUE(done.good());
    EXPECT_EQ(lines, (Words{"one", "two", "three"}));
}

TEST(RunProgram, KeepsNoMoreThanItIsAskedTo) {
    const auto cut = run_program({"sh", "-c", "head -c 300000 /dev/zero"}, {.output = 1000});
    EXPECT_TRUE(cut.good());
    EXPECT_TRUE(cut.cut);
    EXPECT_EQ(cut.output.size(), 1000U);
    const double begin = monotonic_s();
    const auto ended = run_program({"sh", "-c", "cat /dev/zero"}, {.output = 1000, .until_full = true});
    EXPECT_TRUE(ended.cut);
    EXPECT_EQ(ended.status, -1);
    EXPECT_LT(monotonic_s() - begin, 30);
}

TEST(RunProgram, EndsWithItsChildrenAtTheDeadlineAndAtAStop) {
    const double begin = monotonic_s();
    EXPECT_EQ(run_program({"sh", "-c", "sleep 600 & sleep 600"}, {.seconds = 0.2}).status, -1);
    std::stop_source stop;
    std::jthread other([&stop] { stop.request_stop(); });
    EXPECT_EQ(run_program({"sleep", "600"}, {.seconds = 600, .stop = stop.get_token()}).status, -1);
    EXPECT_LT(monotonic_s() - begin, 60);
}

TEST(RunProgram, SaysWhyAToolFailed) {
    EXPECT_EQ(error_lines("Collecting x\nERROR: no match\nmore\n"), "ERROR: no match\nmore");
    EXPECT_EQ(error_lines("Resolved\n  \u00d7 Failed\n  \u2570 why\n"), "  \u00d7 Failed\n  \u2570 why");
    EXPECT_EQ(error_lines("1\n2\n3\n4\n5\n6\n7\n8"), "3\n4\n5\n6\n7\n8");
    EXPECT_EQ(error_lines(""), "");
    EXPECT_EQ(error_lines("error: " + std::string(9000, 'x')).size(), 2000U);
}

}  // namespace
}  // namespace rankscope
