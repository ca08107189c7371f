// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Messages between two ranks of a group.

#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>

#include <chrono>
#include <cstddef>
#include <latch>
#include <numeric>
#include <thread>
#include <vector>

namespace rankscope::engine::test {
namespace {

class MessageWorlds : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, MessageWorlds,
                         ::testing::Values(WorldOptions{.ranks = 2}, WorldOptions{.ranks = 4},
                                           WorldOptions{.ranks = 2, .transport = Transport::gloo},
                                           WorldOptions{.ranks = 4, .transport = Transport::gloo},
                                           WorldOptions{.ranks = 2, .hosts = {"a", "b"}}),
                         [](const auto& one) { return test_name(one.param); });

std::vector<std::byte> message(std::size_t bytes, int sender, int number) {
    std::vector<std::byte> content(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        content[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(sender * 31 + number));
    }
    return content;
}

TEST_P(MessageWorlds, ArriveInOrderAroundARing) {
    in_world(GetParam(), [](ProcessGroup& group) {
        const int next = (group.rank() + 1) % group.size();
        const int before = (group.rank() + group.size() - 1) % group.size();
        int number = 0;
        // Smaller, larger, and of the same size again: the memory they pass through grows once.
        for (const std::size_t bytes : {1UL, 1'000UL, 3'000'000UL, 5UL, 3'000'000UL}) {
            std::vector<std::byte> sent = message(bytes, group.rank(), ++number);
            group.send(sent, next);
            std::fill(sent.begin(), sent.end(), std::byte{0});  // it is the sender's again
            std::vector<std::byte> got(bytes);
            group.receive(got, before);
            ASSERT_EQ(got, message(bytes, before, number)) << bytes;
        }
        group.barrier();  // collectives are as before
    });
}

TEST_P(MessageWorlds, ASenderIsAtMostOneMessageAhead) {
    in_world(GetParam(), [](ProcessGroup& group) {
        constexpr int kMessages = 20;
        if (group.rank() == 0) {
            for (int number = 0; number < kMessages; ++number) {
                group.send(message(5000, 0, number), 1);
            }
        } else if (group.rank() == 1) {
            for (int number = 0; number < kMessages; ++number) {
                std::vector<std::byte> got(5000);
                group.receive(got, 0);
                ASSERT_EQ(got, message(5000, 0, number));
            }
        }
        group.barrier();
        const Traffic traffic = group.traffic();
        EXPECT_EQ(traffic.of(CollectiveKind::send), group.rank() == 0 ? 5000U * kMessages : 0U);
        EXPECT_EQ(traffic.of(CollectiveKind::receive), 0U);
    });
}

TEST_P(MessageWorlds, BothWaysAtOnceDoesNotBlock) {
    in_world(GetParam(), [](ProcessGroup& group) {
        const int other = 1 - group.rank();
        for (int number = 0; number < 10 && group.rank() < 2; ++number) {
            group.send(message(2'000'000, group.rank(), number), other);
            std::vector<std::byte> got(2'000'000);
            group.receive(got, other);
            ASSERT_EQ(got, message(2'000'000, other, number));
        }
        group.barrier();  // no sender leaves before its last message is received
    });
}

TEST_P(MessageWorlds, AnAbortEndsWhatWaits) {
    // A rank that left would end what the others wait for, too.
    std::latch ended(GetParam().ranks);
    in_world(GetParam(), [&](ProcessGroup& group) {
        std::jthread watch([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            group.abort("rank 7 is gone");
        });
        std::vector<std::byte> never(100);
        try {
            group.receive(never, (group.rank() + 1) % group.size());
            ADD_FAILURE() << "there was no message";
        } catch (const PeerLostError& error) {
            EXPECT_NE(std::string(error.what()).find("rank 7 is gone"), std::string::npos) << error.what();
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
        ended.arrive_and_wait();
    });
}

TEST(Messages, OfAnotherSizeAreOutOfStep) {
    in_world({.ranks = 2}, [](ProcessGroup& group) {
        if (group.rank() == 0) {
            group.send(message(8, 0, 0), 1);
            return;
        }
        std::vector<std::byte> got(12);
        try {
            group.receive(got, 0);
            ADD_FAILURE() << "it was taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("rank 0 sent a message of 8 B, rank 1 expects 12 B"),
                      std::string::npos)
                << error.what();
        }
    });
}

}  // namespace
}  // namespace rankscope::engine::test
