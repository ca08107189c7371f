// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"

#include <base/metrics_line.h>
#include <remote/desk/runs/run/run_tracker.h>

#include <gtest/gtest.h>

#include <limits>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;

Event stage_of(const std::string& node, int rank, StageName name, StageStatus status = StageStatus::Progress,
               double progress = -1) {
    return make_event(StageEvent{name, status, "", progress}, 1, node, rank);
}

Event step_of(const std::string& node, int rank, std::int64_t number = 1) {
    return make_event(MetricEvent{number, 1, {{"loss", 1.0}}, {}}, 1, node, rank);
}

Event traced_exit(const std::string& node, int rank, int code, int signal, std::int64_t t_us,
                  bool requested = false) {
    ExitEvent exit;
    exit.code = signal != 0 ? -1 : code;
    exit.signal = signal;
    exit.requested = requested;
    exit.last_lines = {"last words of " + std::to_string(rank)};
    Event event = make_event(exit, 1, node, rank);
    event.t_us = t_us;
    return event;
}

Event end_with_detail(const std::string& node, Outcome outcome) {
    EndEvent end;
    end.outcome = outcome;
    end.detail = "why";
    return make_event(end, 1, node, -1);
}

RunTracker tracker_of(std::size_t nodes, int ranks_each) {
    RunTracker tracker;
    tracker.set_plan(plan_of(nodes, ranks_each));
    return tracker;
}

std::vector<std::string> names_of(const std::vector<Event>& events) {
    std::vector<std::string> names;
    for (const auto& event : events) {
        const auto* body = event.as<StageEvent>();
        EXPECT_NE(body, nullptr);
        EXPECT_TRUE(event.node.empty());
        names.push_back(std::string(to_string(body->name)) + ' ' + to_string(body->status));
    }
    return names;
}

using Names = std::vector<std::string>;

TEST(RunTracker, StagesOfAHappyRun) {
    RunTracker tracker = tracker_of(2, 1);
    EXPECT_EQ(names_of(tracker.observe(stage_of("", -1, StageName::Connect, StageStatus::Done))), Names{});
    EXPECT_EQ(names_of(tracker.observe(stage_of("", -1, StageName::Start, StageStatus::Done))),
              Names{"rendezvous begin"});
    EXPECT_EQ(names_of(tracker.observe(stage_of("node1", 0, StageName::Start, StageStatus::Done))), Names{});
    EXPECT_EQ(
        names_of(tracker.observe(stage_of("node1", 0, StageName::Rendezvous, StageStatus::Progress, 0.5))),
        Names{});
    EXPECT_EQ(names_of(tracker.observe(stage_of("node1", 0, StageName::Data))), Names{"rendezvous progress"});
    EXPECT_EQ(names_of(tracker.observe(stage_of("node1", 0, StageName::Train))), Names{})
        << "reported already";
    EXPECT_EQ(
        names_of(tracker.observe(stage_of("node2", 1, StageName::Rendezvous, StageStatus::Progress, 1))),
        (Names{"rendezvous done", "first-step begin"}));
    EXPECT_EQ(names_of(tracker.observe(step_of("node2", 1))), Names{"first-step progress"});
    EXPECT_EQ(names_of(tracker.observe(step_of("node2", 1, 2))), Names{});
    EXPECT_EQ(names_of(tracker.observe(step_of("node1", 0))), Names{"first-step done"});
    EXPECT_FALSE(tracker.all_nodes_ended());
    tracker.observe(traced_exit("node1", 0, 0, 0, 10));
    tracker.observe(traced_exit("node2", 1, 0, 0, 10));
    tracker.observe(end_with_detail("node1", Outcome::Done));
    EXPECT_TRUE(tracker.node_ended("node1"));
    EXPECT_FALSE(tracker.all_nodes_ended());
    tracker.observe(end_with_detail("node2", Outcome::Done));
    EXPECT_TRUE(tracker.all_nodes_ended());
    EXPECT_TRUE(tracker.failure_cause().empty());
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Done);
    EXPECT_EQ(verdict.exit_code, 0);
    EXPECT_FALSE(tracker.diagnosis());
    EXPECT_FALSE(tracker.over());
    tracker.observe(end_with_detail("", Outcome::Done));
    EXPECT_TRUE(tracker.over());
}

