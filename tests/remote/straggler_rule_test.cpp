// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Synthetic runs: what looks at their ranks would find, round after round.

#include <gtest/gtest.h>
#include <tests/remote/support/synthetic_run.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace rankscope {
namespace {

using namespace rankscope::test;

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, NoRankIsNamedInHealthyRuns) {
    const double minutes = GetParam() > 100 ? 2 : 60;
    for (const double runs : {0.05, 0.3, 0.6, 0.95}) {
        SyntheticRun run(GetParam(), true, 7);
        for (auto& doing : run.doing) {
            doing.runs = runs;
        }
        run.run(minutes * 60);
        EXPECT_TRUE(run.verdicts.empty()) << run.verdicts[0].title << run.verdicts[0].evidence[0].text;
        EXPECT_GT(run.rounds, minutes * 2);
    }
}

TEST_P(Sizes, NoRankIsNamedWhenAllAreEquallySlow) {
    SyntheticRun run(GetParam());
    run.run(60);
    for (auto& doing : run.doing) {
        doing = {.runs = 0.9, .queued = 0.5, .throttled = 0.6, .cores = 0.3};
    }
    run.run(GetParam() > 100 ? 120 : 1200);
    EXPECT_TRUE(run.verdicts.empty());
}

TEST_P(Sizes, AQuotaIsNamedAndItsEnd) {
    SyntheticRun run(GetParam());
    const int slow = GetParam() - 1;
    run.run(60);
    const double since = run.now;
    make_slow(run, slow, {.runs = 0.98, .queued = 0.6, .throttled = 0.6, .cores = 0.4});
    run.run(60);
    const auto live = run.of(VerdictPhase::Live);
    ASSERT_EQ(live.size(), 1U);
    const auto& verdict = live[0];
    EXPECT_EQ(verdict.id, FailureId("rank-slow"));
    EXPECT_EQ(verdict.rank, slow);
    EXPECT_EQ(verdict.node, SyntheticRun::node_of(slow));
    EXPECT_EQ(verdict.ranks, std::vector<int>{slow});
    EXPECT_EQ(verdict.reason, "cpu-quota");
    EXPECT_FALSE(verdict.fix.empty());
    EXPECT_GE(verdict.evidence.size(), 2U);
    EXPECT_EQ(verdict.waiting.size(), std::min<std::size_t>(256, run.doing.size() - 1));
    EXPECT_NEAR(static_cast<double>(verdict.since_us) * 1e-6, since, 20);
    for (auto& doing : run.doing) {
        doing = {};
    }
    run.run(90);
    const auto over = run.of(VerdictPhase::Over);
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0].rank, slow);
    EXPECT_EQ(over[0].reason, "cpu-quota");
    EXPECT_EQ(run.verdicts.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Straggler, Sizes, ::testing::Values(2, 8, 1024));

struct Case {
    const char* reason;
    Doing how;
};

class Causes : public ::testing::TestWithParam<Case> {};

