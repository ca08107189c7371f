// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What samples of a rank's main thread show: each rank is a real process of a real run.

#include "support/agent_fixture.h"
#include "support/wait_until.h"

#include <base/paths.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

namespace rankscope {
namespace {

class RankSeriesTest : public test::AgentFixture {
protected:
    static std::string stuck(const std::string& words) {
        return "cd '" + program_dir().string() + "' && exec ./remote_stuck_program " + words;
    }
    wire::StartRun begin(const std::vector<std::string>& scripts) {
        auto run = run_of(scripts);
        start_and_attach(run);
        return run;
    }
    std::vector<RankSnapshot> look(const wire::StartRun& run, std::uint32_t samples, double seconds) {
        wire::Request request;
        request.mutable_inspect_ranks()->set_run_id(run.run_id());
        request.mutable_inspect_ranks()->set_samples(samples);
        request.mutable_inspect_ranks()->set_spread_s(seconds);
        return rank_snapshots_from(client_->call(request).rank_states());
    }
    static std::string describe(const std::vector<RankSnapshot>& seen) {
        std::string text;
        for (const auto& rank : seen) {
            const auto& series = rank.series;
            text += "rank " + std::to_string(rank.rank) + " runs " + std::to_string(series.runs) + " file " +
                    std::to_string(series.uses_file) + " child " + std::to_string(series.waits_child) +
                    " sleeps " + std::to_string(series.sleeps) + " waits " + std::to_string(series.waits) +
                    " at " + rank.wait_channel + " in " + rank.system_call + '\n';
        }
        return text;
    }
    void end_all(const wire::StartRun& run) {
        stop(run, true);
        ASSERT_TRUE(client_->wait_for_end());
    }
};

TEST_F(RankSeriesTest, WhatARankDoesMostOfTheTime) {
    const auto run = begin({stuck("spin"), stuck("sleep"), stuck("deadlock"), stuck("loader sleep")});
    std::vector<RankSnapshot> seen;
    const auto settled = [&] {
        seen = look(run, 20, 0.4);
        return seen.size() == 4 && seen[0].series.runs == 20 && seen[1].series.sleeps == 20 &&
               seen[2].series.waits == 20 && seen[3].series.waits_child == 20;
    };
    EXPECT_TRUE(test::wait_until(settled)) << describe(seen);
    ASSERT_EQ(seen.size(), 4U);
    for (const auto& rank : seen) {
        EXPECT_EQ(rank.series.taken, 20U) << rank.rank;
        EXPECT_EQ(rank.series.turns, 0U) << rank.rank;
        EXPECT_GT(rank.series.seconds, 0.3);
        EXPECT_GE(rank.series.queued_s, 0);
    }
    EXPECT_GT(seen[0].series.cpu_s, 0);
    end_all(run);
}

TEST_F(RankSeriesTest, NoneWithoutSamplesAndNeverMoreThanAFew) {
    const auto run = begin({stuck("sleep")});
    const auto none = look(run, 0, 1);
    ASSERT_EQ(none.size(), 1U);
    EXPECT_EQ(none[0].series, RankSeries());
    const auto many = look(run, 1'000'000, 0.2);
    ASSERT_EQ(many.size(), 1U);
    EXPECT_EQ(many[0].series.taken, 200U);
    const auto now = look(run, 3, std::nan(""));
    ASSERT_EQ(now.size(), 1U);
    EXPECT_EQ(now[0].series.taken, 3U);
    end_all(run);
}

TEST_F(RankSeriesTest, ANeighbourThatUsesItsProcessor) {
    cpu_set_t permitted;
    CPU_ZERO(&permitted);
    ASSERT_EQ(::sched_getaffinity(0, sizeof permitted, &permitted), 0);
    int processor = 0;
    while (!CPU_ISSET(processor, &permitted)) {
        ++processor;
    }
    const auto program = (program_dir() / "remote_stuck_program").string();
    const pid_t other = ::fork();
    if (other == 0) {
        CPU_ZERO(&permitted);
        CPU_SET(processor, &permitted);
        ::sched_setaffinity(0, sizeof permitted, &permitted);
        ::execl(program.c_str(), program.c_str(), "spin", nullptr);
        ::_exit(127);
    }
    ASSERT_GT(other, 0);
    const auto run = begin({"cd '" + program_dir().string() + "' && exec taskset -c " +
                            std::to_string(processor) + " ./remote_stuck_program spin"});
    std::vector<RankSnapshot> seen;
    const BusyProcess* neighbour = nullptr;
    const auto is_named = [&] {
        seen = look(run, 10, 0.6);
        if (seen.size() != 1) {
            return false;
        }
        // Only the busiest are named: on a busy machine, for a while, others.
        const auto& named = seen[0].series.neighbours;
        const auto found = std::find_if(named.begin(), named.end(),
                                        [&](const BusyProcess& one) { return one.pid == other; });
        neighbour = found == named.end() ? nullptr : &*found;
        return neighbour != nullptr;
    };
    EXPECT_TRUE(test::wait_until(is_named));
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_GE(seen[0].series.runs, 5U) << "a busy machine may look at it late";
    EXPECT_LE(seen[0].series.runs, 10U);
    EXPECT_GT(seen[0].series.queued_s, 0.05);
    ASSERT_NE(neighbour, nullptr);
    EXPECT_NE(neighbour->command.find("spin"), std::string::npos) << neighbour->command;
    EXPECT_GT(neighbour->cpus, 0);
    EXPECT_FALSE(neighbour->user.empty());
    end_all(run);
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace rankscope
