// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"

#include <base/metrics_line.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/run/memory_facts.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/diagnosis/verdict_source.h>
#include <remote/wire/sample_keys.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kStart = 1'760'000'000 * kSecond;

/// A run of four nodes with a rank each, in its steps.
class FaultMarksTest : public ::testing::Test {
protected:
    FaultMarksTest() {
        state.set_plan(plan_of(4, 1));
        for (int rank = 0; rank < 4; ++rank) {
            at(40, MetricEvent{100, 1, {{"loss", 1.0}}, {}}, node_of(rank), rank);
        }
    }
    static std::string node_of(int rank) { return "node" + std::to_string(rank + 1); }
    void at(int second, EventBody body, const std::string& node = "", int rank = -1) {
        Event event = make_event(std::move(body), 1, node, rank);
        event.t_us = kStart + second * kSecond;
        state.apply(event);
    }
    void exit(int rank, int code, int signal = 0, bool requested = false, bool lost_peer = false) {
        ExitEvent ended;
        ended.code = signal != 0 ? -1 : code;
        ended.signal = signal;
        ended.requested = requested;
        ended.lost_peer = lost_peer;
        at(60, ended, node_of(rank), rank);
    }
    static Verdict live(const char* id, int rank, double confidence = 0.95) {
        Verdict verdict;
        verdict.id = FailureId::from(id);
        verdict.rank = rank;
        verdict.node = rank >= 0 ? node_of(rank) : "";
        verdict.phase = VerdictPhase::Live;
        verdict.confidence = confidence;
        for (int other = 0; other < 4; ++other) {
            if (other != rank) {
                verdict.waiting.push_back(other);
            }
        }
        return verdict;
    }
    static Verdict cut(const std::vector<NodePair>& pairs) {
        Verdict verdict = live("partition-midrun", -1, 0.9);
        verdict.pairs = pairs;
        verdict.ranks = {0};  // that noticed
        return verdict;
    }
    void silent(const std::string& node, LinkState link = LinkState::Silent) {
        LinkEvent event;
        event.node = node;
        event.state = link;
        event.last_seen_us = kStart + 42 * kSecond;
        at(50, event);
    }
    FaultMarks marks() const { return fault_marks(state); }

    RunState state;
};

TEST_F(FaultMarksTest, NothingIsSaidOfAHealthyRun) {
    EXPECT_FALSE(marks().any_culprit());
    EXPECT_EQ(marks().of(1), RankMark::None);
    EXPECT_EQ(marks().line(), "");
    EXPECT_EQ(marks().of(99), RankMark::None);
}

TEST_F(FaultMarksTest, TheSilentNodeIsAtFaultAndNotTheRankThatReportsIt) {
    at(51, cut({{"node1", "node2"}}));
    silent("node2");
    const auto found = marks();
    EXPECT_EQ(found.nodes, std::vector<std::string>{"node2"});
    EXPECT_TRUE(found.pairs.empty());
    EXPECT_EQ(found.of(1), RankMark::Culprit);
    EXPECT_EQ(found.of(0), RankMark::Waits);
    EXPECT_EQ(found.ranks[0].text, "waits for node2");
    EXPECT_TRUE(found.blames("node2"));
    EXPECT_FALSE(found.blames("node1"));
}

TEST_F(FaultMarksTest, ACutBetweenTwoNodesThatAnswerIsTheConnectionsFault) {
    at(51, cut({{"node2", "node3"}, {"node3", "node2"}}));
    const auto found = marks();
    EXPECT_TRUE(found.nodes.empty());
    EXPECT_EQ(found.pairs, (std::vector<NodePair>{{"node2", "node3"}}));
    EXPECT_EQ(found.culprit_name(), "node2 – node3");
    EXPECT_EQ(found.of(1), RankMark::Culprit);
    EXPECT_EQ(found.ranks[2].text, "cut from node2");
    EXPECT_EQ(found.of(3), RankMark::Waits);
}

TEST_F(FaultMarksTest, OfALostNodeNothingIsKnownAfterTheEnd) {
    silent("node2", LinkState::PresumedLost);
    EndEvent lost;
    lost.outcome = Outcome::Lost;
    lost.presumed = true;
    at(90, lost, "node2");
    for (const int rank : {0, 2, 3}) {
        exit(rank, kExitPeerLost);
    }
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.lost_node = "node2";
    at(95, end);
    const auto found = marks();
    EXPECT_EQ(found.culprit_name(), "node2");
    EXPECT_EQ(found.of(1), RankMark::Unknown);
    EXPECT_EQ(found.ranks[1].since_us, kStart + 42 * kSecond) << "not when the desk gave up";
    EXPECT_EQ(found.ranks[1].text, "unknown since " + time_of_day(kStart + 42 * kSecond));
    for (const int rank : {0, 2, 3}) {
        EXPECT_EQ(found.of(rank), RankMark::LostPeer);
    }
    EXPECT_NE(found.line().find("lost a peer: 0, 2 and 3"), std::string::npos) << found.line();
    EXPECT_EQ(marks_json(found).find("\"nodes\":[\"node2\"]") == std::string::npos, false)
        << marks_json(found);
}

