// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <base/log.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace rankscope {
namespace {

class Log : public ::testing::Test {
protected:
    Log() {
        set_log_sink([this](const LogRecord& record) { lines_.push_back(to_line(record)); });
    }
    ~Log() override {
        set_log_sink({});
        set_log_level(LogLevel::Info);
    }
    std::vector<std::string> lines_;
};

int guarded(int index) {
    RANKSCOPE_CHECK(index >= 0 && index < 3, return -1);
    return index * 10;
}

TEST_F(Log, ALineHasTimeProgramAndLevel) {
    EXPECT_EQ(to_line({LogLevel::Warning, 1763764155123456, "disk is full"}),
              "2025-11-21T22:29:15.123Z base_test warning: disk is full");
}

TEST_F(Log, IsOneLineWhateverTheText) {
    log_message(LogLevel::Error, "a\nb\x1b[2J\x7fü");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_TRUE(lines_[0].ends_with(" error: a\\nb\\x1b[2J\\x7fü")) << lines_[0];
}

TEST_F(Log, LowerLevelsAreDropped) {
    log_message(LogLevel::Debug, "no");
    log_message(LogLevel::Info, "yes");
    set_log_level(LogLevel::Error);
    log_message(LogLevel::Warning, "no");
    set_log_level(LogLevel::Debug);
    log_message(LogLevel::Debug, "yes");
    EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(Log, WritesToStderrWithoutASink) {
    set_log_sink({});
    testing::internal::CaptureStderr();
    log_message(LogLevel::Info, "hello");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(text.ends_with("base_test info: hello\n")) << text;
    EXPECT_TRUE(text.starts_with("20")) << text;
}

TEST_F(Log, ThreadsDoNotMixTheirLines) {
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([] {
                for (int j = 0; j < 100; ++j) {
                    log_message(LogLevel::Info, "from a thread");
                }
            });
        }
    }
    EXPECT_EQ(lines_.size(), 400U);
}

TEST_F(Log, AFailedCheckIsLoggedWithItsPlaceAndRecovers) {
    EXPECT_EQ(guarded(2), 20);
    EXPECT_TRUE(lines_.empty());
    EXPECT_EQ(guarded(3), -1);
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("check failed: index >= 0 && index < 3"), std::string::npos) << lines_[0];
    EXPECT_NE(lines_[0].find("log_test.cpp:"), std::string::npos) << lines_[0];
    int rounds = 0;
    for (int i = 0; i < 5; ++i) {
        RANKSCOPE_CHECK(i != 2, continue);
        ++rounds;
    }
    EXPECT_EQ(rounds, 4) << "continue belongs to the caller's loop";
}

}  // namespace
}  // namespace rankscope
