// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"

#include <remote/desk/runs/run/metric_summary.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace rankscope {
namespace {

using test::plan_of;

constexpr std::int64_t kSecond = 1000000;

Event at(double seconds, const std::string& node, int rank, EventBody body) {
    Event event;
    event.t_us = 1000 * kSecond + static_cast<std::int64_t>(seconds * 1e6);
    event.node = node;
    event.rank = rank;
    event.body = std::move(body);
    return event;
}

EventBody metric(std::int64_t step, double epoch, std::vector<std::pair<std::string, double>> values) {
    return MetricEvent{step, epoch, std::move(values), {}};
}

RunState state_of(std::size_t nodes, int ranks_each) {
    RunState state;
    state.set_plan(plan_of(nodes, ranks_each));
    return state;
}

TEST(RunState, BeforeTheFirstEventNothingIsKnown) {
    const RunState state = state_of(2, 1);
    EXPECT_EQ(state.ranks.size(), 2U);
    EXPECT_EQ(state.ranks[1].node, "node2");
    EXPECT_TRUE(std::isnan(state.ranks[0].loss));
    EXPECT_LT(state.progress(), 0);
    EXPECT_LT(state.eta_s(), 0);
    EXPECT_LT(state.epoch_eta_s(), 0);
    EXPECT_TRUE(std::isnan(state.images_per_s()));
    EXPECT_EQ(state.outcome, Outcome::Running);
}

TEST(RunState, StagesOfTheDeskAreKept) {
    RunState state = state_of(1, 1);
    state.apply(at(0, "", -1, StageEvent{StageName::Connect, StageStatus::Begin, "", -1}));
    state.apply(at(1, "", -1, StageEvent{StageName::Connect, StageStatus::Progress, "node1: greeting", 0.5}));
    ASSERT_EQ(state.stages.size(), kStages.size());
    EXPECT_EQ(state.activity, "node1: greeting");
    EXPECT_EQ(state.stages[0].progress, 0.5);
    state.apply(at(2, "", -1, StageEvent{StageName::Connect, StageStatus::Done, "", 1}));
    state.apply(at(3, "", -1, StageEvent{StageName::Push, StageStatus::Failed, "disk full", -1}));
    EXPECT_TRUE(state.stages[0].done);
    EXPECT_EQ(state.stages[0].end_us - state.stages[0].begin_us, 2 * kSecond);
    EXPECT_FALSE(state.stages[1].begun);  // a run without a preflight
    EXPECT_TRUE(state.stages[2].failed);
    EXPECT_FALSE(state.stages[3].begun);
    state.apply(at(4, "", -1, StageEvent{StageName::Validate, StageStatus::Done, "", 1}));
    EXPECT_EQ(state.stages.size(), kStages.size());
    state.apply(at(5, "node1", 0, StageEvent{StageName::Start, StageStatus::Done, "pid 1", -1}));
    EXPECT_FALSE(state.stages[3].begun) << "a node's stage is its rank's, not the run's";
    EXPECT_EQ(state.ranks[0].phase, RankPhase::Starting);
}

TEST(RunState, PhasesFollowTheRank) {
    RunState state = state_of(1, 1);
    const RankState& rank = state.ranks[0];
    state.apply(at(1, "node1", 0, StageEvent{StageName::Start, StageStatus::Done, "", -1}));
    EXPECT_EQ(rank.phase, RankPhase::Starting);
    state.apply(at(1, "node1", 0, StageEvent{StageName::Rendezvous, StageStatus::Progress, "", -1}));
    EXPECT_EQ(rank.phase, RankPhase::Rendezvous);
    state.apply(at(2, "node1", 0, metric(1, 1, {{"loss", 2.5}, {"acc1", 0.1}, {"images_per_s", 100}})));
    EXPECT_EQ(rank.phase, RankPhase::Training);
    EXPECT_EQ(rank.loss, 2.5);
    state.apply(at(3, "node1", 0, StageEvent{StageName::Validate, StageStatus::Progress, "", -1}));
    EXPECT_EQ(rank.phase, RankPhase::Validating);
    state.apply(at(4, "node1", 0, ExitEvent{}));
    EXPECT_EQ(rank.phase, RankPhase::Done);
    state.apply(at(5, "node1", 0, StageEvent{StageName::Train, StageStatus::Progress, "", -1}));
    EXPECT_EQ(rank.phase, RankPhase::Done) << "nothing comes after the end";
}

TEST(RunState, ExitsDecideThePhase) {
    RunState state = state_of(1, 4);
    ExitEvent failed;
    failed.code = 3;
    ExitEvent killed;
    killed.code = -1;
    killed.signal = 9;
    ExitEvent stopped = killed;
    stopped.requested = true;
    ExitEvent clean;
    clean.requested = true;
    int rank = 0;
    for (const auto& exit : {failed, killed, stopped, clean}) {
        state.apply(at(1, "node1", rank++, exit));
    }
    EXPECT_EQ(state.ranks[0].phase, RankPhase::Failed);
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Failed);
    EXPECT_EQ(state.ranks[2].phase, RankPhase::EndedWithRun);
    EXPECT_EQ(state.ranks[3].phase, RankPhase::Done);
}