TEST_F(FaultMarksTest, TheNodeOfAKilledSupervisorIsAtFault) {
    exit(1, 0, 9, true);
    for (const int rank : {0, 2, 3}) {
        exit(rank, kExitPeerLost);
    }
    EndEvent gone;
    gone.outcome = Outcome::Lost;
    at(61, gone, "node2");
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.lost_node = "node2";
    end.lost_how = LostHow::SupervisorKilled;
    at(95, end);
    EXPECT_EQ(marks().of(1), RankMark::Culprit);
    EXPECT_EQ(marks().of(0), RankMark::LostPeer);
    EXPECT_TRUE(marks().silent.empty()) << "its end is known";
}

TEST_F(FaultMarksTest, ARankThatIsKilledIsTheOnlyOneAtFault) {
    exit(1, 0, 9);
    exit(0, 1, 0, false, true);
    exit(2, 0, 15, true);
    EXPECT_EQ(marks().culprits, std::vector<int>{1}) << "before the end";
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.has_culprit = true;
    end.culprit.rank = 1;
    at(62, end);
    exit(3, 3);
    EXPECT_EQ(marks().culprits, std::vector<int>{1});
    EXPECT_EQ(marks().of(0), RankMark::LostPeer);
    EXPECT_EQ(marks().of(2), RankMark::None);
    EXPECT_EQ(marks().of(3), RankMark::FailedLater);
}

TEST_F(FaultMarksTest, WhatHoldsTheRunCountsBeforeWhatSlowsIt) {
    at(50, live("rank-slow", 2, 1));
    EXPECT_TRUE(marks().slows_only);
    EXPECT_EQ(marks().of(2), RankMark::Slow);
    EXPECT_EQ(marks().of(0), RankMark::None) << "they make steps";
    Verdict stopped = live("rank-stopped", 1, 0.7);
    stopped.reason = "stopped";
    at(51, stopped);
    EXPECT_EQ(marks().culprits, std::vector<int>{1});
    EXPECT_EQ(marks().ranks[1].text, "stopped");
}

TEST_F(FaultMarksTest, ARunThatCouldNotStartHasRanksThatDidNot) {
    RunState fresh;
    fresh.set_plan(plan_of(2, 1));
    Event failed = make_event(StageEvent{StageName::Preflight, StageStatus::Failed, "blocked"}, 1, "", -1);
    failed.t_us = kStart;
    fresh.apply(failed);
    EndEvent end;
    end.outcome = Outcome::Failed;
    fresh.apply(make_event(end, 2, "", -1));
    EXPECT_EQ(fault_marks(fresh).of(0), RankMark::NotStarted);
}

TEST_F(FaultMarksTest, ARunThatFinishedOrWasStoppedBlamesNobody) {
    exit(1, 0, 15, true);
    EndEvent end;
    end.outcome = Outcome::Stopped;
    at(62, end);
    EXPECT_FALSE(marks().any_culprit());
}

TEST(VerdictWords, DoubtIsSaid) {
    Verdict verdict;
    verdict.title = "It is so.";
    verdict.confidence = 0.8;
    EXPECT_EQ(said(verdict), "It is so.");
    verdict.confidence = 0.7;
    EXPECT_EQ(said(verdict), "Probably: It is so.");
    verdict.confidence = 0.55;
    EXPECT_EQ(said(verdict), "Possibly: It is so.");
}

TEST(VerdictWords, AnAgeIsThatOfTheMomentAtWhichItIsShown) {
    Verdict verdict;
    verdict.id = "rank-stopped";
    verdict.reason = "stopped";
    verdict.rank = 2;
    verdict.node = "node3";
    EXPECT_EQ(age_text(verdict, kStart), "");
    verdict.since_us = kStart;
    const std::string since = "since " + time_of_day(kStart);
    EXPECT_EQ(age_text(verdict, kStart + 3 * kSecond), since + ", 3 s");
    EXPECT_EQ(age_text(verdict, kStart + 31 * kSecond), since + ", 31 s");
    EXPECT_EQ(over_sentence(verdict, kStart + 38 * kSecond), "Over after 38 s: rank 2 on node3 was stopped.");
}

TEST(VerdictWords, TheFirstSentenceEndsAtItsFullStop) {
    EXPECT_EQ(first_sentence("node2 stopped answering at 11:17:45 (step 487). Nothing was heard."),
              "node2 stopped answering at 11:17:45 (step 487).");
    EXPECT_EQ(first_sentence("10.0.0.1:29500 is blocked"), "10.0.0.1:29500 is blocked");
    EXPECT_EQ(first_sentence("node2 没有响应。请检查。"), "node2 没有响应。");
    EXPECT_EQ(first_sentence(""), "");
}

