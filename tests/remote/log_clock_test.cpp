// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The clocks of the hosts of a log: how far they differ, and what the correction changes.

#include "support/shipped_rules.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

constexpr double kBegin = 1'767'323'040;  // 2026-01-02 03:04:00 UTC

// How a log states times.
using Stamp = std::function<std::string(double time)>;

std::string formatted(double time, const char* format, const char* fraction, double unit) {
    const auto whole = static_cast<std::time_t>(std::floor(time));
    std::tm parts{};
    ::gmtime_r(&whole, &parts);
    char text[64];
    std::strftime(text, sizeof text, format, &parts);
    std::string all = text;
    if (unit > 0) {
        std::snprintf(text, sizeof text, fraction, static_cast<long>((time - std::floor(time)) / unit));
        all += text;
    }
    return all;
}

// NCCL itself, Kubernetes, and a program's logging.
std::string of_nccl(double time) {
    return '[' + formatted(time, "%Y-%m-%d %H:%M:%S", "", 0) + "] ";
}
std::string of_kubernetes(double time) {
    return formatted(time, "%Y-%m-%dT%H:%M:%S", ".%09ldZ ", 1e-9);
}
std::string of_logging(double time) {
    return formatted(time, "%Y-%m-%d %H:%M:%S", ",%03ld ", 1e-3);
}

// The log of a run of several nodes with clocks of their own. Times count from the begin of the run.
class SkewedLog {
public:
    SkewedLog(std::vector<double> ahead, Stamp stamp, int ranks_per_node = 2)
        : ahead_(std::move(ahead)), stamp_(std::move(stamp)), per_node_(ranks_per_node) {}

    int ranks() const { return static_cast<int>(ahead_.size()) * per_node_; }
    int node_of(int rank) const { return rank / per_node_; }
    static std::string host(int node) { return "node" + std::to_string(node + 1); }

    void print(int node, double at, const std::string& line) {
        text_[node] += stamp_(kBegin + at + ahead_[static_cast<std::size_t>(node)]) + line + '\n';
    }
    void nccl(int rank, double at, const std::string& message) {
        print(node_of(rank), at,
              host(node_of(rank)) + ':' + std::to_string(400 + rank) + ':' + std::to_string(400 + rank) +
                  " [" + std::to_string(rank % per_node_) + "] NCCL INFO " + message);
    }
    // All ranks set up a communicator; each ends a little later than the one before it.
    void communicator(int number, double begin, double seconds) {
        for (int rank = 0; rank < ranks(); ++rank) {
            char about[160];
            std::snprintf(
                about, sizeof about,
                "comm 0x%x rank %d nranks %d cudaDev %d nvmlDev %d busId 1000 commId 0xabc%x - Init ",
                0x7f00 + 0x100 * number + rank, rank, ranks(), rank % per_node_, rank % per_node_, number);
            nccl(rank, begin + 0.02 * rank, std::string("ncclCommInitRank ") + about + "START");
            nccl(rank, begin + seconds + 0.03 * ((rank * 7 + number * 3) % 5),
                 std::string("ncclCommInitRank ") + about + "COMPLETE");
        }
    }
    // Node by node, as one reads files; a part for each as `tail -n +1` prints.
    std::string text() const {
        std::string all;
        for (const auto& [node, lines] : text_) {
            all += "==> " + host(node) + ".log <==\n" + lines + '\n';
        }
        return all;
    }
    DiagnosisResult diagnosed() const { return diagnose_text(rules(), text(), "train.log"); }

private:
    std::vector<double> ahead_;
    Stamp stamp_;
    int per_node_;
    std::map<int, std::string> text_;
};

const HostClock* clock_of(const DiagnosisResult& found, const std::string& host) {
    for (const auto& clock : found.clocks.all()) {
        if (clock.host == host) {
            return &clock;
        }
    }
    return nullptr;
}

class LogClocks : public ::testing::TestWithParam<Stamp> {};

TEST_P(LogClocks, ClockThatIsAheadIsMeasured) {
    SkewedLog log({0, 37.2, 0}, GetParam());
    for (int i = 0; i < 8; ++i) {
        log.communicator(i, 2 * i, 0.8);
    }
    const auto found = log.diagnosed();
    EXPECT_TRUE(found.verdicts.empty());
    const auto* clock = clock_of(found, "node2");
    ASSERT_NE(clock, nullptr);
    EXPECT_TRUE(clock->corrected);
    EXPECT_EQ(clock->reference, "node1");
    EXPECT_EQ(clock->communicators, 8U);
    EXPECT_NEAR(clock->ahead_s, 37.2, clock->uncertainty_s);
    EXPECT_LE(clock->uncertainty_s, 1.1);
    clock = clock_of(found, "node3");
    ASSERT_NE(clock, nullptr);
    EXPECT_FALSE(clock->corrected);
}

TEST_P(LogClocks, ClockOfTheFirstNodeIsTheOddOne) {
    SkewedLog log({-60, 0, 0, 0}, GetParam());
    for (int i = 0; i < 4; ++i) {
        log.communicator(i, 2 * i, 0.8);
    }
    const auto found = log.diagnosed();
    const auto* clock = clock_of(found, "node1");
    ASSERT_NE(clock, nullptr);
    EXPECT_TRUE(clock->corrected);
    EXPECT_NEAR(clock->ahead_s, -60, clock->uncertainty_s);
    for (const auto& other : found.clocks.all()) {
        EXPECT_EQ(other.corrected, other.host == "node1") << other.host;
    }
}

