// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// torchrun's error file, as torch's @record writes it, and whatever else may lie there.

#include "support/temporary_folder.h"

#include <base/clock.h>
#include <remote/agent/ranks/error_file.h>

#include <gtest/gtest.h>

namespace rankscope::agent {
namespace {

class ErrorFiles : public ::testing::Test {
protected:
    ErrorFile read(const std::string& content) {
        test::write_text(folder_ / "error.json", content);
        return read_error_file(folder_ / "error.json");
    }
    test::TemporaryFolder folder_;
};

// Written by torch 1.13's ErrorHandler, paths shortened.
constexpr const char* kRecorded =
    R"({"message": {"message": "RuntimeError: shape '[3]' is invalid for input of size 4", "extraInfo": {)"
    R"("py_callstack": "Traceback (most recent call last):\n  File \"/usr/lib/python3/dist-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py\", line 346, in wrapper\n    return f(*args, **kwargs)\n  File \"/home/me/proj/train.py\", line 42, in main\n    x.view(3)\nRuntimeError: shape '[3]' is invalid for input of size 4\n", "timestamp": "1700000000"}}})";

TEST_F(ErrorFiles, MessageAndInnermostFrameAreTheReason) {
    const auto file = read(kRecorded);
    EXPECT_EQ(file.message, "RuntimeError: shape '[3]' is invalid for input of size 4");
    EXPECT_EQ(file.last_frame, "train.py:42 in main");
    EXPECT_EQ(file.reason(),
              "RuntimeError: shape '[3]' is invalid for input of size 4 (train.py:42 in main)");
    EXPECT_NEAR(static_cast<double>(file.failed_us), static_cast<double>(now_us()), 60e6);
}

TEST_F(ErrorFiles, APlainMessageIsEnough) {
    EXPECT_EQ(read(R"({"message": "out of cheese", "errorCode": 3})").reason(), "out of cheese");
    EXPECT_EQ(read(R"({"message": {"message": "only this"}})").reason(), "only this");
}

TEST_F(ErrorFiles, WhatIsNoErrorFileIsEmpty) {
    for (const char* content : {"", "{", "[]", "3", R"({"message": [1]})", R"({"other": 1})",
                                "{\"message\": {", R"({"message": {"message": 3, "extraInfo": [1]}})"}) {
        EXPECT_EQ(read(content).reason(), "") << content;
    }
    EXPECT_EQ(read_error_file(folder_ / "absent").failed_us, 0);
}

TEST_F(ErrorFiles, TheMissingRankIsAField) {
    EXPECT_EQ(read(R"({"message": {"message": "m", "extraInfo": {"missing_rank": 3}}})").missing_rank, 3);
    for (const char* content :
         {R"({"message": {"message": "m", "extraInfo": {"missing_rank": -3}}})",
          R"({"message": {"message": "m", "extraInfo": {"missing_rank": "3"}}})",
          R"({"message": {"message": "m", "extraInfo": {"missing_rank": 99999999999}}})", kRecorded}) {
        EXPECT_EQ(read(content).missing_rank, -1) << content;
    }
}

TEST(Traceback, TheInnermostFrameThatIsAFile) {
    EXPECT_EQ(last_frame_of("  File \"a/b.py\", line 3, in f\n  File \"/c.py\", line 4, in <module>\n"),
              "c.py:4 in <module>");
    EXPECT_EQ(last_frame_of("  File \"a.py\", line 3, in f\n  File \"<frozen importlib>\", line 9, in g\n"),
              "a.py:3 in f");
    EXPECT_EQ(last_frame_of("  File \"x.py\", line 7"), "x.py:7");
    EXPECT_EQ(last_frame_of(""), "");
    EXPECT_EQ(last_frame_of("File \""), "");
    EXPECT_EQ(last_frame_of("File \"File \"File \"\", lin"), "");
}

}  // namespace
}  // namespace rankscope::agent