Verdict from_logs(const char* id, double confidence) {
    Verdict verdict;
    verdict.id = FailureId::from(id);
    verdict.title = "A process was killed.";
    verdict.node = "node2";
    verdict.confidence = confidence;
    verdict.reason = kFromLogs;
    return verdict;
}

SampleEvent memory(double share) {
    return {{{sample_key::kMemTotal, 100.0}, {sample_key::kMemUsed, 100.0 * share}}};
}

Event at(EventBody body, int second, const std::string& node = "node2") {
    Event event = make_event(std::move(body), 1, node, 1);
    event.t_us = kStart + second * kSecond;
    return event;
}

TEST(MemoryFactsTest, AKilledProcessAloneShowsNoLackOfMemory) {
    MemoryFacts facts;
    facts.observe(at(memory(0.27), 50));
    facts.observe(at(ExitEvent{.code = 1}, 55));
    std::vector<Verdict> verdicts{from_logs("host-oom", 0.55), from_logs("host-oom", 0.94)};
    facts.weigh(verdicts);
    EXPECT_EQ(verdicts[0].id.text(), "killed-external");
    EXPECT_EQ(verdicts[0].confidence, kSureVerdict) << "that it was killed is sure";
    EXPECT_EQ(verdicts[1].id.text(), "host-oom") << "the kernel's own words";
}

TEST(MemoryFactsTest, WhatTheKernelCountedOrAFullMemoryShowsIt) {
    MemoryFacts counted;
    ExitEvent exit;
    exit.code = 1;
    exit.oom = "cgroup";
    counted.observe(at(exit, 55));
    std::vector<Verdict> verdicts{from_logs("host-oom", 0.55)};
    counted.weigh(verdicts);
    EXPECT_EQ(verdicts[0].id.text(), "host-oom");
    EXPECT_GE(verdicts[0].confidence, kSureVerdict);
    EXPECT_NE(verdicts[0].title.find("Memory of node2 ran out"), std::string::npos);

    MemoryFacts full;
    full.observe(at(memory(0.98), 50));
    EXPECT_TRUE(full.ran_out("node2", kStart + 55 * kSecond));
    EXPECT_FALSE(full.ran_out("node2", kStart + 90 * kSecond)) << "long ago";
    EXPECT_FALSE(full.ran_out("node1", kStart + 55 * kSecond));
}

// node3's rank and the store of node1, whose packets the firewall of node1 drops while the training goes on.
std::vector<NodeLook> looks(double silent_s) {
    RankSnapshot master;
    master.rank = 0;
    master.sockets.push_back({.state = "LISTEN", .local_address = "10.0.0.1", .local_port = 29500});
    RankSnapshot client;
    client.rank = 2;
    RankSocket socket{.state = "ESTABLISHED", .local_address = "10.0.0.3", .local_port = 41000};
    socket.peer_address = "10.0.0.1";
    socket.peer_port = 29500;
    socket.unsent = silent_s > 0 ? 96 : 0;
    socket.retransmits = silent_s > 0 ? 5 : 0;
    socket.answer_idle_s = silent_s;
    client.sockets.push_back(socket);
    return {{"node1", {master}}, {"node3", {client}}};
}

// In its steps.
StorePathRule rule_of_a_run() {
    StorePathRule rule;
    rule.observe(make_event(MetricEvent{1, 1, {{"loss", 1.0}}, {}}, 1, "node1", 0));
    return rule;
}

TEST(StorePathRule, ABlockedRendezvousPortIsSeenWhileStepsGoOn) {
    const LaunchPlan plan = plan_of(3, 1);
    StorePathRule rule = rule_of_a_run();
    EXPECT_FALSE(rule.take(10, looks(0), plan));
    EXPECT_FALSE(rule.take(24, looks(4), plan)) << "it may heal";
    const auto found = rule.take(38, looks(18), plan);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "master-port-dropped");
    EXPECT_TRUE(is_store_path(found->verdict));
    EXPECT_EQ(found->verdict.pairs, (std::vector<NodePair>{{"node3", "node1"}}));
    EXPECT_EQ(found->paths.size(), 1U);
    EXPECT_DOUBLE_EQ(found->since, 20);
    EXPECT_FALSE(rule.take(52, looks(32), plan)) << "once";
    EXPECT_FALSE(rule.take(66, looks(0), plan));
    const auto over = rule.take(80, looks(0), plan);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->verdict.phase, VerdictPhase::Over);

    StorePathRule late = rule_of_a_run();
    EXPECT_FALSE(late.take(10, looks(15), plan, true)) << "its node may be gone, and the steps do not go on";
    EXPECT_TRUE(late.take(20, looks(25), plan)) << "a long silence is enough";
    StorePathRule before;
    EXPECT_FALSE(before.take(10, looks(15), plan)) << "without steps the run hangs, which another rule says";
}

}  // namespace
}  // namespace rankscope
