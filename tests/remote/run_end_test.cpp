// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a run's end says where a verdict held it before, or a node was lost.

#include "support/events.h"
#include "support/plans.h"

#include <remote/desk/runs/run/run_tracker.h>
#include <remote/desk/runs/verdict_words.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;

Event step(const std::string& node, int rank, std::int64_t number = 1) {
    return make_event(MetricEvent{number, 1, {{"loss", 1.0}}, {}}, 1, node, rank);
}

Event stage(const std::string& node, int rank, StageName name, StageStatus status) {
    return make_event(StageEvent{name, status, "", -1}, 1, node, rank);
}

Event exit_of(const std::string& node, int rank, int code, int signal, std::int64_t t_us,
              bool requested = false) {
    ExitEvent exit;
    exit.code = signal != 0 ? -1 : code;
    exit.signal = signal;
    exit.requested = requested;
    Event event = make_event(exit, 1, node, rank);
    event.t_us = t_us;
    return event;
}

Event end_of(const std::string& node, Outcome outcome) {
    EndEvent end;
    end.outcome = outcome;
    return make_event(end, 1, node, -1);
}

Event end_that_lost(const std::string& node, const std::string& lost_node) {
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.lost_node = lost_node;
    end.lost_how = LostHow::Silent;
    end.silent_s = 10;
    return make_event(end, 1, node, -1);
}

Event live_verdict(VerdictPhase phase = VerdictPhase::Live) {
    DiagnosisEvent verdict;
    verdict.id = "rank-hang";
    verdict.title = "Rank 1 on node2 sleeps.";
    verdict.node = "node2";
    verdict.rank = 1;
    verdict.phase = phase;
    verdict.reason = "sleeps";
    verdict.waiting = {0};
    return make_event(verdict, 1, "", -1);
}

Event victim_of(const std::string& node, int rank, std::int64_t t_us) {
    Event event = exit_of(node, rank, 1, 0, t_us);
    std::get<ExitEvent>(event.body).lost_peer = true;
    return event;
}

RunTracker tracker_for(std::size_t nodes, int ranks_each) {
    RunTracker tracker;
    tracker.set_plan(plan_of(nodes, ranks_each));
    return tracker;
}

TEST(RunEnd, TheFirstSentenceOfALostNodeSaysWhenAndAtWhichStep) {
    RunTracker tracker = tracker_for(2, 1);
    Event last = step("node2", 1, 487);
    last.t_us = 1'760'000'000'000'000;
    tracker.observe(last);
    Event report = end_that_lost("node1", "node2");
    report.t_us = last.t_us + 10'000'000;
    tracker.observe(report);
    EXPECT_TRUE(tracker.verdict(false).detail.starts_with(
        "node2 stopped answering at " + time_of_day(last.t_us) + " (step 487). Nothing was heard"))
        << tracker.verdict(false).detail;
}

// Ranks of the engine that cannot meet fail with code 1, each for itself: the network fault that was seen is why.
TEST(RunEnd, ANetworkFaultThatKeptRanksFromMeetingIsTheCause) {
    Event blocked = live_verdict();
    auto& verdict = std::get<DiagnosisEvent>(blocked.body);
    verdict.id = "master-port-dropped";
    verdict.title = "Ranks 1 and 2 cannot reach node1: SYN sent, no answer.";
    verdict.rank = -1;
    verdict.node = "node1";
    verdict.pairs = {{"node2", "node1"}, {"node3", "node1"}};
    verdict.confidence = 0.95;
    RunTracker tracker = tracker_for(3, 1);
    tracker.observe(blocked);
    tracker.observe(exit_of("node3", 2, 1, 0, 100));
    tracker.observe(exit_of("node2", 1, 1, 0, 120));
    EXPECT_FALSE(tracker.verdict(false).has_culprit);
    EXPECT_EQ(tracker.verdict(false).detail, verdict.title);
    ASSERT_TRUE(tracker.diagnosis());
    EXPECT_EQ(tracker.diagnosis()->id.text(), "master-port-dropped");
    EXPECT_EQ(tracker.diagnosis()->waiting, (std::vector<int>{0, 1, 2}));

    RunTracker killed = tracker_for(3, 1);
    killed.observe(blocked);
    killed.observe(exit_of("node3", 2, 0, 11, 100));
    EXPECT_EQ(killed.verdict(false).culprit.rank, 2) << "a crash is its own";
    RunTracker met = tracker_for(3, 1);
    met.observe(step("node3", 2));
    met.observe(blocked);
    met.observe(exit_of("node3", 2, 1, 0, 100));
    EXPECT_EQ(met.verdict(false).culprit.rank, 2) << "it trained: an error of its own";
}

TEST(RunEnd, AStoppedRankIsCalledSoThoughTheStopOfTheRunContinuedIt) {
    Event stopped = live_verdict();
    auto& verdict = std::get<DiagnosisEvent>(stopped.body);
    verdict.id = "rank-stopped";
    verdict.reason = "stopped";
    RunTracker tracker = tracker_for(3, 1);
    tracker.observe(stopped);
    tracker.observe(victim_of("node1", 0, 100));
    tracker.observe(exit_of("node2", 1, 0, 15, 110, true));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 1);
    EXPECT_EQ(tracker.verdict(false).detail,
              "Rank 1 on node2 stopped answering: its process is stopped (state T).");
    ASSERT_TRUE(tracker.diagnosis());
    EXPECT_EQ(tracker.diagnosis()->id.text(), "rank-stopped");
}

