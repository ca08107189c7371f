// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_rule.h>
#include <remote/desk/runs/watch/path_confirmation.h>
#include <remote/desk/runs/watch/watch_state.h>

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

Event step_of(int rank, std::int64_t step, double at_s) {
    Event event;
    event.node = "node" + std::to_string(rank + 1);
    event.rank = rank;
    event.t_us = static_cast<std::int64_t>(at_s * 1e6);
    MetricEvent metric;
    metric.step = step;
    event.body = metric;
    return event;
}

Event failure_of(int rank) {
    Event event;
    event.node = "node" + std::to_string(rank + 1);
    event.rank = rank;
    ExitEvent exit;
    exit.code = 1;
    event.body = exit;
    return event;
}

Event stage_of(StageName name, StageStatus status, int rank = -1) {
    Event event;
    event.node = rank < 0 ? "" : "node" + std::to_string(rank + 1);
    event.rank = rank;
    event.body = StageEvent{name, status, "", -1};
    return event;
}

RankSnapshot waiting(int rank, double elapsed_s) {
    RankSnapshot state;
    state.rank = rank;
    state.pid = 4000 + rank;
    state.state = "S";
    state.elapsed_s = elapsed_s;
    state.system_call = "futex";
    state.threads = {{.tid = state.pid, .name = "python", .state = "S"}};
    state.python_stack = {
        "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py:1400 in all_reduce",
        "/home/u/train.py:41 in step"};
    return state;
}

TEST(WatchState, LooksWhenTheStepsCeaseAndSaysWhenTheyContinue) {
    WatchState watch;
    LaunchPlan plan;
    plan.ranks.resize(2);
    plan.ranks[1].rank = 1;
    double now = 1000;
    std::int64_t step = 0;
    const auto train = [&](double seconds) {
        for (const double end = now + seconds; now < end; now += 0.5) {
            watch.observe(step_of(0, ++step, now), now);
            watch.tick(now);
            EXPECT_EQ(watch.wanted(now), WatchState::Wanted::Nothing);
        }
    };
    train(30);
    int looks = 0;
    std::optional<HangFinding> found;
    const double stall = now;
    for (; now < stall + 20 && !found; now += 0.25) {
        if (watch.wanted(now) != WatchState::Wanted::Nothing) {
            ++looks;
            auto stopped = waiting(1, now);
            stopped.state = "T";
            found =
                watch.take({.ranks = {{"node1", {waiting(0, now)}}, {"node2", {stopped}}}}, plan, now).found;
        }
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict.id.text(), "rank-stopped");
    EXPECT_EQ(looks, 2);
    EXPECT_LE(now - stall, 10);
    EXPECT_FALSE(watch.take_over(now));
    watch.observe(step_of(0, ++step, now), now);
    EXPECT_FALSE(watch.take_over(now)) << "a run that fails writes, too";
    train(4);
    const auto over = watch.take_over(now);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->id.text(), "rank-stopped");
    EXPECT_FALSE(watch.take_over(now)) << "once";
    train(20);
}

// The others wait for as long as their library lets them, which may be shorter than a verdict takes.
TEST(WatchState, SuspectsTheRankThatSleepsWhileTheOthersWait) {
    WatchState watch;
    LaunchPlan plan;
    plan.ranks.resize(2);
    plan.ranks[1].rank = 1;
    double now = 1000;
    std::int64_t step = 0;
    for (; now < 1030; now += 0.5) {
        watch.observe(step_of(0, ++step, now), now);
        watch.tick(now);
    }
    const auto stall = [&](double seconds) {
        for (const double end = now + seconds; now < end; now += 0.25) {
            if (watch.wanted(now) != WatchState::Wanted::Nothing) {
                auto asleep = waiting(1, now);
                asleep.system_call = "clock_nanosleep";
                asleep.python_stack = {"/home/u/train.py:17 in step"};
                const LookResult look{.ranks = {{"node1", {waiting(0, now)}}, {"node2", {asleep}}}};
                EXPECT_FALSE(watch.take(look, plan, now).found) << "it may take its time";
            }
        }
    };
    stall(15);
    watch.observe(failure_of(0), now);
    ASSERT_TRUE(watch.suspicion());
    EXPECT_EQ(watch.suspicion()->verdict.rank, 1);
    EXPECT_EQ(watch.suspicion()->verdict.reason, "sleeps");
    EXPECT_LE(watch.suspicion()->verdict.confidence, 0.8);
}

