// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/event_intake.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

wire::EventBatch batch_of(const std::vector<std::uint64_t>& seqs) {
    wire::EventBatch batch;
    for (const auto seq : seqs) {
        auto* event = batch.add_events();
        event->set_seq(seq);
        event->set_t_us(10'000'000);
        event->mutable_exit()->set_failed_us(9'000'000);
    }
    return batch;
}

TEST(EventIntake, TimesAreTheDesksAndWhatCameBeforeIsLeftOut) {
    std::uint64_t next = 3;
    std::vector<std::string> missing;
    const auto events = take_in(batch_of({1, 2, 3, 4}), "node1", 2.0, next, missing);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].seq, 3U);
    EXPECT_EQ(events[0].node, "node1");
    EXPECT_EQ(events[0].t_us, 8'000'000) << "the node's clock is two seconds ahead";
    EXPECT_EQ(events[0].as<ExitEvent>()->failed_us, 7'000'000);
    EXPECT_EQ(next, 5U);
    EXPECT_TRUE(missing.empty());
}

TEST(EventIntake, WhatIsMissingIsSaid) {
    std::uint64_t next = 1;
    std::vector<std::string> missing;
    EXPECT_EQ(take_in(batch_of({1, 4, 5, 9}), "node1", 0, next, missing).size(), 4U);
    EXPECT_EQ(next, 10U);
    ASSERT_EQ(missing.size(), 2U);
    EXPECT_NE(missing[0].find("events 2 to 3 are missing"), std::string::npos) << missing[0];
    EXPECT_NE(missing[1].find("events 6 to 8 are missing"), std::string::npos) << missing[1];
    EXPECT_TRUE(take_in(batch_of({9}), "node1", 0, next, missing).empty());
}

}  // namespace
}  // namespace rankscope
