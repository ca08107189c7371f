// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/files.h>
#include <remote/agent/node/isolated_look.h>
#include <remote/agent/node/process_tree.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rankscope::agent {
namespace {

TEST(IsolatedLook, ReturnsWhatWasFound) {
    const std::string much(1U << 20U, 'x');
    IsolatedLook look([&much] { return much; }, test::kPatience);
    EXPECT_EQ(look.wait({}), much);
    IsolatedLook nothing([] { return std::string(); }, test::kPatience);
    EXPECT_EQ(nothing.wait({}), "");
}

TEST(IsolatedLook, AChildThatFailsHasFoundNothing) {
    IsolatedLook throws([]() -> std::string { throw std::runtime_error("x"); }, test::kPatience);
    EXPECT_FALSE(throws.wait({}));
    IsolatedLook ends([]() -> std::string { ::_exit(0); }, test::kPatience);
    EXPECT_FALSE(ends.wait({}));
}

TEST(IsolatedLook, AChildThatDoesNotAnswerIsLeftBehindAndEnds) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "pid";
    const auto child = [&file] {
        test::write_text(file, std::to_string(::getpid()) + '\n');
        ::pause();
        return std::string();
    };
    const auto pid_in_file = [&file] {
        std::string text;
        EXPECT_TRUE(test::wait_until([&] {
            text = read_file(file).value_or("");
            return text.ends_with('\n');
        }));
        return static_cast<pid_t>(std::atol(text.c_str()));
    };
    pid_t pid = 0;
    {
        std::stop_source stop;
        IsolatedLook look(child, test::kPatience);
        pid = pid_in_file();
        stop.request_stop();
        EXPECT_FALSE(look.wait(stop.get_token()));
        EXPECT_FALSE(IsolatedLook(child, 0.01).wait({})) << "its deadline has passed";
    }
    EXPECT_TRUE(test::wait_until([pid] { return ::kill(pid, 0) != 0 || is_zombie(pid); }));
}

}  // namespace
}  // namespace rankscope::agent