TEST(RunTracker, AProgramThatOnlyWritesStepsPassesAllStages) {
    RunTracker tracker = tracker_of(1, 1);
    tracker.observe(stage_of("", -1, StageName::Start, StageStatus::Done));
    EXPECT_EQ(names_of(tracker.observe(step_of("node1", 0))),
              (Names{"rendezvous done", "first-step begin", "first-step done"}));
}

TEST(RunTracker, WhatWasConcludedIsNotConcludedAgain) {
    RunTracker first = tracker_of(1, 2);
    std::vector<Event> past;
    const auto live = [&](const Event& event) {
        past.push_back(event);
        for (const auto& consequence : first.observe(event)) {
            past.push_back(consequence);
            first.observe(consequence);
        }
    };
    live(stage_of("", -1, StageName::Start, StageStatus::Done));
    live(stage_of("node1", 0, StageName::Data));
    live(stage_of("node1", 1, StageName::Data));
    live(step_of("node1", 0));
    RunTracker second = tracker_of(1, 2);
    std::vector<Event> again;
    for (const auto& event : past) {
        second.observe(event);
    }
    EXPECT_EQ(names_of(second.observe(step_of("node1", 0, 5))), Names{});
    EXPECT_EQ(names_of(second.observe(step_of("node1", 1, 5))), Names{"first-step done"});
}

TEST(RunTracker, TheFirstToFailOnItsOwnIsTheCulprit) {
    RunTracker tracker = tracker_of(2, 2);
    tracker.observe(traced_exit("node1", 1, 3, 0, 2000));
    tracker.observe(traced_exit("node2", 2, 1, 0, 1000));  // arrived later, happened earlier
    tracker.observe(traced_exit("node1", 0, 0, 15, 2100, true));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Failed);
    EXPECT_EQ(verdict.exit_code, 1);
    ASSERT_TRUE(verdict.has_culprit);
    EXPECT_EQ(verdict.culprit.rank, 2);
    EXPECT_EQ(verdict.culprit.node, "node2");
    EXPECT_EQ(verdict.culprit.code, 1);
    EXPECT_EQ(verdict.culprit.last_lines, std::vector<std::string>{"last words of 2"});
    EXPECT_NE(verdict.detail.find("Rank 2 on node2 exited with code 1"), std::string::npos) << verdict.detail;
    EXPECT_NE(tracker.failure_cause().find("rank 1 on node1"), std::string::npos)
        << "reported immediately, and once";
}

TEST(RunTracker, WhoOnlyLostAPeerIsNotTheCulpritWhateverTheClocks) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node2", 1, kExitPeerLost, 0, 1));  // its clock is far behind
    tracker.observe(traced_exit("node1", 0, 0, 9, 1000000000));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.culprit.rank, 0);
    EXPECT_EQ(verdict.culprit.signal, 9);
    EXPECT_EQ(tracker.diagnosis()->id.text(), "killed-external");
}

TEST(RunTracker, WhenAllOnlyLostAPeerTheFirstIsNamed) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node2", 1, kExitPeerLost, 0, 20));
    tracker.observe(traced_exit("node1", 0, kExitPeerLost, 0, 10));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 0);
    EXPECT_EQ(tracker.diagnosis()->id.text(), "peer-lost");
}

TEST(RunTracker, RequestedEndsAreNeverTheCause) {
    RunTracker tracker = tracker_of(1, 2);
    tracker.observe(traced_exit("node1", 0, 0, 15, 10, true));
    tracker.observe(traced_exit("node1", 1, 7, 0, 11, true));
    tracker.observe(end_with_detail("node1", Outcome::Stopped));
    const auto verdict = tracker.verdict(true);
    EXPECT_EQ(verdict.outcome, Outcome::Stopped);
    EXPECT_EQ(verdict.exit_code, 130);
    EXPECT_FALSE(verdict.has_culprit);
    EXPECT_TRUE(tracker.failure_cause().empty());
    EXPECT_EQ(tracker.verdict(false).outcome, Outcome::Stopped) << "stopped from elsewhere";
}