TEST(WatchState, SuspectsNobodyOnceTheRunGoesOn) {
    WatchState watch;
    LaunchPlan plan;
    plan.ranks.resize(2);
    plan.ranks[1].rank = 1;
    double now = 1000;
    for (int step = 1; step <= 20; ++step, now += 0.5) {
        watch.observe(step_of(0, step, now), now);
    }
    for (const double end = now + 15; now < end; now += 0.25) {
        if (watch.wanted(now) != WatchState::Wanted::Nothing) {
            auto asleep = waiting(1, now);
            asleep.system_call = "clock_nanosleep";
            asleep.python_stack = {"/home/u/train.py:17 in step"};
            static_cast<void>(
                watch.take({.ranks = {{"node1", {waiting(0, now)}}, {"node2", {asleep}}}}, plan, now));
        }
    }
    EXPECT_TRUE(watch.suspicion());
    watch.observe(step_of(0, 21, now), now);
    watch.observe(failure_of(0), now + 1);
    EXPECT_FALSE(watch.suspicion());
}

TEST(PathConfirmation, ACutBetweenTwoNodesBlamesNeither) {
    Verdict verdict;
    verdict.id = "partition-midrun";
    verdict.nodes = {"node2", "node3"};
    Check check;
    check.id = "partition-midrun";
    check.status = CheckStatus::Fail;
    check.nodes = {"node2"};
    check.pairs = {{"node3", "node2"}};
    refine(verdict, check);
    EXPECT_TRUE(verdict.node.empty()) << verdict.node;
    EXPECT_EQ(verdict.nodes, (std::vector<std::string>{"node2", "node3"}));
    check.id = "gloo-ports-blocked";  // a rule of one node
    refine(verdict, check);
    EXPECT_EQ(verdict.node, "node2");
}

TEST(WatchState, APauseAndAnEndAreNoStall) {
    WatchState watch;
    watch.observe(step_of(0, 1, 10), 10);
    watch.observe(stage_of(StageName::Pause, StageStatus::Done, 0), 11);
    EXPECT_EQ(watch.wanted(500), WatchState::Wanted::Nothing);
    watch.observe(stage_of(StageName::Continue, StageStatus::Done, 0), 500);
    EXPECT_EQ(watch.wanted(501), WatchState::Wanted::Nothing) << "its silence begins now";
    EXPECT_EQ(watch.wanted(506), WatchState::Wanted::Look);
    const Event failed = failure_of(0);
    watch.observe(failed, 507);
    EXPECT_EQ(watch.wanted(600), WatchState::Wanted::Nothing) << "it ends";
}

TEST(HangRule, LearnsTheUsualIntervalOfThisRun) {
    HangRule rule;
    rule.observe(stage_of(StageName::Start, StageStatus::Done), 1);
    EXPECT_TRUE(rule.active());
    EXPECT_DOUBLE_EQ(rule.look_after_s(), 10) << "it has said nothing yet";
    double now = 2;
    rule.start_clock(now);
    EXPECT_TRUE(rule.in_long_phase(now)) << "no step yet";
    EXPECT_FALSE(rule.in_long_phase(now + 400)) << "it may never write any";
    for (int step = 1; step < 100; ++step) {
        rule.observe(step_of(0, step, now), now);
        now += 0.1;
    }
    EXPECT_NEAR(rule.usual_s(), 0.1, 1e-3);
    EXPECT_DOUBLE_EQ(rule.look_after_s(), 4.5);
    EXPECT_FALSE(rule.in_long_phase(now));
    EXPECT_FALSE(rule.due(now + 4));
    EXPECT_TRUE(rule.due(now + 5));
    for (int step = 100; step < 500; ++step) {
        rule.observe(step_of(0, step, now), now);
        now += 2.5;
    }
    EXPECT_DOUBLE_EQ(rule.look_after_s(), 7.5);
    rule.observe(stage_of(StageName::Validate, StageStatus::Progress, 0), now);
    EXPECT_TRUE(rule.in_long_phase(now));
    rule.observe(step_of(0, 501, now), now + 1);
    EXPECT_FALSE(rule.in_long_phase(now));
    rule.set_hang_after(6);
    EXPECT_DOUBLE_EQ(rule.look_after_s(), 6);
}

TEST(HangRule, OutputOfARunWithStepsIsNoProgress) {
    HangRule rule;
    Event line;
    line.node = "node1";
    line.rank = 0;
    LogEvent log;
    log.text = "tick\n";
    line.body = log;
    rule.observe(line, 5);
    EXPECT_DOUBLE_EQ(rule.silent_s(7), 2) << "without steps it is";
    rule.observe(step_of(0, 1, 8), 8);
    rule.observe(line, 20);
    EXPECT_DOUBLE_EQ(rule.silent_s(21), 13);
    EXPECT_DOUBLE_EQ(rule.rank_silent_s(0, 21).value_or(-1), 1) << "the rank itself is not silent";
}

TEST(HangRule, ARestartBeginsAgain) {
    HangRule rule;
    rule.observe(step_of(0, 1, 8), 8);
    const Event failed = failure_of(0);
    rule.observe(failed, 9);
    EXPECT_FALSE(rule.active());
    rule.observe(stage_of(StageName::Restart, StageStatus::Done, 0), 12);
    EXPECT_TRUE(rule.active());
    EXPECT_FALSE(rule.trains());
}

}  // namespace
}  // namespace rankscope