TEST_P(Causes, IsNamedInASyntheticRun) {
    for (const int ranks : {2, 8}) {
        for (const bool steps : {true, false}) {
            SyntheticRun run(ranks, steps);
            run.run(30);
            if (std::string(GetParam().reason) == "memory-pressure") {
                run.fill_memory("node0");
            }
            make_slow(run, 1, GetParam().how);
            run.run(60);
            ASSERT_EQ(run.verdicts.size(), 1U) << GetParam().reason << ", " << ranks << " ranks";
            EXPECT_EQ(run.verdicts[0].reason, GetParam().reason);
            EXPECT_EQ(run.verdicts[0].rank, 1);
            EXPECT_EQ(run.verdicts[0].node, "node0");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Straggler, Causes,
    ::testing::Values(
        Case{"cpu-quota", {.runs = 0.98, .queued = 0.5, .throttled = 0.5}},
        Case{"neighbour", {.runs = 0.98, .queued = 0.45, .neighbours = {{4711, "alice", "stress", 0.9}}}},
        Case{"neighbour", {.runs = 0.98, .queued = 0.45}},
        Case{"cpu-frequency", {.runs = 0.98, .cores = 0.95, .hz = 1.2e9}},
        Case{"slow-disk", {.runs = 0.5, .file = 0.45, .file_name = "/data/train.bin"}},
        Case{"slow-disk", {.runs = 0.5, .file = 0.45, .faults = 500}},
        Case{"memory-pressure", {.runs = 0.5, .file = 0.45, .faults = 500}},
        Case{"data-wait", {.runs = 0.5, .child = 0.45}}, Case{"sleeps", {.runs = 0.5, .sleeps = 0.45}},
        Case{"more-work", {.runs = 0.98, .cores = 0.98}}, Case{"unknown", {.runs = 0.98, .cores = 0.5}}),
    [](const auto& one) {
        std::string name = one.param.reason;
        std::replace(name.begin(), name.end(), '-', '_');
        return name + std::to_string(one.index);
    });

TEST(StragglerRule, ANeighbourIsNamedWithItsProcess) {
    SyntheticRun run(4);
    make_slow(run, 2, {.runs = 0.98, .queued = 0.45, .neighbours = {{4711, "alice", "stress -c 1", 0.9}}});
    run.run(60);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_NE(run.verdicts[0].title.find("stress -c 1 (pid 4711, user alice)"), std::string::npos);
    EXPECT_NE(run.verdicts[0].title.find("Rank 2 on node1"), std::string::npos);
    EXPECT_EQ(run.verdicts[0].fix.at(0), "On node1: end process 4711, or give the ranks CPUs of their own.");
}

TEST(StragglerRule, DoesNotAdviseToEndTheWindow) {
    SyntheticRun run(4);
    const std::string window = "/usr/bin/rankscope --job a.yaml";
    make_slow(run, 2, {.runs = 0.98, .queued = 0.45, .neighbours = {{4711, "alice", window, 0.9}}});
    run.run(60);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].fix.at(0),
              "On node1: look for other programs, and give the ranks CPUs of their own.");
}

TEST(StragglerRule, ASlowFileIsNamed) {
    SyntheticRun run(4);
    make_slow(run, 3, {.runs = 0.4, .file = 0.55, .file_name = "/data/train.bin"});
    run.run(60);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_NE(run.verdicts[0].title.find("/data/train.bin (nfs4)"), std::string::npos)
        << run.verdicts[0].title;
}

TEST(StragglerRule, ASmallDifferenceIsNone) {
    SyntheticRun run(8);
    make_slow(run, 5, {.runs = 0.58, .queued = 0.1});
    run.run(3600);
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, ASlowNodeIsNamedOnceWithItsRanks) {
    SyntheticRun run(8);
    make_slow(run, 4, {.runs = 0.97, .queued = 0.5, .throttled = 0.5});
    run.doing[5] = run.doing[4];
    run.run(90);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].node, "node2");
    EXPECT_EQ(run.verdicts[0].ranks, (std::vector<int>{4, 5}));
    EXPECT_EQ(run.verdicts[0].reason, "cpu-quota");
}

TEST(StragglerRule, StepsThatLastLongerThanARound) {
    for (const bool one_is_slow : {false, true}) {
        SyntheticRun run(4);
        run.step_every_s = 40;
        // In 40 s the slow rank computes for 36, the others for 16: a round sees them all compute, or wait.
        for (const double end = run.now + 1200; run.now < end;) {
            const double place = std::fmod(run.now, 40);
            for (std::size_t rank = 0; rank < run.doing.size(); ++rank) {
                run.doing[rank].runs = place < (one_is_slow && rank == 2 ? 36 : 16) ? 1 : 0;
                run.doing[rank].queued = one_is_slow && rank == 2 ? 0.5 : 0;
            }
            run.round();
            run.pass(1);
        }
        ASSERT_EQ(run.of(VerdictPhase::Live).size() > 0, one_is_slow);
        for (const auto& verdict : run.verdicts) {
            EXPECT_EQ(verdict.rank, 2);
        }
    }
}

