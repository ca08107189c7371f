// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/desk/jobs/plan/code_version.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rankscope {
namespace {

using test::TemporaryFolder;
using test::write_text;

/// A repository with one commit, in which no configuration of the user counts.
class CodeOfARun : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(git("init -q -b main"), 0);
        write_text(folder_ / "train.py", "rate = 1\n");
        write_text(folder_ / "with space.py", "pass\n");
        commit();
    }
    int git(const std::string& arguments) const {
        const std::string command = "cd '" + folder_.path().string() +
                                    "' && GIT_CONFIG_GLOBAL=/dev/null git -c user.name=a -c user.email=a@b " +
                                    arguments;
        return std::system(command.c_str());
    }
    void commit() const { ASSERT_EQ(git("add -A") + git("commit -qm x"), 0); }
    Job job(const std::string& file = "job.yaml") const {
        Job job;
        job.file = folder_ / file;
        return job;
    }

    TemporaryFolder folder_;
};

TEST_F(CodeOfARun, IsTheCommitAndWhatChangedSince) {
    auto code = code_version(job());
    ASSERT_TRUE(code);
    EXPECT_EQ(code->commit.size(), 40U);
    EXPECT_EQ(code->branch, "main");
    EXPECT_EQ(code_text(*code), "main " + code->commit.substr(0, 10));
    EXPECT_EQ(code->diff, "");
    EXPECT_EQ(diff_note(*code), "No file in git had changed.");

    write_text(folder_ / "train.py", "rate = 2\n");
    ASSERT_EQ(git("mv 'with space.py' moved.py"), 0);
    write_text(folder_ / "new\xff.py", "pass\n");
    code = code_version(job());
    ASSERT_TRUE(code);
    EXPECT_EQ(code->changed, (std::vector<std::string>{"moved.py", "train.py"}));
    EXPECT_EQ(code->untracked, (std::vector<std::string>{"new?.py"}));
    EXPECT_NE(code->diff.find("-rate = 1\n+rate = 2\n"), std::string::npos) << code->diff;
    EXPECT_FALSE(code->diff_cut);
    EXPECT_EQ(diff_note(*code), "");
    EXPECT_EQ(code_text(*code),
              "main " + code->commit.substr(0, 10) + ", changed: moved.py, train.py, not in git: new?.py");
    EXPECT_EQ(code_from_json(nlohmann::json::parse(to_json(*code).dump())), *code);
}

TEST_F(CodeOfARun, ALongDifferenceIsCut) {
    write_text(folder_ / "train.py", std::string(2 * kMostDiff, 'x'));
    const auto code = code_version(job());
    ASSERT_TRUE(code);
    EXPECT_EQ(code->diff.size(), kMostDiff);
    EXPECT_TRUE(code->diff_cut);
    EXPECT_EQ(diff_note(*code), "The difference is long: its end is not kept.");
    CodeVersion failed = *code;
    failed.diff.clear();
    failed.diff_cut = false;
    EXPECT_NE(diff_note(failed).find("not kept: git did not answer"), std::string::npos);
}

TEST_F(CodeOfARun, IsThatOfThePushedFolder) {
    const TemporaryFolder elsewhere;
    Job pushed;
    pushed.file = elsewhere / "job.yaml";
    EXPECT_FALSE(code_version(pushed)) << "no repository";
    pushed.push = {folder_.path().string()};
    EXPECT_TRUE(code_version(pushed));
    pushed.push = {(folder_ / "train.py").string()};
    EXPECT_TRUE(code_version(pushed));
    EXPECT_FALSE(code_version(Job())) << "a job that is no file";
}

TEST_F(CodeOfARun, IsKnownWithADetachedHeadAndNotBeforeTheFirstCommit) {
    ASSERT_EQ(git("checkout -q --detach"), 0);
    const auto code = code_version(job());
    ASSERT_TRUE(code);
    EXPECT_EQ(code_text(*code), code->commit.substr(0, 10));
    std::filesystem::remove_all(folder_ / ".git");
    ASSERT_EQ(git("init -q"), 0);
    EXPECT_FALSE(code_version(job()));
}

}  // namespace
}  // namespace rankscope