TEST(RunState, ProgressIsTheSlowestRanks) {
    RunState state = state_of(2, 1);
    state.apply(at(0, "node1", 0, metric(-1, -1, {{"epochs", 2}, {"steps_per_epoch", 50}})));
    EXPECT_EQ(state.progress(), 0);
    state.apply(at(0, "", -1, StageEvent{StageName::FirstStep, StageStatus::Done, "", 1}));
    state.apply(at(10, "node1", 0, metric(60, 2, {{"loss", 1}})));
    state.apply(at(10, "node2", 1, metric(25, 1, {{"loss", 1}})));
    EXPECT_DOUBLE_EQ(state.progress(), 0.25);
    EXPECT_DOUBLE_EQ(state.epoch_progress(), 0.5);
    EXPECT_DOUBLE_EQ(state.eta_s(), 30);
    EXPECT_DOUBLE_EQ(state.epoch_eta_s(), 10);
    state.apply(at(20, "node2", 1, metric(500, 2, {{"loss", 1}})));
    state.apply(at(20, "node1", 0, metric(500, 2, {{"loss", 1}})));
    EXPECT_EQ(state.progress(), 1) << "never more than everything";
    EXPECT_EQ(state.epoch_progress(), 1);
    EXPECT_EQ(state.eta_s(), 0);
}

TEST(RunState, ThroughputIsTheSumOfTheRanks) {
    RunState state = state_of(1, 3);
    state.apply(at(1, "node1", 0, metric(1, 1, {{"loss", 1}, {"images_per_s", 100}})));
    state.apply(at(1, "node1", 2, metric(1, 1, {{"loss", 1}, {"images_per_s", 50}})));
    EXPECT_EQ(state.images_per_s(), 150);
}

TEST(RunState, EveryRankReportsAValidationOnceCounts) {
    RunState state = state_of(1, 2);
    for (const double epoch : {1.0, 2.0}) {
        for (int rank = 0; rank < 2; ++rank) {
            state.apply(
                at(epoch, "node1", rank, metric(-1, epoch, {{"val_acc1", epoch / 10}, {"val_loss", 0.5}})));
        }
    }
    ASSERT_EQ(state.validations.size(), 2U);
    EXPECT_EQ(state.validations[1].acc1, 0.2);
    EXPECT_EQ(state.ranks[0].step, -1) << "a validation is no step";
}

TEST(RunState, TheEndIsTheDesks) {
    RunState state = state_of(1, 1);
    EndEvent end;
    end.outcome = Outcome::Lost;
    state.apply(at(1, "node1", -1, end));
    EXPECT_EQ(state.outcome, Outcome::Running) << "one node's part";
    end.outcome = Outcome::Failed;
    end.detail = "Rank 0 …";
    state.apply(at(2, "", -1, end));
    EXPECT_EQ(state.outcome, Outcome::Failed);
    EXPECT_EQ(state.activity, "Rank 0 …");
    EXPECT_LT(state.progress(), 0);
}