TEST(StragglerRule, HalfOfTheRanksAreNoStragglers) {
    SyntheticRun run(8);
    for (int rank = 0; rank < 8; rank += 2) {
        run.doing[SyntheticRun::at(rank)] = {.runs = 0.98};
    }
    run.run(300);
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, AStageThatComputesMoreIsNoStraggler) {
    const std::map<int, int> stages{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 3}, {7, 3}};
    for (const bool reported : {false, true}) {
        SyntheticRun run(8);
        run.rule.set_stages(stages);
        for (const int rank : {6, 7}) {
            run.doing[SyntheticRun::at(rank)] = {.runs = 0.98};
        }
        if (reported) {
            run.reports = [](int rank) {
                return SyntheticRun::Values{
                    {"t_step_ms", 100}, {"t_comm_ms", 2}, {"t_bubble_ms", rank >= 6 ? 3 : 50}};
            };
        }
        run.run(300);
        EXPECT_TRUE(run.verdicts.empty()) << run.verdicts[0].title;
        // But a rank that computes more than the other one of its stage is.
        run.doing[SyntheticRun::at(2)] = {.runs = 0.98};
        if (reported) {
            run.reports = [](int rank) {
                return SyntheticRun::Values{{"t_step_ms", 100},
                                            {"t_comm_ms", 2},
                                            {"t_bubble_ms", rank == 2   ? 0
                                                            : rank >= 6 ? 60
                                                                        : 70}};
            };
        }
        for (const int rank : {6, 7}) {
            run.doing[SyntheticRun::at(rank)] = {.runs = 0.5};
        }
        run.run(300);
        ASSERT_FALSE(run.verdicts.empty());
        EXPECT_EQ(run.verdicts[0].rank, 2);
    }
    SyntheticRun quota(4);
    quota.rule.set_stages({{0, 0}, {1, 1}, {2, 2}, {3, 3}});
    make_slow(quota, 1, {.runs = 0.98, .queued = 0.6, .throttled = 0.6, .cores = 0.4});
    quota.run(120);
    ASSERT_FALSE(quota.verdicts.empty()) << "the only rank of its stage, for a reason";
    EXPECT_EQ(quota.verdicts[0].reason, "cpu-quota");
}

TEST(StragglerRule, ReportsOfTheRanksCountMoreThanSamples) {
    SyntheticRun run(4);
    // Its main thread waits for a thread of its own that reads: samples do not show it.
    run.reports = [](int rank) {
        return SyntheticRun::Values{
            {"t_step_ms", 100}, {"t_comm_ms", rank == 1 ? 2 : 60}, {"t_data_ms", rank == 1 ? 70 : 5}};
    };
    run.run(60);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].rank, 1);
    EXPECT_EQ(run.verdicts[0].reason, "data-wait");
}

TEST(StragglerRule, ASlowLinkIsNamed) {
    for (const int ranks : {4, 8, 16}) {
        SyntheticRun run(ranks);
        for (auto& doing : run.doing) {
            doing.runs = 0.2;
        }
        run.run(60);
        EXPECT_TRUE(run.verdicts.empty());
        run.note(run.rule.observe({.t_us = run.us(),
                                   .node = "node0",
                                   .body = SampleEvent{{{"net.eth0.rx", 5}, {"net.eth0.errors", 7}}}}));
        run.busy[1] = 0.7;  // from node0 to node1
        run.run(90);
        ASSERT_EQ(run.verdicts.size(), 1U) << ranks;
        EXPECT_EQ(run.verdicts[0].reason, "slow-link");
        EXPECT_EQ(run.verdicts[0].node, "node0");
        EXPECT_EQ(run.verdicts[0].rank, 1);
        EXPECT_EQ(run.verdicts[0].pairs, (std::vector<NodePair>{{"node0", "node1"}}));
        const auto& evidence = run.verdicts[0].evidence;
        EXPECT_TRUE(std::any_of(evidence.begin(), evidence.end(), [](const Evidence& line) {
            return line.text == "eth0.errors of node0: 7 packets per second";
        }));
        run.busy[1] = 0.02;
        run.run(90);
        ASSERT_EQ(run.verdicts.size(), 2U);
        EXPECT_EQ(run.verdicts[1].phase, VerdictPhase::Over);
    }
}

