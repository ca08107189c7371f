// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The operations that the agents choose are the same on all ranks, so that the waits that the statistics show are the true
// ones.

#include "support/temporary_folder.h"

#include <base/nccl_plugin_variables.h>
#include <base/nccl_ring/codes.h>
#include <base/nccl_ring/reader.h>
#include <remote/agent/nccl/nccl_summary.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/wire/nccl_sample.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// AllReduces of eight ranks: what each makes of its records goes to the statistics, as in a run.
class SampledWaits : public ::testing::Test {
protected:
    static constexpr int kRanks = 8;
    static constexpr double kTransferS = 0.001;

    SampledWaits() {
        const std::string command = std::string(kNcclFolderVariable) + "='" + folder_.path().string() + "' " +
                                    kNcclPluginVariable + "='" RANKSCOPE_NCCL_PLUGIN "' " +
                                    kNcclLevelVariable + "=2 '" RANKSCOPE_NCCL_RANK "' steps=1 every_ms=0";
        EXPECT_EQ(std::system(command.c_str()), 0);
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            auto reader = nccl_ring::Reader::open(entry.path());
            reader_ = reader ? std::move(reader) : std::move(reader_);
        }
    }

    /// Of a rank in an operation: it waits for the one that enters last, rank 5 every second time.
    static double wait_s(int rank, std::uint64_t sequence) {
        const std::uint64_t noise = nccl_sample_order(7, "wait", sequence);
        const int last = noise % 2 == 0 ? 5 : static_cast<int>(noise / 2 % kRanks);
        const auto own = nccl_sample_order(static_cast<std::uint64_t>(rank), "own", sequence) % 500;
        return rank == last ? 0 : 1e-6 * static_cast<double>(200 + noise / 16 % 2000 + own);
    }

    CollectiveReport run(int windows, std::uint64_t each) {
        for (int window = 0; window <= windows; ++window) {
            for (int rank = 0; rank < kRanks; ++rank) {
                // The events of two ranks are not of the same moment.
                const std::uint64_t shift = static_cast<std::uint64_t>(rank) * each / kRanks;
                const std::uint64_t from =
                    window == 0 ? 0 : static_cast<std::uint64_t>(window - 1) * each + shift;
                const std::uint64_t until = window == windows
                                                ? static_cast<std::uint64_t>(windows) * each
                                                : static_cast<std::uint64_t>(window) * each + shift;
                for (std::uint64_t sequence = from; sequence < until; ++sequence) {
                    add(rank, sequence);
                }
                NcclEvent event = summaries_[static_cast<std::size_t>(rank)].take(1, 0, {});
                EXPECT_LE(event.operations.size(), kMostNcclOperations);
                event.communicators = {{{1}, "world", rank, kRanks, false}};
                stats_.take(rank, window, event);
            }
        }
        return stats_.report();
    }

    void add(int rank, std::uint64_t sequence) {
        const double took = kTransferS + wait_s(rank, sequence);
        inside_s_ += took;
        waited_s_ += took - kTransferS;
        waited_of_[rank] += took - kTransferS;
        add(rank, sequence, took);
    }

    void add(int rank, std::uint64_t sequence, double took) {
        nccl_ring::Record record{};
        record.kind = nccl_ring::RecordKind::finished;
        record.operation_kind = nccl_ring::OperationKind::collective;
        record.communicator = 1;
        record.sequence = sequence;
        record.function = nccl_ring::code_of(nccl_ring::kFunctions, "AllReduce");
        record.datatype = nccl_ring::code_of(nccl_ring::kDatatypes, "ncclFloat32");
        record.count = 1U << 18U;
        record.start_ns = 1'000'000'000 + sequence * 5'000'000;
        record.gpu_start_ns = 1'000'000'000;
        record.gpu_stop_ns = record.gpu_start_ns + static_cast<std::uint64_t>(took * 1e9);
        summaries_[static_cast<std::size_t>(rank)].add(record, *reader_);
    }

    TemporaryFolder folder_;
    std::optional<nccl_ring::Reader> reader_;
    std::array<agent::NcclSummary, kRanks> summaries_;
    CollectiveStats stats_;
    double inside_s_ = 0;
    double waited_s_ = 0;
    std::map<int, double> waited_of_;
};

TEST_F(SampledWaits, AnOperationWithoutATimeIsNoFastOne) {
    ASSERT_TRUE(reader_);
    add(0, 0, 0);
    add(0, 1, 0.004);
    add(0, 2, 0);
    add(0, 3, 0.002);
    const NcclEvent event = summaries_[0].take(1, 0, {});
    ASSERT_EQ(event.totals.size(), 1U);
    EXPECT_EQ(event.totals[0].operations, 4U);
    EXPECT_EQ(event.totals[0].untimed, 2U);
    EXPECT_NEAR(event.totals[0].seconds, 0.006, 1e-9);
    EXPECT_NEAR(event.totals[0].shortest_s, 0.002, 1e-9);
    EXPECT_NEAR(event.totals[0].longest_s, 0.004, 1e-9);
}

TEST_F(SampledWaits, AreTheTrueOnesWhereEventsHoldAllOperations) {
    ASSERT_TRUE(reader_);
    const CollectiveReport report = run(20, 15);
    ASSERT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.rows[0].matched, 20U * 15U) << "all";
    EXPECT_NEAR(report.rows[0].wait_share, waited_s_ / inside_s_, 1e-5);
    EXPECT_NEAR(report.rows[0].transfer_s, kTransferS, 1e-7);
    for (const ReportRank& rank : report.ranks) {
        EXPECT_NEAR(rank.waited_s, waited_of_[rank.rank], 1e-5) << rank.rank;
    }
}

TEST_F(SampledWaits, AreTheTrueOnesWhereEventsHoldOneInTwenty) {
    ASSERT_TRUE(reader_);
    const CollectiveReport report = run(100, 300);
    ASSERT_EQ(report.rows.size(), 1U);
    const CollectiveRow& row = report.rows[0];
    EXPECT_GE(row.matched, 100U * 15U / 2) << "of those in the events";
    EXPECT_NEAR(row.wait_share, waited_s_ / inside_s_, 0.02 * waited_s_ / inside_s_);
    EXPECT_NEAR(row.transfer_s, kTransferS, 1e-7);
    EXPECT_EQ(row.last_rank, 5);
    EXPECT_NEAR(row.last_share, 0.5 + 0.5 / kRanks, 0.05);
    for (const ReportRank& rank : report.ranks) {
        EXPECT_NEAR(rank.waited_s, waited_of_[rank.rank], 0.05 * waited_of_[rank.rank]) << rank.rank;
    }
}

}  // namespace
}  // namespace rankscope