TEST(RunState, EventsOfUnknownRanksAreNoHarm) {
    RunState state;
    const auto events = test::all_kinds();
    for (const auto& event : events) {
        state.apply(event);
    }
    state.set_plan(plan_of(1, 2));
    for (auto event : events) {
        for (const int rank :
             {-1, 0, 1, 2, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
            event.rank = rank;
            state.apply(event);
        }
    }
    EXPECT_EQ(state.ranks.size(), 2U);
}

TEST(RunState, AbsurdTotalsAreNoHarm) {
    constexpr double kHuge = 1e300;
    for (const double total : {kHuge, -kHuge, std::nan(""), 9e18, 0.0, -1.0}) {
        RunState state = state_of(1, 1);
        state.apply(at(0, "", -1, StageEvent{StageName::FirstStep, StageStatus::Done, "", 1}));
        state.apply(at(1, "node1", 0, metric(-1, -1, {{"epochs", total}, {"steps_per_epoch", total}})));
        state.apply(at(2, "node1", 0, metric(std::numeric_limits<std::int64_t>::max(), 1, {{"loss", 1}})));
        EXPECT_LE(state.progress(), 1) << total;
        EXPECT_LE(state.epoch_progress(), 1) << total;
        EXPECT_FALSE(std::isnan(state.eta_s())) << total;
        EXPECT_FALSE(std::isnan(state.epoch_eta_s())) << total;
    }
}

TEST(RunState, PhasesHaveNames) {
    for (const auto phase :
         {RankPhase::Waiting, RankPhase::Starting, RankPhase::Rendezvous, RankPhase::Training,
          RankPhase::Validating, RankPhase::Done, RankPhase::Failed, RankPhase::EndedWithRun}) {
        EXPECT_GT(std::string(to_string(phase)).size(), 3U);
    }
}

TEST(RunState, RanksThatAreStartedAgainAreAtWorkAgain) {
    RunState state = state_of(2, 1);
    state.apply(at(1, "node2", 1, metric(7, 0, {{"loss", 0.5}})));
    ExitEvent failed;
    failed.code = 3;
    state.apply(at(2, "node2", 1, failed));
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Failed);
    state.apply(at(3, "node2", -1, StageEvent{StageName::Restart, StageStatus::Begin, "", -1}));
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Failed);
    state.apply(at(4, "node2", -1, StageEvent{StageName::Restart, StageStatus::Done, "1/3", -1}));
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Starting);
    EXPECT_FALSE(state.ranks[1].exit);
    EXPECT_EQ(state.restarts, 1);
    EXPECT_EQ(state.ranks[0].restarts, 0);
    state.apply(at(5, "node2", 1, metric(5, 0, {{"loss", 0.6}})));
    EXPECT_EQ(state.ranks[1].step, 5) << "it continues from its last checkpoint";
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Training);
}

Event node_stage(double seconds, const std::string& node, StageName name, StageStatus status) {
    return at(seconds, node, -1, StageEvent{name, status, "", -1});
}

TEST(RunState, APauseIsOfNodesAndEndsWithThem) {
    RunState state = state_of(2, 2);
    EXPECT_FALSE(state.all_paused());
    state.apply(node_stage(1, "node1", StageName::Pause, StageStatus::Done));
    EXPECT_EQ(state.paused, std::set<std::string>{"node1"});
    EXPECT_FALSE(state.all_paused()) << "node2 has not answered";
    state.apply(node_stage(1.1, "node2", StageName::Pause, StageStatus::Done));
    EXPECT_TRUE(state.all_paused());
    state.apply(node_stage(5, "node2", StageName::Continue, StageStatus::Done));
    EXPECT_EQ(state.paused, std::set<std::string>{"node1"});
    state.apply(at(6, "node2", 2, ExitEvent{}));
    state.apply(at(6, "node2", 3, ExitEvent{}));
    EXPECT_TRUE(state.all_paused()) << "what has ended needs no pause";
    state.apply(at(7, "node1", -1, EndEvent{}));
    EXPECT_TRUE(state.paused.empty());
    EXPECT_FALSE(state.all_paused());
}

