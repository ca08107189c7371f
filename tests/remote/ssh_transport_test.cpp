// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Connections to a real sshd: at the desk of a virtual cluster (tests/cluster).

#include "support/wait_until.h"

#include <remote/desk/nodes/transport/transport.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace rankscope::test {
namespace {

class SshConnections : public ::testing::Test {
protected:
    void SetUp() override {
        ::signal(SIGPIPE, SIG_IGN);
        const char* cluster = std::getenv("RANKSCOPE_TEST_CLUSTER");
        ASSERT_NE(cluster, nullptr) << "run this with tests/cluster/vcluster.py run --nodes 2 -- PROGRAM";
        std::ifstream file(cluster);
        const auto inventory = nlohmann::json::parse(file).at("inventory").get<std::string>();
        nodes_ = read_inventory(inventory, true).inventory.nodes;
        ASSERT_EQ(nodes_.size(), 2U);
        // What libssh opens once and keeps is not what is counted.
        ASSERT_EQ(run_once(nodes_[0], "true"), 0);
    }

    static Result<std::unique_ptr<Transport>> connect(const NodeSpec& node) {
        return open_transport(node, Prompter{}, {}, {});
    }

    static int run_once(const NodeSpec& node, const std::string& command) {
        auto transport = connect(node);
        if (!transport) {
            ADD_FAILURE() << transport.failure().what << ": " << transport.failure().detail;
            return -1;
        }
        auto channel = (*transport)->exec(command);
        if (!channel) {
            ADD_FAILURE() << channel.failure().what;
            return -1;
        }
        std::string output;
        while ((*channel)->read(output) != Channel::Read::Closed) {
            (*channel)->wait(false, 1000, -1);
        }
        return (*channel)->exit_status().value_or(-1);
    }

    static std::ptrdiff_t open_descriptors() {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    }

    std::vector<NodeSpec> nodes_;
};

TEST_F(SshConnections, ClosedWithTheirLastUserNotWithTheProgram) {
    const auto before = open_descriptors();
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(run_once(nodes_[0], "true"), 0);
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(SshConnections, ClosedWhileTheCommandStillTalks) {
    const auto before = open_descriptors();
    {
        auto transport = connect(nodes_[0]);
        ASSERT_TRUE(transport);
        auto channel = (*transport)->exec("yes");
        ASSERT_TRUE(channel);
        std::string output;
        ASSERT_TRUE(wait_until([&] { return (*channel)->read(output) == Channel::Read::Data; }));
        EXPECT_GT(open_descriptors(), before);
    }
    EXPECT_EQ(open_descriptors(), before);
    // There its session ends as well, and with it the command.
    EXPECT_TRUE(wait_until([&] { return run_once(nodes_[0], "pgrep -x yes") == 1; }));
}

TEST_F(SshConnections, ClosedWhenTheLoginFails) {
    const auto before = open_descriptors();
    NodeSpec stranger = nodes_[0];
    stranger.identity_file = std::string(std::getenv("HOME")) + "/.ssh/id_stranger";
    const auto refused = connect(stranger);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.failure().code, FailureId("ssh-auth-denied"));
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(SshConnections, ThroughAJumpHostClosedAsWell) {
    NodeSpec behind = nodes_[1];
    behind.proxy_jump = nodes_[0].user + '@' + nodes_[0].host;
    ASSERT_EQ(run_once(behind, "true"), 0);
    const auto before = open_descriptors();
    ASSERT_EQ(run_once(behind, "true"), 0);
    EXPECT_TRUE(wait_until([&] { return open_descriptors() == before; }, 10));
}

}  // namespace
}  // namespace rankscope::test
