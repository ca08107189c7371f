// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/ending_rule.h>
#include <remote/desk/runs/run/recorded_stops.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

NodeStatus node(const char* name, bool ended, bool reachable, double last_seen_s) {
    return {name, ended, reachable, last_seen_s};
}

std::vector<std::string> names(const std::vector<NodeStatus>& nodes) {
    std::vector<std::string> all;
    for (const auto& entry : nodes) {
        all.push_back(entry.node);
    }
    return all;
}

using Names = std::vector<std::string>;

class Ending : public ::testing::Test {
protected:
    Names lost(double now) const { return names(rule_.lost(nodes_, now)); }

    EndingRule rule_{{10, 5, 8}};  // peer_timeout_s, grace_s, stop_allowance_s
    std::vector<NodeStatus> nodes_{node("node1", false, true, 100), node("node2", false, false, 100)};
};

TEST_F(Ending, ARunThatContinuesElsewhereIsNotEndedHere) {
    EXPECT_EQ(lost(10000), Names{}) << "nothing has ended, nothing was asked";
}

TEST_F(Ending, ASilentNodeIsLostAfterThePeerTimeoutOnceTheOthersHaveEnded) {
    rule_.node_ended(101, true);
    EXPECT_EQ(lost(110), Names{}) << "node1 still answers and will end";
    nodes_[0].ended = true;
    EXPECT_EQ(lost(112.9), Names{});
    EXPECT_EQ(lost(113.1), Names{"node2"});
    EXPECT_EQ(lost(114.9), Names{"node2"}) << "within peer_timeout_s + 5 s";
}

TEST_F(Ending, ANodeThatAnswersButDoesNotEndIsLostAsWell) {
    nodes_ = {node("node1", true, true, 100), node("node2", false, true, 200)};
    rule_.node_ended(100, true);
    EXPECT_EQ(lost(112.9), Names{});
    EXPECT_EQ(lost(113.1), Names{"node2"});
}

TEST_F(Ending, AStoppedSupervisorIsNotWaitedForTwice) {
    nodes_ = {node("node1", true, true, 100), node("node2", false, true, 200)};
    nodes_[1].trouble = NodeTrouble::SupervisorStopped;
    EXPECT_EQ(lost(200), Names{}) << "it may continue: the run goes on";
    rule_.node_ended(200, true);
    EXPECT_EQ(lost(202.9), Names{});
    EXPECT_EQ(lost(203.1), Names{"node2"});
}

TEST(DescribeSilence, SaysWhatIsKnown) {
    NodeStatus status = node("node2", false, true, 100);
    EXPECT_TRUE(describe_silence(status, 0).ends_with("(perhaps it is stopped)"));
    status.trouble = NodeTrouble::SupervisorStopped;
    EXPECT_EQ(describe_silence(status, 0), "its supervisor is stopped (state T) and does not report the end");
    status.trouble = NodeTrouble::DiskFull;
    EXPECT_EQ(describe_silence(status, 0), "its disk is full: its supervisor cannot record the end");
    status.reachable = false;
    EXPECT_EQ(describe_silence(status, 0), "this computer has not reached it yet");
}

TEST_F(Ending, AfterASuccessfulEndElsewhereThereIsNoHurry) {
    nodes_[0].ended = true;
    rule_.node_ended(100, false);
    EXPECT_EQ(lost(130), Names{});
    EXPECT_EQ(lost(161), Names{"node2"});
}

TEST_F(Ending, AStopWaitsForTheGraceTime) {
    rule_.stop_asked(100, StopKind::Graceful);
    EXPECT_EQ(lost(104.9), Names{});
    EXPECT_EQ(lost(105.1), Names{"node2"}) << "it does not answer";
    EXPECT_EQ(lost(108.1), (Names{"node1", "node2"})) << "its supervisor does not do its work";
}

TEST_F(Ending, AForcedStopDoesNotWait) {
    rule_.stop_asked(100, StopKind::Graceful);
    rule_.stop_asked(101, StopKind::Force);
    EXPECT_EQ(lost(102.9), Names{});
    EXPECT_EQ(lost(103.1), (Names{"node1", "node2"}));
}

TEST_F(Ending, WithoutALimitInTheJobASilentNodeGetsHalfAMinute) {
    EndingRule rule({0, 5, 8});
    nodes_[0].ended = true;
    rule.node_ended(100, true);
    EXPECT_TRUE(rule.lost(nodes_, 132).empty());
    EXPECT_EQ(names(rule.lost(nodes_, 134)), Names{"node2"});
}

}  // namespace
}  // namespace rankscope
