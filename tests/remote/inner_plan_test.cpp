// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Ranks that programs have started themselves, as the desk sees them: plan, state, verdict.

#include "support/events.h"
#include "support/plans.h"

#include <remote/desk/jobs/plan/inner_ranks.h>
#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/run/run_tracker.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>

namespace rankscope {
namespace {

using test::make_event;
using test::plan_of;

LaunchPlan programs_on(std::size_t nodes) {
    LaunchPlan plan = plan_of(nodes, 1);
    for (auto& rank : plan.ranks) {
        rank.command = {"python", "train.py"};
        rank.device = "cuda:0";
    }
    return plan;
}

InnerRankEvent inner_of(std::int64_t pid, int outer, int local, int world) {
    return {pid, outer, local, world, InnerRankSource::Environment};
}

TEST(InnerPlan, AProgramBecomesItsRanks) {
    LaunchPlan plan = programs_on(1);
    EXPECT_TRUE(add_inner_rank(plan, "node1", 1, inner_of(11, 0, 1, 2)));
    EXPECT_EQ(plan.world_size, 2);
    ASSERT_EQ(plan.ranks.size(), 2U);
    EXPECT_EQ(plan.ranks[0].pid, 0) << "expected, not found yet";
    EXPECT_EQ(plan.ranks[1].pid, 11);
    EXPECT_EQ(plan.ranks[1].outer_rank, 0);
    EXPECT_EQ(plan.ranks[1].device, "cuda:1");
    EXPECT_EQ(plan.nodes.front().local_world_size, 2);
    EXPECT_TRUE(add_inner_rank(plan, "node1", 0, inner_of(10, 0, 0, 2)));
    EXPECT_FALSE(add_inner_rank(plan, "node1", 0, inner_of(10, 0, 0, 2))) << "known";
    EXPECT_TRUE(add_inner_rank(plan, "node1", 0, inner_of(12, 0, 0, 2))) << "started again";
    ASSERT_EQ(plan.programs.size(), 1U);
    const auto back = plan_from_json(to_json(plan));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(plan));
    EXPECT_EQ(back->ranks[0].pid, 12);
}

TEST(InnerPlan, ProgramsOfSeveralNodesFormOneWorld) {
    LaunchPlan plan = programs_on(2);
    EXPECT_TRUE(add_inner_rank(plan, "node2", 3, inner_of(21, 1, 1, 4)));
    ASSERT_EQ(plan.ranks.size(), 4U);
    for (int rank = 0; rank < 4; ++rank) {
        const auto& entry = plan.ranks[static_cast<std::size_t>(rank)];
        EXPECT_EQ(entry.rank, rank);
        EXPECT_EQ(entry.node, rank < 2 ? "node1" : "node2");
        EXPECT_EQ(entry.local_rank, rank % 2);
    }
    EXPECT_TRUE(add_inner_rank(plan, "node1", 1, inner_of(11, 0, 1, 4)));
    EXPECT_EQ(plan.ranks[1].node, "node1");
    EXPECT_EQ(plan.world_size, 4);
}

TEST(InnerPlan, WhatCannotBeIsNot) {
    LaunchPlan plan = programs_on(2);
    const auto before = to_json(plan);
    EXPECT_FALSE(add_inner_rank(plan, "node1", 4, inner_of(11, 0, 0, 4)));
    EXPECT_FALSE(add_inner_rank(plan, "node1", -1, inner_of(11, 0, 0, 4)));
    EXPECT_FALSE(add_inner_rank(plan, "node1", 0, inner_of(11, 1, 0, 4))) << "of another node";
    EXPECT_FALSE(add_inner_rank(plan, "node1", 0, inner_of(11, 7, 0, 4)));
    EXPECT_FALSE(add_inner_rank(plan, "node1", 0, inner_of(11, 0, 0, 2000000000)));
    EXPECT_EQ(to_json(plan), before);
}

/// A program on node1 that has started ranks 0 and 1.
class InnerVerdict : public ::testing::Test {
protected:
    InnerVerdict() {
        plan_ = programs_on(1);
        begin(0, 10);
        begin(1, 11);
    }
    void begin(int rank, std::int64_t pid) {
        const auto inner = inner_of(pid, 0, rank, 2);
        add_inner_rank(plan_, "node1", rank, inner);
        tracker_.set_plan(plan_);
        state_.set_plan(plan_);
        apply(rank, inner);
    }
    void apply(int rank, EventBody body) {
        Event event = make_event(std::move(body), 1, "node1", rank);
        event.t_us = ++t_us_ * 1000;
        tracker_.observe(event);
        state_.apply(event);
    }
    void end_rank(int rank, std::int64_t pid, int code, int signal) {
        ExitEvent exit;
        exit.code = signal != 0 ? -1 : code;
        exit.signal = signal;
        exit.pid = pid;
        exit.inner = true;
        exit.outer_rank = 0;
        apply(rank, exit);
    }
    void end_program(int code) {
        ExitEvent exit;
        exit.code = code;
        exit.program = true;
        exit.outer_rank = 0;
        apply(0, exit);
        EndEvent end;
        end.outcome = code == 0 ? Outcome::Done : Outcome::Failed;
        apply(-1, end);
    }

