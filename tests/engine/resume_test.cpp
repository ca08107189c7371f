// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/host_broadcast.h>
#include <engine/checkpoint/resume_guard.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

Snapshot snapshot_at(std::int64_t step, float value, std::int64_t size = 1000) {
    std::vector<float> values(static_cast<std::size_t>(size), value);
    values[0] = std::numeric_limits<float>::signaling_NaN();  // bytes, not numbers, must arrive
    Snapshot snapshot;
    snapshot.model = {float_tensor("w", {size}, values), int64_scalar("n", step)};
    snapshot.optimizer = {float_tensor(optimizer_tensor_name("w", "momentum_buffer"), {size}, values)};
    snapshot.position = {.step = step, .batch_size = 10, .seed = 7};
    return snapshot;
}

std::vector<Resumed> agree(const std::vector<std::optional<Snapshot>>& found, Transport transport) {
    std::vector<Resumed> results(found.size());
    in_world({.ranks = static_cast<int>(found.size()), .transport = transport}, [&](ProcessGroup& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        results[rank] = agree_on_snapshot(&group, found[rank]);
    });
    return results;
}

void expect_all(const std::vector<Resumed>& results, const Snapshot& snapshot, int source) {
    for (const Resumed& result : results) {
        ASSERT_TRUE(result.snapshot.has_value());
        EXPECT_EQ(digest_of(*result.snapshot), digest_of(snapshot));
        EXPECT_EQ(result.source, source);
        EXPECT_EQ(result.note, results[0].note);
    }
}

class ResumeGuard : public ::testing::TestWithParam<Transport> {};

TEST_P(ResumeGuard, TheSameEverywhereIsNotSent) {
    const Snapshot snapshot = snapshot_at(5, 1.5F);
    const auto results = agree({snapshot, snapshot, snapshot}, GetParam());
    expect_all(results, snapshot, 0);
    EXPECT_EQ(results[0].note, "");
}

TEST_P(ResumeGuard, NoneAnywhereIsAFreshStart) {
    for (const Resumed& result : agree({std::nullopt, std::nullopt}, GetParam())) {
        EXPECT_FALSE(result.snapshot.has_value());
        EXPECT_EQ(result.note, "");
    }
}

TEST_P(ResumeGuard, OnlyRankZeroHasIt) {
    const Snapshot snapshot = snapshot_at(12, 2.5F);
    const auto results = agree({snapshot, std::nullopt, std::nullopt}, GetParam());
    expect_all(results, snapshot, 0);
    EXPECT_NE(results[2].note.find("step 12 of rank 0 (ranks 1–2 had none)"), std::string::npos)
        << results[2].note;
}

TEST_P(ResumeGuard, TheNewestWinsWhereverItLies) {
    const Snapshot newest = snapshot_at(30, 3.0F, 2'200'000);  // several pieces of the broadcast
    const auto results =
        agree({snapshot_at(20, 1.0F), std::nullopt, newest, snapshot_at(20, 1.0F)}, GetParam());
    expect_all(results, newest, 2);
    EXPECT_NE(results[0].note.find("step 30 of rank 2"), std::string::npos) << results[0].note;
    EXPECT_NE(results[0].note.find("ranks 0, 3 had step 20"), std::string::npos) << results[0].note;
    EXPECT_NE(results[0].note.find("rank 1 had none"), std::string::npos) << results[0].note;
}

TEST_P(ResumeGuard, OneStepWithTwoContentsIsFound) {
    Snapshot mine = snapshot_at(8, 1.0F);
    Snapshot other = mine;
    other.optimizer[0].bytes.back() ^= std::byte{1};
    const auto results = agree({mine, other}, GetParam());
    expect_all(results, mine, 0);
    EXPECT_NE(results[1].note.find("rank 1 had another one of the same step"), std::string::npos)
        << results[1].note;
}

INSTANTIATE_TEST_SUITE_P(Transports, ResumeGuard, ::testing::Values(Transport::automatic, Transport::gloo),
                         [](const auto& test) {
                             return std::string(test.param == Transport::gloo ? "Gloo" : "SharedMemory");
                         });

TEST(HostBroadcast, BothWaysBringRootsBytes) {
    constexpr std::size_t kSize = 3'500'001;  // several pieces, the last one odd
    for (const int root : {0, 2}) {
        for (const bool gather : {false, true}) {
            in_world({.ranks = 3}, [&](ProcessGroup& group) {
                std::vector<std::byte> bytes(kSize, static_cast<std::byte>(group.rank()));
                if (group.rank() == root) {
                    for (std::size_t i = 0; i < kSize; ++i) {
                        bytes[i] = static_cast<std::byte>(i * 31 % 251);
                    }
                }
                (gather ? broadcast_by_gather : broadcast_host)(group, bytes, root);
                for (std::size_t i = 0; i < kSize; ++i) {
                    ASSERT_EQ(bytes[i], static_cast<std::byte>(i * 31 % 251)) << i;
                }
            });
        }
    }
}

TEST(ResumeGuardAlone, AWorldOfOneAgreesWithItself) {
    const Resumed resumed = agree_on_snapshot(nullptr, snapshot_at(3, 1.0F));
    EXPECT_EQ(resumed.snapshot->position.step, 3);
    EXPECT_EQ(resumed.source, 0);
    EXPECT_EQ(agree_on_snapshot(nullptr, std::nullopt).source, -1);
}

}  // namespace
}  // namespace rankscope::engine::test