TEST(StragglerRule, ANodeWhoseAnswersAreLateToo) {
    SyntheticRun run(8);
    for (auto& doing : run.doing) {
        doing.runs = 0.2;
    }
    run.busy[3] = 0.7;  // node1 to node2, and the answers to node0
    run.busy[1] = 0.4;
    run.run(90);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].node, "node1");
    EXPECT_EQ(run.verdicts[0].rank, 3);
}

TEST(StragglerRule, TwoNodesWhereOneSendsAgain) {
    SyntheticRun run(4);
    for (auto& doing : run.doing) {
        doing.runs = 0.2;
    }
    run.busy[1] = 0.5;
    run.busy[3] = 0.6;
    run.sent_again[3] = 20;
    run.run(90);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].reason, "slow-link");
    EXPECT_EQ(run.verdicts[0].node, "node1");
}

TEST(StragglerRule, ANetworkThatIsSlowForAllNamesNoRank) {
    SyntheticRun run(8);
    for (auto& doing : run.doing) {
        doing.runs = 0.1;
    }
    std::fill(run.busy.begin(), run.busy.end(), 0.8);
    run.run(1200);
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, ComputingDoesNotWaitForTheNetwork) {
    SyntheticRun run(8);
    for (auto& doing : run.doing) {
        doing.runs = 0.95;
    }
    run.busy[1] = 0.7;
    run.run(600);
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, AValidationOfOneRankIsNone) {
    for (const bool steps : {true, false}) {
        SyntheticRun run(steps ? 4 : 2, steps);
        run.run(60);
        run.moves = false;  // rank 0 validates for five minutes, and reports nothing
        for (auto& doing : run.doing) {
            doing = {.runs = 0.03};  // a barrier wakes its waiters now and then
        }
        run.doing[0] = {.runs = 0.5, .sleeps = 0.5};
        run.run(300);
        EXPECT_TRUE(run.verdicts.empty()) << steps;
    }
}

TEST(StragglerRule, ValidationsBetweenStepsAreNone) {
    SyntheticRun run(2, false);
    for (int i = 0; i < 80; ++i) {
        run.moves = i % 2 == 0;  // else rank 0 validates
        run.doing[1].runs = run.moves ? 0.5 : 0;
        run.pass(6);
        static_cast<void>(run.moves || run.round());
    }
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, AReportedValidationAndAPauseAskForNothing) {
    SyntheticRun run(4);
    run.rule.observe({.t_us = run.us(), .node = "node0", .rank = 0, .body = StageEvent{StageName::Validate}});
    EXPECT_FALSE(run.rule.due(run.now + 1000));
    run.step();
    EXPECT_TRUE(run.rule.due(run.now + 1000));
    run.rule.observe({.t_us = run.us(), .node = "node1", .body = StageEvent{StageName::Pause}});
    EXPECT_FALSE(run.rule.due(run.now + 2000));
    run.rule.observe({.t_us = run.us(), .node = "node1", .body = StageEvent{StageName::Continue}});
    EXPECT_TRUE(run.rule.due(run.now + 2000));
}

TEST(StragglerRule, ARestartEndsWhatWasLive) {
    SyntheticRun run(4);
    make_slow(run, 2, {.runs = 0.98, .queued = 0.5, .throttled = 0.5});
    run.run(60);
    ASSERT_EQ(run.verdicts.size(), 1U);
    const auto over =
        run.rule.observe({.t_us = run.us(), .node = "node0", .body = StageEvent{StageName::Restart}});
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0].phase, VerdictPhase::Over);
    EXPECT_EQ(over[0].rank, 2);
    EXPECT_FALSE(run.rule.due(run.now + 1)) << "it warms up";
}

TEST(StragglerRule, AfterTheEndNothingIsAsked) {
    SyntheticRun run(4);
    run.rule.observe({.t_us = run.us(), .node = "", .body = EndEvent{}});
    EXPECT_FALSE(run.rule.due(run.now + 1000));
    EXPECT_TRUE(run.rule.observe_looks(run.now, {}).empty());
}