TEST(RunEnd, OneVerdictThatIsOverLeavesTheOther) {
    RunTracker tracker = tracker_for(3, 1);
    Event other = live_verdict();
    std::get<DiagnosisEvent>(other.body).id = "master-port-dropped";
    tracker.observe(live_verdict());
    tracker.observe(other);
    std::get<DiagnosisEvent>(other.body).phase = VerdictPhase::Over;
    tracker.observe(other);
    tracker.observe(victim_of("node1", 0, 100));
    ASSERT_TRUE(tracker.diagnosis());
    EXPECT_EQ(tracker.diagnosis()->id.text(), "rank-hang");
}

TEST(RunEnd, WhatHeldTheRunIsTheCauseOfItsEnd) {
    RunTracker tracker = tracker_for(3, 1);
    tracker.observe(live_verdict());
    tracker.observe(victim_of("node1", 0, 100));
    tracker.observe(victim_of("node3", 2, 120));
    const auto end = tracker.verdict(false);
    EXPECT_EQ(end.outcome, Outcome::Failed);
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_TRUE(end.has_culprit);
    EXPECT_EQ(end.culprit.rank, 1);
    EXPECT_EQ(end.culprit.node, "node2");
    EXPECT_EQ(end.detail, "Rank 1 on node2 sleeps.");
    const auto cause = tracker.diagnosis();
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->id.text(), "rank-hang");
    EXPECT_EQ(cause->phase, VerdictPhase::End);
    EXPECT_EQ(cause->waiting, (std::vector<int>{0, 2})) << "those that only noticed";
}

TEST(RunEnd, ABlockedPortExplainsANodeThatTheOthersLost) {
    Event blocked = live_verdict();
    auto& verdict = std::get<DiagnosisEvent>(blocked.body);
    verdict.id = "gloo-ports-blocked";
    verdict.title = "node1 cannot connect to node2.";
    verdict.rank = -1;
    verdict.nodes = {"node2", "node1"};
    verdict.pairs = {{"node1", "node2"}};
    RunTracker tracker = tracker_for(2, 1);
    tracker.observe(blocked);
    tracker.observe(victim_of("node1", 0, 100));
    tracker.observe(end_that_lost("node1", "node2"));
    EXPECT_EQ(tracker.verdict(false).lost_node, "node2");
    EXPECT_EQ(tracker.verdict(false).detail, "node1 cannot connect to node2.");
    verdict.id = "partition-midrun";
    RunTracker cut = tracker_for(2, 1);
    cut.observe(blocked);
    cut.observe(end_that_lost("node1", "node2"));
    EXPECT_NE(cut.verdict(false).detail.find("node2 stopped answering"), std::string::npos);
}

TEST(RunEnd, ASlowRankIsNoCauseOfAnEnd) {
    RunTracker tracker = tracker_for(2, 1);
    Event slow = live_verdict();
    std::get<DiagnosisEvent>(slow.body).id = "rank-slow";
    tracker.observe(slow);
    tracker.observe(victim_of("node1", 0, 100));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 0);
}

TEST(RunEnd, AVerdictThatIsOverIsNoCause) {
    RunTracker tracker = tracker_for(2, 1);
    tracker.observe(live_verdict());
    tracker.observe(live_verdict(VerdictPhase::Over));
    tracker.observe(victim_of("node1", 0, 100));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 0);
    RunTracker own = tracker_for(2, 1);
    own.observe(live_verdict());
    own.observe(exit_of("node1", 0, 3, 0, 100));
    EXPECT_EQ(own.verdict(false).culprit.rank, 0) << "an error of its own";
}

TEST(RunEnd, ANodeThatIsGoneWithoutAWordCountsBeforeOneThatGotASignal) {
    for (const bool gone : {true, false}) {
        RunTracker tracker = tracker_for(2, 1);
        Event signalled = end_of("node1", Outcome::Stopped);
        std::get<EndEvent>(signalled.body).lost_node = "node1";
        std::get<EndEvent>(signalled.body).lost_how = LostHow::Signalled;
        tracker.observe(exit_of("node1", 0, 0, 15, 100, true));
        tracker.observe(signalled);
        tracker.observe(end_of("node2", gone ? Outcome::Lost : Outcome::Stopped));
        const std::string said = tracker.verdict(false).detail;
        EXPECT_EQ(said.find("node2") != std::string::npos, gone) << said;
        EXPECT_EQ(said.find("node1") != std::string::npos, !gone) << said;
    }
}

TEST(RunEnd, ARunThatTheJobStopsBecauseItHangsHasFailed) {
    RunTracker tracker = tracker_for(2, 1);
    tracker.observe(live_verdict());
    Event stop = stage("", -1, StageName::Stop, StageStatus::Begin);
    std::get<StageEvent>(stop.body).detail = "Rank 1 on node2 sleeps.";
    tracker.observe(stop);
    tracker.observe(exit_of("node1", 0, 0, 15, 100, true));
    tracker.observe(exit_of("node2", 1, 0, 15, 100, true));
    tracker.observe(end_of("node1", Outcome::Stopped));
    tracker.observe(end_of("node2", Outcome::Stopped));
    EXPECT_EQ(tracker.verdict(false).outcome, Outcome::Failed);
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 1);
    ASSERT_TRUE(tracker.diagnosis());
    EXPECT_EQ(tracker.diagnosis()->phase, VerdictPhase::End);
}

TEST(RunEnd, ARankThatEndedTooEarlyIsTheCause) {
    RunTracker tracker = tracker_for(3, 1);
    tracker.observe(exit_of("node2", 1, 0, 0, 100));
    tracker.observe(victim_of("node1", 0, 150));
    tracker.observe(victim_of("node3", 2, 160));
    const auto cause = tracker.diagnosis();
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->id.text(), "rank-exit-early");
    EXPECT_EQ(cause->rank, 1);
    EXPECT_EQ(cause->waiting, (std::vector<int>{0, 2}));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 1);
}

}  // namespace
}  // namespace rankscope