TEST(RunTracker, AFailureBeforeTheStopIsStillTheFailure) {
    RunTracker tracker = tracker_of(1, 2);
    tracker.observe(traced_exit("node1", 0, 1, 0, 10));
    tracker.observe(traced_exit("node1", 1, 0, 15, 11, true));
    tracker.observe(end_with_detail("node1", Outcome::Failed));
    EXPECT_EQ(tracker.verdict(true).outcome, Outcome::Failed);
}

TEST(RunTracker, ALostNodeFailsTheRun) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node1", 0, 0, 9, 5, true));
    tracker.observe(end_with_detail("node1", Outcome::Lost));
    EXPECT_NE(tracker.failure_cause().find("node1"), std::string::npos);
    tracker.observe(traced_exit("node2", 1, 0, 15, 6, true));
    tracker.observe(end_with_detail("node2", Outcome::Stopped));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Failed);
    EXPECT_EQ(verdict.exit_code, 1);
    EXPECT_NE(verdict.detail.find("node1"), std::string::npos);
}

Event end_that_lost(const std::string& node, const std::string& lost_node) {
    Event event = end_with_detail(node, Outcome::Failed);
    std::get<EndEvent>(event.body).lost_node = lost_node;
    std::get<EndEvent>(event.body).lost_how = LostHow::Silent;
    std::get<EndEvent>(event.body).silent_s = 10;
    return event;
}

TEST(RunTracker, ANodeThatTheOthersLostIsNamedWhateverItsPeersSaid) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node1", 0, 1, 0, 5));  // "connection reset by peer", says its script
    tracker.observe(end_that_lost("node1", "node2"));
    EXPECT_NE(tracker.failure_cause().find("rank 0"), std::string::npos);
    tracker.observe(end_with_detail("node2", Outcome::Lost));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Failed);
    EXPECT_EQ(verdict.exit_code, 1);
    EXPECT_EQ(verdict.lost_node, "node2");
    EXPECT_FALSE(verdict.has_culprit);
    EXPECT_TRUE(verdict.detail.starts_with("node2 stopped answering")) << verdict.detail;
    EXPECT_NE(verdict.detail.find("Nothing was heard from it for 10 s."), std::string::npos);
}

TEST(RunTracker, BothSidesOfACutNameTheOther) {
    RunTracker two = tracker_of(2, 1);
    two.observe(end_that_lost("node2", "node1"));
    EXPECT_NE(two.failure_cause().find("node1"), std::string::npos) << "reported at once";
    two.observe(end_that_lost("node1", "node2"));
    EXPECT_EQ(two.verdict(false).lost_node, "node2") << "what the master says";
    RunTracker three = tracker_of(3, 1);
    three.observe(end_that_lost("node1", "node2"));
    three.observe(end_that_lost("node2", "node1"));
    three.observe(end_that_lost("node3", "node1"));
    EXPECT_EQ(three.verdict(false).lost_node, "node1") << "two miss the master";
}

TEST(RunTracker, ANodeThatWasAwayKnowsBestWhatHappenedToIt) {
    RunTracker tracker = tracker_of(3, 1);
    tracker.observe(end_that_lost("node1", "node2"));
    tracker.observe(end_that_lost("node3", "node2"));
    Event own = end_that_lost("node2", "node2");
    std::get<EndEvent>(own.body).outcome = Outcome::Lost;
    std::get<EndEvent>(own.body).lost_how = LostHow::Rebooted;
    tracker.observe(own);
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.lost_node, "node2");
    EXPECT_NE(verdict.detail.find("it was rebooted"), std::string::npos) << verdict.detail;
}

TEST(RunTracker, TheSupervisorsLinkNamesACulpritWhoseEndDidNotReachTheDesk) {
    RunTracker tracker = tracker_of(2, 1);
    Event event = end_with_detail("node1", Outcome::Failed);
    auto& end = std::get<EndEvent>(event.body);
    end.has_culprit = true;
    end.culprit = {.rank = 1, .node = "node2", .code = -1, .signal = 9};
    tracker.observe(traced_exit("node1", 0, 0, 15, 5, true));
    tracker.observe(event);
    tracker.observe(end_with_detail("node2", Outcome::Stopped));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.exit_code, 1);
    ASSERT_TRUE(verdict.has_culprit);
    EXPECT_EQ(verdict.culprit.node, "node2");
    EXPECT_NE(verdict.detail.find("Rank 1 on node2 was killed by signal 9"), std::string::npos)
        << verdict.detail;
}