TEST(StragglerRule, NodesThatDoNotAnswerAreNoReason) {
    SyntheticRun run(4);
    for (int i = 0; i < 20; ++i) {
        run.pass(20);
        static_cast<void>(run.rule.due(run.now));
        EXPECT_TRUE(run.rule.observe_looks(run.now, {}).empty());
        EXPECT_TRUE(
            run.rule.observe_looks(run.now, {{"node0", {RankSnapshot{.rank = 0, .pid = 1}}}}).empty());
    }
}

/// A sample of a node with two GPUs.
Event gpu_sample(double now, const std::string& node, double clock0, double clock1, double throttle1,
                 double util = 0.9) {
    SampleEvent sample;
    sample.values = {{"cpu", 0.5},
                     {"gpu.0.util", util},
                     {"gpu.0.sm_clock", clock0},
                     {"gpu.0.throttle", 0},
                     {"gpu.1.util", util},
                     {"gpu.1.throttle", throttle1},
                     {"gpu.1.sm_clock", clock1},
                     {"gpu.x.sm_clock", 1},
                     {"gpu.1", 1}};
    return {.t_us = static_cast<std::int64_t>(now * 1e6), .node = node, .body = sample};
}

TEST(StragglerRule, AHotGpuIsNamedAndItsEnd) {
    SyntheticRun run(4);
    run.run(30);
    const auto pass = [&](int samples, double clock, double throttle) {
        for (int i = 0; i < samples; ++i) {
            run.now += 5;
            run.note(run.rule.observe(gpu_sample(run.now, "node0", 1.98e9, 1.97e9, 0)));
            run.note(run.rule.observe(gpu_sample(run.now, "node1", 1.98e9, clock, throttle)));
        }
    };
    pass(20, 1.2e9, 0);  // its owner has set the clock
    EXPECT_TRUE(run.verdicts.empty());
    pass(2, 1.2e9, 0x40);
    pass(2, 1.98e9, 0);
    EXPECT_TRUE(run.verdicts.empty()) << "for a moment";
    pass(10, 1.2e9, 0x40);
    ASSERT_EQ(run.verdicts.size(), 1U);
    EXPECT_EQ(run.verdicts[0].reason, "gpu-throttled");
    EXPECT_EQ(run.verdicts[0].node, "node1");
    EXPECT_EQ(run.verdicts[0].rank, 3);
    EXPECT_NE(run.verdicts[0].title.find("GPU 1 of node1"), std::string::npos);
    run.note(run.rule.observe({.t_us = run.us(), .node = "", .body = DiagnosisEvent(run.verdicts[0])}));
    run.run(60);
    EXPECT_EQ(run.verdicts.size(), 1U) << "its own verdict, which comes back to it, changes nothing";
    pass(6, 1.95e9, 0x4);
    ASSERT_EQ(run.verdicts.size(), 2U);
    EXPECT_EQ(run.verdicts[1].phase, VerdictPhase::Over);
}

TEST(StragglerRule, GpusThatAreAllHotOrIdleNameNoRank) {
    SyntheticRun run(4);
    for (int i = 0; i < 20; ++i) {
        run.now += 5;
        for (const char* node : {"node0", "node1"}) {
            run.note(run.rule.observe(gpu_sample(run.now, node, 1.2e9, 1.2e9, 0x40)));
            run.note(run.rule.observe(gpu_sample(run.now + 1, node, 1.9e9, 0.2e9, 0x40, 0.0)));
        }
    }
    EXPECT_TRUE(run.verdicts.empty());
}

TEST(StragglerRule, LooksAreRare) {
    SyntheticRun run(8);
    run.run(600);
    EXPECT_LE(run.rounds, 600 / 12);
    make_slow(run, 2, {.runs = 0.98, .queued = 0.5, .throttled = 0.5});
    const int calm = run.rounds;
    run.run(1200);
    EXPECT_LE(run.rounds - calm, 1200 / 12 + 60 / 4) << "a straggler that stays does not cost more for ever";
}

}  // namespace
}  // namespace rankscope
