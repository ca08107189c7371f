// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Fixes on a real node with a real sudo: at the desk of a virtual cluster (tests/cluster).

#include "support/wait_until.h"

#include <remote/desk/runs/preflight/apply_fix.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace rankscope::test {
namespace {

// What answers the questions, and how often it was asked.
struct User {
    std::vector<std::string> answers = {};
    int asked = 0;
    std::vector<SecretQuestion> questions = {};

    Prompter prompter() {
        Prompter prompter;
        prompter.secret = [this](const SecretQuestion& question) -> std::optional<std::string> {
            questions.push_back(question);
            const auto index = static_cast<std::size_t>(asked++);
            return index < answers.size() ? std::optional(answers[index]) : std::nullopt;
        };
        return prompter;
    }
};

class ApplyFix : public ::testing::Test {
protected:
    void SetUp() override {
        ::signal(SIGPIPE, SIG_IGN);
        const char* cluster = std::getenv("RANKSCOPE_TEST_CLUSTER");
        ASSERT_NE(cluster, nullptr) << "run this with tests/cluster/vcluster.py run --nodes 1 -- PROGRAM";
        std::ifstream file(cluster);
        const auto description = nlohmann::json::parse(file);
        password_ = description.at("password").get<std::string>();
        inventory_ = read_inventory(description.at("inventory").get<std::string>(), true).inventory;
        ASSERT_EQ(inventory_.nodes.size(), 1U);
        // A name of its own in each test: accepted passwords are kept for the program.
        inventory_.nodes[0].name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        NodeSpec root = inventory_.nodes[0];
        root.name = "as-root";
        root.user = "root";
        inventory_.nodes.push_back(root);
        if (!apply_fix({.inventory = inventory_, .fix = {.node = "as-root", .command = "command -v sudo"}},
                       {})) {
            GTEST_SKIP() << "sudo is missing: apt-get install sudo";
        }
    }

    std::string as_root(const std::string& command) const {
        const auto done =
            apply_fix({.inventory = inventory_, .fix = {.node = "as-root", .command = command}}, {});
        EXPECT_TRUE(done) << command << ": " << done.failure().detail;
        return done ? *done : std::string();
    }
    void permit(const std::string& rule) const {
        as_root("echo 'trainer " + rule + "' > /etc/sudoers.d/trainer && chmod 440 /etc/sudoers.d/trainer");
    }
    Result<std::string> run(const std::string& command, User& user, bool needs_root) const {
        return apply_fix(
            {.inventory = inventory_,
             .fix = {.node = inventory_.nodes[0].name, .command = command, .needs_root = needs_root},
             .prompter = user.prompter()},
            {});
    }

    Inventory inventory_;
    std::string password_;
    User user_;
};

TEST_F(ApplyFix, RunsTheLineAsItIsShown) {
    const auto done =
        run("printf '%s|' 'a!1' '7'\"two\n2lines\"'0' '\\0101' ~; id -un; echo err >&2", user_, false);
    ASSERT_TRUE(done) << done.failure().detail;
    EXPECT_EQ(*done, "a!1|7two\n2lines0|\\0101|/home/trainer|trainer\nerr\n");
    const Fix fix{.node = inventory_.nodes[0].name, .command = "echo done", .undo = "echo undone"};
    EXPECT_EQ(*apply_fix({.inventory = inventory_, .fix = fix, .undo = true}, {}), "undone\n");
}

TEST_F(ApplyFix, ACommandThatFailsIsAFailureWithItsOutput) {
    const auto done = run("echo why; exit 7", user_, false);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("fix-failed"));
    EXPECT_EQ(done.failure().detail, "why\n");
    EXPECT_EQ(done.failure().where, inventory_.nodes[0].name);
    Fix stranger{.node = "nowhere", .command = "true"};
    EXPECT_EQ(apply_fix({.inventory = inventory_, .fix = stranger}, {}).failure().code,
              FailureId("fix-failed"));
}

