// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/resume_guard.h>
#include <engine/comm/cpu_process_group.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/error.h>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

/// Runs `body` for every rank of a world, one thread each, over loopback.
void in_world(int world, const std::function<void(ProcessGroup&)>& body) {
    TcpStoreServer server({.port = 0,
                           .loopback_only = true,
                           .token = "right-token",
                           .world_size = world,
                           .hello_timeout = 2000ms});
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < world; ++rank) {
        ranks.emplace_back([&, rank] {
            TcpStore store({.host = "127.0.0.1",
                            .port = server.port(),
                            .token = "right-token",
                            .rank = rank,
                            .world_size = world,
                            .timeout = 10000ms});
            const auto group = make_cpu_process_group(
                {.rank = rank, .world_size = world, .address = "127.0.0.1", .connect_timeout = 20s}, store);
            body(*group);
            group->barrier();
            store.bye();
        });
    }
}

Snapshot snapshot_at(std::int64_t step, float value, std::int64_t size = 1000) {
    std::vector<float> values(static_cast<std::size_t>(size), value);
    values[0] = std::numeric_limits<float>::signaling_NaN();  // bytes, not numbers, must arrive
    Snapshot snapshot;
    snapshot.model = {float_tensor("w", {size}, values), int64_scalar("n", step)};
    snapshot.optimizer = {float_tensor(optimizer_tensor_name("w", "momentum_buffer"), {size}, values)};
    snapshot.position = {.step = step, .batch_size = 10, .seed = 7};
    return snapshot;
}

std::vector<Resumed> agree(const std::vector<std::optional<Snapshot>>& found) {
    std::vector<Resumed> results(found.size());
    in_world(static_cast<int>(found.size()), [&](ProcessGroup& group) {
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

TEST(ResumeGuard, TheSameEverywhereIsNotSent) {
    const Snapshot snapshot = snapshot_at(5, 1.5F);
    const auto results = agree({snapshot, snapshot, snapshot});
    expect_all(results, snapshot, 0);
    EXPECT_EQ(results[0].note, "");
}

TEST(ResumeGuard, NoneAnywhereIsAFreshStart) {
    for (const Resumed& result : agree({std::nullopt, std::nullopt})) {
        EXPECT_FALSE(result.snapshot.has_value());
        EXPECT_EQ(result.note, "");
    }
}

TEST(ResumeGuard, OnlyRankZeroHasIt) {
    const Snapshot snapshot = snapshot_at(12, 2.5F);
    const auto results = agree({snapshot, std::nullopt, std::nullopt});
    expect_all(results, snapshot, 0);
    EXPECT_NE(results[2].note.find("step 12 of rank 0 (ranks 1–2 had none)"), std::string::npos)
        << results[2].note;
}

TEST(ResumeGuard, TheNewestWinsWhereverItLies) {
    const Snapshot newest = snapshot_at(30, 3.0F, 5'000'000);  // several pieces of the broadcast
    const auto results = agree({snapshot_at(20, 1.0F), std::nullopt, newest, snapshot_at(20, 1.0F)});
    expect_all(results, newest, 2);
    EXPECT_NE(results[0].note.find("step 30 of rank 2"), std::string::npos) << results[0].note;
    EXPECT_NE(results[0].note.find("ranks 0, 3 had step 20"), std::string::npos) << results[0].note;
    EXPECT_NE(results[0].note.find("rank 1 had none"), std::string::npos) << results[0].note;
}

TEST(ResumeGuard, OneStepWithTwoContentsIsFound) {
    Snapshot mine = snapshot_at(8, 1.0F);
    Snapshot other = mine;
    other.optimizer[0].bytes.back() ^= std::byte{1};
    const auto results = agree({mine, other});
    expect_all(results, mine, 0);
    EXPECT_NE(results[1].note.find("rank 1 had another one of the same step"), std::string::npos)
        << results[1].note;
}

TEST(ResumeGuard, AWorldOfOneAgreesWithItself) {
    const Resumed resumed = agree_on_snapshot(nullptr, snapshot_at(3, 1.0F));
    EXPECT_EQ(resumed.snapshot->position.step, 3);
    EXPECT_EQ(resumed.source, 0);
    EXPECT_EQ(agree_on_snapshot(nullptr, std::nullopt).source, -1);
}

}  // namespace
}  // namespace rankscope::engine::test