    LaunchPlan plan_;
    RunTracker tracker_;
    RunState state_;
    std::int64_t t_us_ = 0;
};

TEST_F(InnerVerdict, TheRankIsTheCauseAndItsProgramTheConsequence) {
    end_rank(1, 11, 0, SIGKILL);
    EXPECT_EQ(tracker_.failure_cause(), "") << "its program may start it again";
    EXPECT_EQ(state_.ranks[1].phase, RankPhase::Failed);
    end_rank(0, 10, 0, SIGTERM);
    end_program(1);
    EXPECT_EQ(tracker_.failure_cause(), "rank 1 on node1 was killed by signal 9 (SIGKILL)");
    const auto verdict = tracker_.verdict(false);
    EXPECT_EQ(verdict.outcome, Outcome::Failed);
    EXPECT_EQ(verdict.culprit.rank, 1);
    EXPECT_EQ(
        verdict.detail,
        "Rank 1 on node1 (process 11, started by the program of rank 0) was killed by signal 9 (SIGKILL).");
    EXPECT_EQ(state_.ranks[0].exit->signal, SIGTERM) << "its own end, not its program's";
}

TEST_F(InnerVerdict, AProgramThatFailsByItselfIsNamedAsSuch) {
    end_rank(0, 10, 0, 0);
    end_rank(1, 11, 0, 0);
    end_program(3);
    EXPECT_EQ(tracker_.verdict(false).detail, "The program of rank 0 on node1 exited with code 3.");
}

TEST_F(InnerVerdict, ARankThatIsStartedAgainRuns) {
    end_rank(1, 11, 1, 0);
    begin(1, 12);
    EXPECT_FALSE(state_.ranks[1].exit);
    EXPECT_EQ(state_.ranks[1].pid, 12);
    EXPECT_EQ(state_.ranks[1].restarts, 1);
    end_rank(0, 10, 0, 0);
    end_rank(1, 12, 0, 0);
    end_program(0);
    EXPECT_EQ(tracker_.verdict(false).outcome, Outcome::Done);
    EXPECT_EQ(tracker_.verdict(false).detail, "All 2 ranks finished.");
}

TEST_F(InnerVerdict, AFailureThatItsProgramToleratesIsNone) {
    end_rank(1, 11, 1, 0);
    end_program(0);
    EXPECT_EQ(tracker_.verdict(false).outcome, Outcome::Done);
}

// Open MPI: a rank of node2 is killed, mpirun on node1 ends the others, and node2's part ends well with it.
TEST(MpiVerdict, TheFirstNodeTellsWhetherARankWasTolerated) {
    LaunchPlan plan = programs_on(2);
    for (auto& rank : plan.ranks) {
        rank.mpi = MpiPlan{"10.0.0.1:29501", "10.0.0.1", "10.0.0.1:1,10.0.0.2:1"};
    }
    add_inner_rank(plan, "node1", 0, inner_of(10, 0, 0, 2));
    add_inner_rank(plan, "node2", 1, inner_of(11, 1, 0, 2));
    const auto stored = plan_from_json(to_json(plan));
    ASSERT_TRUE(stored);
    RunTracker tracker;
    tracker.set_plan(*stored);
    auto apply = [&, t_us = std::int64_t{0}](const char* node, int rank, EventBody body) mutable {
        Event event = make_event(std::move(body), 1, node, rank);
        event.t_us = ++t_us * 1000;
        tracker.observe(event);
    };
    const auto exit = [](int outer, int signal, int code) {
        ExitEvent of_rank;
        of_rank.signal = signal;
        of_rank.code = signal != 0 ? -1 : code;
        of_rank.inner = signal != 0;
        of_rank.program = signal == 0;
        of_rank.outer_rank = outer;
        return of_rank;
    };
    apply("node2", 1, exit(1, SIGKILL, 0));
    apply("node1", 0, exit(0, SIGTERM, 0));
    apply("node2", 1, exit(1, 0, 0));
    EndEvent end;
    end.outcome = Outcome::Done;
    apply("node2", -1, end);
    apply("node1", 0, exit(0, 0, 137));
    end.outcome = Outcome::Failed;
    apply("node1", -1, end);
    EXPECT_EQ(tracker.verdict(false).culprit.rank, 1);
}

TEST_F(InnerVerdict, WhatIsNotKnownOfARankIsItsPrograms) {
    ExitEvent unknown;
    unknown.pid = 11;
    unknown.inner = true;
    unknown.outer_rank = 0;
    unknown.status_unknown = true;
    apply(1, unknown);
    end_program(1);
    EXPECT_EQ(state_.ranks[1].phase, RankPhase::Failed);
    EXPECT_EQ(tracker_.verdict(false).detail, "The program of rank 0 on node1 exited with code 1.");
}

}  // namespace
}  // namespace rankscope