TEST(RunTracker, ANodeThatFailedWithoutACulpritIsNoSuccess) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node1", 0, 0, 0, 5));
    tracker.observe(end_with_detail("node1", Outcome::Done));
    tracker.observe(end_with_detail("node2", Outcome::Failed));
    const auto verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Failed);
    EXPECT_EQ(verdict.exit_code, 1);
    EXPECT_NE(verdict.detail.find("node2"), std::string::npos) << verdict.detail;
}

TEST(RunTracker, WhatCouldNotBeStartedIsSaidSo) {
    RunTracker tracker = tracker_of(1, 1);
    Event event = traced_exit("node1", 0, 127, 0, 5);
    std::get<ExitEvent>(event.body).reason = "train.sh: No such file or directory";
    std::get<ExitEvent>(event.body).last_lines.clear();
    tracker.observe(event);
    EXPECT_NE(tracker.verdict(false).detail.find("could not be started: train.sh"), std::string::npos);
}

Event victim(const std::string& node, int rank, int missing, std::int64_t t_us) {
    Event event = traced_exit(node, rank, kExitPeerLost, 0, t_us);
    std::get<ExitEvent>(event.body).lost_peer = true;
    std::get<ExitEvent>(event.body).missing_rank = missing;
    std::get<ExitEvent>(event.body).reason = "rank " + std::to_string(missing) + " is gone";
    return event;
}

// A script's own exit code, too: "ConnectionResetError" and 1.
TEST(RunTracker, AStopThatReachesOneNodeFirstIsNoFailureOfTheOther) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node2", 1, -1, 15, 10, true));
    tracker.observe(end_with_detail("node2", Outcome::Stopped));
    Event lost = traced_exit("node1", 0, 1, 0, 11);
    RunTracker other = tracker;
    tracker.observe(lost);
    EXPECT_EQ(tracker.verdict(true).outcome, Outcome::Failed) << "its own failure";
    std::get<ExitEvent>(lost.body).lost_peer = true;
    other.observe(lost);
    other.observe(end_with_detail("node1", Outcome::Failed));
    EXPECT_EQ(other.verdict(true).exit_code, 130);
}

// A process closes its connections before its own end is seen.
TEST(RunTracker, AStopByAnotherDeskIsNoFailureWhicheverRankEndsFirst) {
    for (const bool by_user : {true, false}) {  // or by its own supervisor, after the failure
        RunTracker tracker = tracker_of(2, 1);
        tracker.observe(victim("node2", 1, 0, 10));
        Event stopped = traced_exit("node1", 0, 0, 0, 11, true);
        std::get<ExitEvent>(stopped.body).by_user = by_user;
        tracker.observe(stopped);
        EXPECT_EQ(tracker.verdict(false).outcome, by_user ? Outcome::Stopped : Outcome::Failed);
    }
}

Event end_that_names_a_stopped_rank(const std::string& node, int rank, const std::string& its_node) {
    Event event = end_with_detail(node, Outcome::Failed);
    auto& end = std::get<EndEvent>(event.body);
    end.has_culprit = true;
    end.culprit = {.rank = rank, .node = its_node, .code = -1, .signal = 19, .process_state = "T"};
    return event;
}

TEST(RunTracker, ARankThatIsStoppedIsNamedAndNotItsVictims) {
    RunTracker tracker = tracker_of(3, 1);
    tracker.observe(victim("node1", 0, 2, 10));
    tracker.observe(victim("node2", 1, 2, 11));
    tracker.observe(end_that_names_a_stopped_rank("node1", 2, "node3"));
    tracker.observe(end_that_names_a_stopped_rank("node2", 2, "node3"));
    tracker.observe(traced_exit("node3", 2, 0, 15, 12, true));
    tracker.observe(end_that_names_a_stopped_rank("node3", 2, "node3"));
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.culprit.rank, 2);
    EXPECT_EQ(verdict.culprit.process_state, "T");
    EXPECT_EQ(verdict.detail, "Rank 2 on node3 stopped answering: its process is stopped (state T).");
    const auto cause = tracker.diagnosis();
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->id.text(), "rank-stopped") << "not the lost connection of a victim";
    EXPECT_EQ(cause->rank, 2);
    EXPECT_EQ(cause->waiting, (std::vector<int>{0, 1}));
}