TEST(RunState, TimeInAPauseIsNoPace) {
    RunState state = state_of(1, 1);
    state.apply(at(0, "node1", 0, metric(-1, -1, {{"epochs", 1}, {"steps_per_epoch", 100}})));
    state.apply(node_stage(1, "node1", StageName::Pause, StageStatus::Done));
    state.apply(node_stage(4, "node1", StageName::Continue, StageStatus::Done));
    state.apply(at(5, "", -1, StageEvent{StageName::FirstStep, StageStatus::Done, "", 1}));
    state.apply(at(15, "node1", 0, metric(50, 1, {{"loss", 1}})));
    EXPECT_DOUBLE_EQ(state.eta_s(), 10) << "a pause before the first step does not count either way";
    state.apply(node_stage(15, "node1", StageName::Pause, StageStatus::Done));
    state.apply(at(115, "node1", -1, SampleEvent{}));
    EXPECT_DOUBLE_EQ(state.eta_s(), 10) << "while it lasts";
    EXPECT_DOUBLE_EQ(state.epoch_eta_s(), 10);
    state.apply(node_stage(115, "node1", StageName::Continue, StageStatus::Done));
    EXPECT_DOUBLE_EQ(state.eta_s(), 10) << "and after it";
}

TEST(RunState, ACheckpointBeforeTheStopIsSeenUntilTheNodeEnds) {
    RunState state = state_of(2, 1);
    state.apply(node_stage(1, "node1", StageName::Pause, StageStatus::Done));
    for (const char* node : {"node1", "node2"}) {
        state.apply(node_stage(2, node, StageName::Stop, StageStatus::Begin));
        state.apply(node_stage(2, node, StageName::Checkpoint, StageStatus::Begin));
    }
    EXPECT_EQ(state.saving.size(), 2U);
    EXPECT_TRUE(state.paused.empty()) << "the signal wakes what was paused";
    state.apply(at(3, "node1", -1, EndEvent{}));
    EXPECT_EQ(state.saving, std::set<std::string>{"node2"});
    state.apply(at(4, "", -1, EndEvent{}));
    EXPECT_TRUE(state.saving.empty());
}

TEST(RunState, KeepsTheLastValueOfEveryMetricByName) {
    RunState state = state_of(1, 4);
    for (int rank = 0; rank < 4; ++rank) {
        state.apply(at(1, "node1", rank, metric(1, 1, {{"margin", 1.0}, {"epochs", 3}})));
        state.apply(at(2, "node1", rank, metric(2, 1, {{"margin", rank == 3 ? NAN : 0.5 + rank}})));
    }
    state.apply(at(3, "node1", 0, metric(2, 1, {{"loss_all", 0.25}})));
    EXPECT_EQ(state.metrics.all(), (std::vector<std::string>{"margin", "loss_all"}))
        << "totals are no metric";
    EXPECT_EQ(state.ranks[1].step, 2) << "a program that reports no loss advances, too";
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Training);
    const std::vector<MetricSummary> all = summarize_metrics(state);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "margin");
    EXPECT_EQ(all[0].last, 0.5);
    EXPECT_EQ(all[0].min, 0.5);
    EXPECT_EQ(all[0].mean, 1.5);
    EXPECT_EQ(all[0].max, 2.5);
    EXPECT_EQ(all[0].not_finite, 1U);
    EXPECT_EQ(ranks_text(all[0].ranks, 4), "all ranks");
    EXPECT_EQ(ranks_text(all[1].ranks, 4), "rank 0");
}

TEST(RunState, AnEarlierStepOfAnotherSourceDoesNotTurnARankBack) {
    RunState state = state_of(1, 1);
    state.apply(at(1, "node1", 0, metric(50, 1, {{"loss", 1.0}})));
    state.apply(at(2, "node1", 0, metric(10, 1, {{"lr", 0.1}})));  // an event file that is flushed late
    EXPECT_EQ(state.ranks[0].step, 50);
    state.apply(at(3, "node1", 0, metric(20, 1, {{"loss", 1.0}})));  // resumed from a checkpoint
    EXPECT_EQ(state.ranks[0].step, 20);
}