TEST_F(ApplyFix, RootNeedsNoPassword) {
    const auto done = apply_fix({.inventory = inventory_,
                                 .fix = {.node = "as-root", .command = "sudo id -un", .needs_root = true},
                                 .prompter = user_.prompter()},
                                {});
    ASSERT_TRUE(done) << done.failure().detail;
    EXPECT_EQ(*done, "root\n");
    EXPECT_EQ(user_.asked, 0);
}

TEST_F(ApplyFix, OnePasswordIsEnoughForAllCommandsAndTheNextFix) {
    permit("ALL=(ALL:ALL) ALL");
    user_.answers = {password_};
    auto done = run("sudo id -un && sudo sh -c 'id -u' && id -un", user_, true);
    ASSERT_TRUE(done) << done.failure().what << done.failure().detail;
    EXPECT_EQ(*done, "root\n0\ntrainer\n");
    EXPECT_EQ(user_.asked, 1);
    // Neither command lines nor environments hold it.
    done = run("sudo sh -c 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ' | tr '\\0' '\\n' | grep -c '^" +
                   password_ + "$'; sudo -K",
               user_, true);
    ASSERT_TRUE(done) << done.failure().what << done.failure().detail;
    EXPECT_EQ(*done, "0\n");
    EXPECT_EQ(user_.asked, 1) << "kept in memory";
}

TEST_F(ApplyFix, AWrongPasswordIsAskedForAgainThreeTimes) {
    permit("ALL=(ALL:ALL) ALL");
    user_.answers = {"wrong", password_};
    auto done = run("sudo id -un", user_, true);
    ASSERT_TRUE(done) << done.failure().what << done.failure().detail;
    EXPECT_EQ(*done, "root\n");
    ASSERT_EQ(user_.asked, 2);
    EXPECT_EQ(user_.questions[1].attempt, 2);
    inventory_.nodes[0].name += "-again";
    User stranger{.answers = {"a", "b", "c", "d"}};
    done = run("sudo id -un > /tmp/stranger", stranger, true);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("sudo-refused"));
    EXPECT_EQ(stranger.asked, 3);
    EXPECT_EQ(as_root("ls /tmp/stranger 2>/dev/null; true"), "") << "nothing ran";
}

TEST_F(ApplyFix, WhoMayNotUseSudoOrCannotBeAskedIsRefused) {
    as_root("rm -f /etc/sudoers.d/trainer");
    user_.answers = {password_};
    auto done = run("sudo id", user_, true);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("sudo-refused"));
    permit("ALL=(ALL:ALL) ALL");
    done = apply_fix({.inventory = inventory_,
                      .fix = {.node = inventory_.nodes[0].name, .command = "sudo id", .needs_root = true}},
                     {});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("sudo-refused"));
    User away;  // closes the question
    done = run("sudo id", away, true);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("cancelled"));
}

TEST_F(ApplyFix, ARuleWithoutAPasswordAsksNoQuestion) {
    permit("ALL=(ALL:ALL) NOPASSWD: ALL");
    const auto done = run("sudo id -un", user_, true);
    ASSERT_TRUE(done) << done.failure().what << done.failure().detail;
    EXPECT_EQ(*done, "root\n");
    EXPECT_EQ(user_.asked, 0);
}

TEST_F(ApplyFix, AStopEndsTheWaiting) {
    std::stop_source stop;
    as_root("rm -f /root/begun");
    const std::jthread later([&] {
        EXPECT_TRUE(wait_until([&] { return as_root("cat /root/begun 2>/dev/null || true") == "begun\n"; }));
        stop.request_stop();
    });
    const auto done = apply_fix({.inventory = inventory_,
                                 .fix = {.node = "as-root", .command = "echo begun > /root/begun; sleep 60"}},
                                stop.get_token());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().code, FailureId("cancelled"));
}

}  // namespace
}  // namespace rankscope::test