TEST(RunTracker, TheSupervisorsNoticeIsEnoughWhereTheyAreNotLinked) {
    RunTracker tracker = tracker_of(3, 1);
    Event notice;
    notice.node = "node3";
    notice.rank = 2;
    NoticeEvent stopped;
    stopped.id = "rank-stopped";
    notice.body = stopped;
    tracker.observe(notice);
    Event script = traced_exit("node1", 0, 1, 0, 10);  // "Timed out waiting 30000ms for recv operation"
    std::get<ExitEvent>(script.body).lost_peer = true;
    tracker.observe(script);
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 2);
}

TEST(RunTracker, TheRankThatMostVictimsMissIsNamed) {
    RunTracker tracker = tracker_of(4, 1);
    tracker.observe(victim("node1", 0, 3, 10));
    tracker.observe(victim("node2", 1, 3, 11));
    tracker.observe(victim("node4", 3, 0, 9));  // cut off itself
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.culprit.rank, 3);
    EXPECT_EQ(verdict.culprit.node, "node4");
    EXPECT_NE(verdict.detail.find("Rank 3 on node4 stopped answering"), std::string::npos) << verdict.detail;
}

TEST(RunTracker, ARankThatFailedOnItsOwnIsNamedWhateverItsVictimsSay) {
    RunTracker tracker = tracker_of(3, 1);
    tracker.observe(victim("node1", 0, 2, 10));
    tracker.observe(traced_exit("node2", 1, 1, 0, 20));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 1);
}

TEST(RunTracker, AnEngineRankThatCannotConnectIsAVictimOfTheCutLink) {
    RunTracker tracker;
    LaunchPlan plan = plan_of(3, 1);
    for (auto& rank : plan.ranks) {
        rank.command = {"{worker}"};
    }
    tracker.set_plan(plan);
    for (int rank = 0; rank < 3;
         ++rank) {  // they meet at the store, and then cannot connect with one another
        tracker.observe(stage_of("node" + std::to_string(rank + 1), rank, StageName::Rendezvous,
                                 StageStatus::Progress, 1));
    }
    DiagnosisEvent cut;
    cut.id = "partition-midrun";
    cut.phase = VerdictPhase::Live;
    cut.confidence = 0.95;
    cut.title = "Rank 2 on node3 cannot reach node2.";
    cut.nodes = {"node2", "node3"};
    cut.ranks = {2};
    cut.pairs = {{"node3", "node2"}};
    tracker.observe(make_event(cut, 1, "", -1));
    tracker.observe(victim("node2", 1, 0, 10));
    tracker.observe(traced_exit("node1", 0, 1, 0, 11));
    tracker.observe(victim("node3", 2, 0, 12));
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_FALSE(verdict.has_culprit) << verdict.culprit.rank;
    EXPECT_EQ(verdict.detail, cut.title);
}

TEST(RunTracker, WhatIsWaitedForIsAStageOfTheRun) {
    RunTracker tracker = tracker_of(3, 1);
    tracker.observe(stage_of("", -1, StageName::Start, StageStatus::Done));
    Event waits = stage_of("node1", 0, StageName::Rendezvous, StageStatus::Progress);
    std::get<StageEvent>(waits.body).waiting_for = {1, 2};
    auto said = tracker.observe(waits);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(std::get<StageEvent>(said[0].body).detail, "waiting for rank 1 (node2), 2 (node3)");
    EXPECT_TRUE(tracker.observe(waits).empty()) << "once";
    Event dial = stage_of("node2", -1, StageName::Link, StageStatus::Progress);
    std::get<StageEvent>(dial.body).failed_dial = FailedDial{"10.0.0.1", 4711, ECONNREFUSED};
    said = tracker.observe(dial);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(std::get<StageEvent>(said[0].body).detail,
              "node2 cannot connect to 10.0.0.1:4711: Connection refused");
}

