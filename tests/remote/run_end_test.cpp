// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a run's end says where a verdict held it before, or a node was lost.

#include "support/events.h"
#include "support/plans.h"

#include <remote/desk/run/run_tracker.h>
#include <remote/desk/verdict_words.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;

Event step(const std::string& node, int rank, std::int64_t number = 1) {
    return make_event(MetricEvent{number, 1, {{"loss", 1.0}}, {}}, 1, node, rank);
}

Event exit_of(const std::string& node, int rank, int code, int signal, std::int64_t t_us,
              bool lost_peer = false) {
    ExitEvent exit;
    exit.code = signal != 0 ? -1 : code;
    exit.signal = signal;
    exit.lost_peer = lost_peer;
    Event event = make_event(exit, 1, node, rank);
    event.t_us = t_us;
    return event;
}

Event end_that_lost(const std::string& node, const std::string& lost_node) {
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.lost_node = lost_node;
    end.lost_how = LostHow::Silent;
    end.silent_s = 10;
    return make_event(end, 1, node, -1);
}

Event live_verdict() {
    Verdict verdict;
    verdict.id = "rank-hang";
    verdict.title = "Rank 1 on node2 sleeps.";
    verdict.rank = 1;
    verdict.node = "node2";
    verdict.phase = VerdictPhase::Live;
    return make_event(verdict, 1, "", -1);
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
    EXPECT_EQ(tracker.diagnosis()->waiting, (std::vector<int>{1, 2}));

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

TEST(RunEnd, OneVerdictThatIsOverLeavesTheOther) {
    RunTracker tracker = tracker_for(3, 1);
    Event other = live_verdict();
    std::get<DiagnosisEvent>(other.body).id = "master-port-dropped";
    tracker.observe(live_verdict());
    tracker.observe(other);
    std::get<DiagnosisEvent>(other.body).phase = VerdictPhase::Over;
    tracker.observe(other);
    tracker.observe(exit_of("node1", 0, 1, 0, 100, true));
    ASSERT_TRUE(tracker.diagnosis());
    EXPECT_EQ(tracker.diagnosis()->id.text(), "rank-hang");
}

}  // namespace
}  // namespace rankscope