TEST(RunState, NamesOfMetricsAreBounded) {
    RunState state = state_of(1, 1);
    for (std::size_t i = 0; i < MetricNames::kMost + 5; ++i) {
        state.apply(at(1, "node1", 0, metric(1, 1, {{"loss_" + std::to_string(i), 1.0}})));
    }
    EXPECT_EQ(state.metrics.size(), MetricNames::kMost);
    EXPECT_EQ(state.metrics.refused(), 5U);
}

TEST(MetricSummary, RanksAreWrittenAsSpans) {
    EXPECT_EQ(ranks_text({0}, 1), "rank 0");
    EXPECT_EQ(ranks_text({0, 1}, 4), "ranks 0, 1");
    EXPECT_EQ(ranks_text({0, 1, 2, 8}, 16), "ranks 0–2, 8");
    EXPECT_EQ(ranks_text({0, 2, 4, 6, 8}, 16), "5 of 16 ranks");
}

TEST(RunState, TheQueueIsThereUnderSlurmOnly) {
    RunState state = state_of(1, 1);
    state.apply(at(0, "", -1, StageEvent{StageName::Connect, StageStatus::Done, "", -1}));
    EXPECT_FALSE(state.queue);
    EXPECT_FALSE(state.waits_in_queue());
    state.apply(at(1, "", -1, StageEvent{StageName::Queue, StageStatus::Begin, "submitting", -1}));
    state.apply(
        at(2, "", -1, StageEvent{StageName::Queue, StageStatus::Progress, "job 7: PENDING (Resources)", -1}));
    ASSERT_TRUE(state.queue);
    EXPECT_TRUE(state.waits_in_queue());
    EXPECT_EQ(state.queue->detail, "job 7: PENDING (Resources)");
    EXPECT_EQ(state.stages.size(), kStages.size());
    state.apply(at(9, "", -1, StageEvent{StageName::Queue, StageStatus::Done, "job 7 runs on node1", -1}));
    EXPECT_FALSE(state.waits_in_queue());
    EXPECT_EQ(state.queue->end_us - state.queue->begin_us, 8 * kSecond);
}

TEST(RunHealth, ASilentNodeIsUnreachableUntilItAnswers) {
    RunState state = state_of(2, 1);
    state.apply(at(0, "node1", 0, metric(1, 1, {{"loss", 1}})));
    state.apply(at(1, "node2", 1, metric(1, 1, {{"loss", 1}})));
    const std::int64_t seen = 1001 * kSecond;
    state.apply(at(9, "", -1, LinkEvent{"node2", LinkState::Silent, seen, 0, {}, "", ""}));
    RunHealth health = state.health(1010 * kSecond);
    EXPECT_EQ(health.unreachable, std::vector<std::string>{"node2"});
    EXPECT_DOUBLE_EQ(state.links.at("node2").silent_s(1010 * kSecond), 9);
    EXPECT_DOUBLE_EQ(state.links.at("node1").silent_s(1010 * kSecond), 0);
    state.apply(at(10, "", -1,
                   LinkEvent{"node2", LinkState::Retrying, seen, 1014 * kSecond, "ssh-refused", "It refuses.",
                             "Start sshd."}));
    EXPECT_EQ(state.links.at("node2").retry_at_us, 1014 * kSecond);
    EXPECT_EQ(state.links.at("node2").failure, "It refuses.");
    state.apply(at(12, "", -1, LinkEvent{"node2", LinkState::Linked, 1012 * kSecond, 0, {}, "", ""}));
    EXPECT_TRUE(state.health(1012 * kSecond).unreachable.empty());
}