TEST(RunTracker, AThousandRanks) {
    RunTracker tracker = tracker_of(128, 8);
    tracker.observe(stage_of("", -1, StageName::Start, StageStatus::Done));
    int rendezvous = 0;
    int steps = 0;
    for (int rank = 0; rank < 1024; ++rank) {
        const std::string node = "node" + std::to_string(rank / 8 + 1);
        rendezvous += static_cast<int>(tracker.observe(stage_of(node, rank, StageName::Train)).size());
        steps += static_cast<int>(tracker.observe(step_of(node, rank)).size());
    }
    EXPECT_EQ(rendezvous, 1025) << "each one's, and the begin of the first step";
    EXPECT_EQ(steps, 1024);
    for (int rank = 1023; rank >= 0; --rank) {
        tracker.observe(traced_exit("node" + std::to_string(rank / 8 + 1), rank,
                                    rank == 517 ? 1 : kExitPeerLost, 0, rank));
    }
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 517);
}

TEST(RunTracker, EventsOfUnknownRanksAreNoHarm) {
    RunTracker tracker;
    for (const auto& event : test::all_kinds()) {
        tracker.observe(event);
    }
    RunTracker planned = tracker_of(1, 1);
    for (auto event : test::all_kinds()) {
        for (const int rank : {-7, 1, 1 << 30}) {
            event.rank = rank;
            planned.observe(event);
        }
    }
    EXPECT_EQ(planned.verdict(false).culprit.rank, tracker.verdict(false).culprit.rank);
    static_cast<void>(planned.diagnosis());
}

TEST(RunTracker, AStepOfAUsersProgramIsAStepOfAll) {
    auto plan = plan_of(2, 1);
    for (auto& rank : plan.ranks) {
        rank.command = {"python3", "train.py"};
    }
    RunTracker tracker;
    tracker.set_plan(plan);
    const auto events = tracker.observe(step_of("node1", 0));
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(names_of(events).back(), "first-step done") << "rank 1 prints nothing, as in most scripts";
    EXPECT_TRUE(tracker.observe(step_of("node2", 1)).empty());
}

TEST(RunTracker, WhoNoticedFirstIsTheCulpritNotWhoWasGoneFirst) {
    auto tracker = tracker_of(2, 1);
    tracker.observe(traced_exit("node2", 1, 1, 0, 5'000'000));
    Event slow = traced_exit("node1", 0, 1, 0, 6'000'000);
    std::get<ExitEvent>(slow.body).failed_us = 4'000'000;
    tracker.observe(slow);
    tracker.observe(end_with_detail("node1", Outcome::Failed));
    tracker.observe(end_with_detail("node2", Outcome::Failed));
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 0);
}

Event again(const std::string& node) {
    return stage_of(node, -1, StageName::Restart, StageStatus::Done);
}

Event failed_in(int attempt, const std::string& node, int rank, int code) {
    Event event = traced_exit(node, rank, code, 0, 10 + attempt);
    std::get<ExitEvent>(event.body).attempt = attempt;
    return event;
}

TEST(RunTracker, AFailureThatARestartFixedIsForgotten) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(failed_in(0, "node2", 1, 3));
    EXPECT_FALSE(tracker.failure_cause().empty());
    EXPECT_EQ(tracker.failed_attempt(), 0);
    tracker.observe(again("node1"));
    EXPECT_TRUE(tracker.failure_cause().empty());
    tracker.observe(again("node2"));
    tracker.observe(
        traced_exit("node1", 0, 0, 0, 20));  // says no attempt: of the first, and so of no account
    tracker.observe(failed_in(1, "node1", 0, 0));
    tracker.observe(failed_in(1, "node2", 1, 0));
    tracker.observe(end_with_detail("node1", Outcome::Done));
    tracker.observe(end_with_detail("node2", Outcome::Done));
    EXPECT_TRUE(tracker.failure_cause().empty());
    EXPECT_EQ(tracker.verdict(false).outcome, Outcome::Done);
}