TEST_P(LogClocks, NoiseIsNoDifference) {
    SkewedLog log({0, 0, 0}, GetParam());
    log.communicator(0, 0, 0.8);
    log.communicator(1, 3, 0.8);
    const auto found = log.diagnosed();
    for (const auto& clock : found.clocks.all()) {
        EXPECT_FALSE(clock.corrected) << clock.host << ' ' << clock.ahead_s << ' ' << clock.uncertainty_s;
    }
}

TEST_P(LogClocks, FirstCulpritIsRightByTheCorrection) {
    // Rank 2 fails first; the clock of its node is 40 s ahead, so that its line seems to be the later one.
    const auto failing = [](double ahead) {
        SkewedLog log({0, ahead}, GetParam(), 2);
        for (int i = 0; i < 8; ++i) {
            log.communicator(i, 2 * i, 0.8);
        }
        log.print(1, 60, "[rank2]: IndexError: list index out of range");
        log.print(0, 72, "[rank0]: ValueError: cannot reshape array of size 0");
        return log.diagnosed();
    };
    for (const double ahead : {0.0, 40.0}) {
        const auto found = failing(ahead);
        ASSERT_FALSE(found.verdicts.empty());
        EXPECT_EQ(found.verdicts.front().id.text(), "rank-exception");
        EXPECT_EQ(found.verdicts.front().rank, 2) << ahead;
        EXPECT_EQ(found.verdicts.front().node, "node2") << ahead;
        EXPECT_NE(found.verdicts.front().title.find("IndexError"), std::string::npos);
        std::vector<std::string> faults;
        for (const auto& entry : found.timeline) {
            if (entry.kind == TimelineKind::Fault) {
                faults.push_back(entry.host);
                EXPECT_NEAR(entry.moment.time, kBegin + (entry.host == "node2" ? 60 : 72), 1.1);
                EXPECT_NEAR(entry.ahead_s, entry.host == "node2" ? ahead : 0, 0.6);
            }
        }
        EXPECT_EQ(faults, (std::vector<std::string>{"node2", "node1"})) << ahead;
    }
}

INSTANTIATE_TEST_SUITE_P(Writers, LogClocks, ::testing::Values(of_nccl, of_kubernetes, of_logging));

TEST(LogClock, OneCommunicatorMeasuresWhatItsSetUpCannotExplain) {
    for (const double ahead : {3.2, 0.2}) {
        SkewedLog log({0, ahead}, of_kubernetes);
        log.communicator(0, 0, 0.3);
        const auto found = log.diagnosed();
        ASSERT_EQ(found.clocks.all().size(), 1U);
        EXPECT_EQ(found.clocks.all()[0].corrected, ahead > 1);
        EXPECT_NEAR(found.clocks.all()[0].ahead_s, ahead, found.clocks.all()[0].uncertainty_s);
        EXPECT_LE(found.clocks.all()[0].uncertainty_s, 1);
    }
}

TEST(LogClock, StepOfAClockIsNotCorrected) {
    // The second communicator ends on node2 before it begins on node1: one difference does not fit both.
    SkewedLog before({0, 100}, of_kubernetes);
    before.communicator(0, 0, 0.5);
    SkewedLog after({0, -100}, of_kubernetes);
    after.communicator(1, 300, 0.5);
    const auto found = diagnose_text(rules(), before.text() + after.text(), "train.log");
    ASSERT_EQ(found.clocks.all().size(), 1U);
    EXPECT_FALSE(found.clocks.all()[0].corrected);
}

TEST(LogClock, LinesWithoutTimesStayAsTheyAre) {
    SkewedLog log({0, 50}, [](double) { return std::string(); });
    log.communicator(0, 0, 0.5);
    log.print(1, 60, "[rank2]: IndexError: list index out of range");
    const auto found = log.diagnosed();
    EXPECT_TRUE(found.clocks.all().empty());
    ASSERT_FALSE(found.verdicts.empty());
    EXPECT_EQ(found.verdicts.front().rank, 2);
}

TEST(LogClock, OneHostKeepsItsClock) {
    SkewedLog log({50}, of_logging, 4);
    log.communicator(0, 0, 0.5);
    EXPECT_TRUE(log.diagnosed().clocks.all().empty());
}

TEST(LogClock, TimeOutsOfTheSameCollectiveShowALargeDifference) {
    for (const double ahead : {3600.0, 4.0}) {
        SkewedLog log({0, ahead}, of_logging, 1);
        for (int rank = 0; rank < 2; ++rank) {
            const auto r = std::to_string(rank);
            log.print(
                rank, 700 + 0.2 * rank,
                "[rank" + r + "]:[E ProcessGroupNCCL.cpp:616] [PG ID 0 PG GUID 0(default_pg) Rank " + r +
                    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=96, OpType=ALLREDUCE, "
                    "NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600096 milliseconds before timing "
                    "out.");
        }
        const auto found = log.diagnosed();
        ASSERT_EQ(found.clocks.all().size(), 1U);
        EXPECT_EQ(found.clocks.all()[0].other_moments, 1U);
        EXPECT_EQ(found.clocks.all()[0].corrected, ahead > 100);
    }
}

TEST(LogClock, RendezvousOfLaunchersShowsTheDifference) {
    SkewedLog log({0, 0, -25}, of_logging, 1);
    for (int node = 0; node < 3; ++node) {
        log.print(
            node, 10 + 0.3 * node,
            "torch.distributed.elastic.agent.server.api: [INFO] [default] Rendezvous complete for workers. "
            "Result:");
    }
    const auto found = log.diagnosed();
    const auto* clock = clock_of(found, "node3");
    ASSERT_NE(clock, nullptr);
    EXPECT_TRUE(clock->corrected);
    EXPECT_NEAR(clock->ahead_s, -25, clock->uncertainty_s);
}

}  // namespace
}  // namespace rankscope::logs