TEST(RunHealth, SaysWhatARunThatDoesNotRunWaitsFor) {
    RunState state = state_of(2, 1);
    EXPECT_EQ(state.health(1000 * kSecond).condition, RunCondition::Starting);
    for (int second = 0; second < 5; ++second) {
        state.apply(at(second, "node1", 0, metric(second, 1, {{"loss", 1}})));
    }
    EXPECT_EQ(state.health(1005 * kSecond).condition, RunCondition::Running);
    EXPECT_EQ(state.health(1018 * kSecond).condition, RunCondition::Stalled);
    EXPECT_DOUBLE_EQ(state.health(1018 * kSecond).for_s, 14);
    ExitEvent exit;
    exit.code = 1;
    state.apply(at(20, "node1", 0, exit));
    EndEvent end;
    end.outcome = Outcome::Failed;
    state.apply(at(20, "node1", -1, end));
    const RunHealth failing = state.health(1021 * kSecond);
    EXPECT_EQ(failing.condition, RunCondition::Failing);
    EXPECT_EQ(failing.waiting_for, std::vector<std::string>{"node2"});
    state.apply(at(30, "", -1, end));
    EXPECT_EQ(state.health(1031 * kSecond).condition, RunCondition::Over);
}

TEST(RunHealth, AProgramWithoutStepsRunsOnceItsRanksHaveMet) {
    RunState state = state_of(2, 1);
    LaunchPlan plan = state.plan;
    for (auto& rank : plan.ranks) {
        rank.command = {"python3", "train.py"};
    }
    state.set_plan(plan);
    const auto stage = [](StageName name, StageStatus status) {
        StageEvent stage;
        stage.name = name;
        stage.status = status;
        return stage;
    };
    const auto start = [&](int second) {
        for (int rank = 0; rank < 2; ++rank) {
            const std::string node = "node" + std::to_string(rank + 1);
            state.apply(at(second, node, rank, stage(StageName::Start, StageStatus::Done)));
        }
    };
    start(1);
    EXPECT_FALSE(has_no_steps(state));
    EXPECT_EQ(state.health(1002 * kSecond).condition, RunCondition::Starting);
    state.apply(at(5, "", -1, stage(StageName::Rendezvous, StageStatus::Done)));
    EXPECT_TRUE(has_no_steps(state));
    EXPECT_EQ(state.ranks[1].phase, RankPhase::Training);
    EXPECT_EQ(state.health(1300 * kSecond).condition, RunCondition::Running) << "for ever";
    // Started again: they meet without a word of it.
    start(400);
    EXPECT_EQ(state.ranks[0].phase, RankPhase::Starting);
    LogEvent line;
    line.text = "r 1 -> 0.5\n";
    state.apply(at(401, "node1", 0, line));
    EXPECT_EQ(state.ranks[0].phase, RankPhase::Training);
    state.apply(at(410, "node1", 0, metric(1, 1, {{"loss", 1}})));
    EXPECT_FALSE(has_no_steps(state));
    EXPECT_EQ(state.ranks[0].phase, RankPhase::Training);
}

TEST(RunHealth, AReportingIntervalOfMinutesIsNotAStall) {
    RunState state = state_of(1, 1);
    state.apply(at(0, "node1", 0, metric(1, 1, {{"loss", 1}})));
    state.apply(at(60, "node1", 0, metric(2, 1, {{"loss", 1}})));
    EXPECT_EQ(state.health(1150 * kSecond).condition, RunCondition::Running);
    EXPECT_EQ(state.health(1260 * kSecond).condition, RunCondition::Stalled);
}

TEST(RunState, LiveVerdictsHoldUntilTheyAreOver) {
    RunState state = state_of(2, 1);
    DiagnosisEvent verdict;
    verdict.id = "rank-stopped";
    verdict.node = "node2";
    verdict.rank = 1;
    verdict.phase = VerdictPhase::Live;
    state.apply(at(1, "", -1, verdict));
    state.apply(at(2, "", -1, verdict));
    EXPECT_EQ(state.live_verdicts.size(), 1U);
    EXPECT_TRUE(state.diagnoses.empty());
    verdict.phase = VerdictPhase::Over;
    state.apply(at(3, "", -1, verdict));
    EXPECT_TRUE(state.live_verdicts.empty());
    verdict.phase = VerdictPhase::End;
    state.apply(at(4, "", -1, verdict));
    EXPECT_EQ(state.diagnoses.size(), 1U);
}

}  // namespace
}  // namespace rankscope