TEST(RunTracker, OneNodeMayTellOfTheNextAttemptBeforeTheOther) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(failed_in(0, "node1", 0, 3));
    tracker.observe(again("node1"));
    tracker.observe(failed_in(1, "node1", 0, 4));
    EXPECT_EQ(tracker.failed_attempt(), 1);
    tracker.observe(failed_in(0, "node2", 1, 5));  // late
    tracker.observe(again("node2"));
    EXPECT_NE(tracker.failure_cause().find("rank 0"), std::string::npos) << tracker.failure_cause();
    const EndEvent verdict = tracker.verdict(false);
    EXPECT_EQ(verdict.culprit.code, 4);
    EXPECT_NE(verdict.detail.find("started again 1 times"), std::string::npos) << verdict.detail;
}

TEST(RunTracker, ALostNodeIsLostInEveryAttempt) {
    RunTracker tracker = tracker_of(2, 1);
    tracker.observe(end_with_detail("node2", Outcome::Lost));
    tracker.observe(again("node1"));
    EXPECT_FALSE(tracker.failure_cause().empty());
    EXPECT_EQ(tracker.failed_attempt(), RunTracker::kAnyAttempt);
}

Event loss_of(int rank, std::int64_t number, double loss) {
    return make_event(MetricEvent{number, 1, {{"loss", loss}}, {}}, 1, "node1", rank);
}

TEST(RunTracker, TheEndSaysThatTheLossIsNoNumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    RunTracker tracker = tracker_of(1, 2);
    tracker.observe(loss_of(0, 60, 0.5));
    const auto notes = tracker.observe(loss_of(0, 61, nan));
    ASSERT_EQ(notes.size(), 1U) << "at once";
    EXPECT_EQ(notes[0].as<StageEvent>()->detail, "The loss of rank 0 on node1 is NaN at step 61.");
    EXPECT_TRUE(tracker.observe(loss_of(0, 62, nan)).empty()) << "once";
    tracker.observe(end_with_detail("node1", Outcome::Done));
    const auto end = tracker.verdict(false);
    EXPECT_EQ(end.outcome, Outcome::Done);
    EXPECT_EQ(end.detail, "All 2 ranks finished. But the loss is NaN from step 61 on (rank 0).");
    tracker.observe(loss_of(0, 63, 0.5));
    EXPECT_EQ(tracker.verdict(false).detail, "All 2 ranks finished.") << "it recovered";
}

TEST(RunTracker, OneRankIsNotAllRanks) {
    RunTracker tracker = tracker_of(1, 1);
    tracker.observe(end_with_detail("node1", Outcome::Done));
    EXPECT_EQ(tracker.verdict(false).detail, "The only rank finished.");
}

RunTracker tracker_of_own_program() {
    LaunchPlan plan = plan_of(2, 1);
    for (auto& rank : plan.ranks) {
        rank.command = {"python3", "train.py"};
    }
    RunTracker tracker;
    tracker.set_plan(plan);
    return tracker;
}

TEST(RunTracker, AProgramThatPrintsOnIsPastTheRendezvous) {
    RunTracker tracker = tracker_of_own_program();
    const auto prints = [](std::int64_t t_us, bool is_stderr) {
        LogEvent log;
        log.is_stderr = is_stderr;
        log.text = "hello\n";
        Event event = make_event(log, 1, "node1", 0);
        event.t_us = t_us;
        return event;
    };
    EXPECT_TRUE(tracker.observe(prints(1'000'000, false)).empty());
    EXPECT_TRUE(tracker.observe(prints(9'000'000, true)).empty())
        << "torch complains of a missing master there";
    const auto out = names_of(tracker.observe(prints(9'000'000, false)));
    EXPECT_EQ(out, (std::vector<std::string>{"rendezvous progress", "rendezvous done", "first-step begin"}));
}

TEST(RunTracker, AProgramThatEndedWellHasMet) {
    RunTracker tracker = tracker_of_own_program();
    EXPECT_TRUE(tracker.observe(end_with_detail("node1", Outcome::Done)).empty());
    const auto out = names_of(tracker.observe(end_with_detail("node2", Outcome::Done)));
    EXPECT_EQ(out, (std::vector<std::string>{"rendezvous progress", "rendezvous done", "first-step begin"}));
}

}  // namespace
}  // namespace rankscope
