// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/backoff.h>

#include <gtest/gtest.h>

#include <vector>

namespace rankscope {
namespace {

TEST(Backoff, BeginsAtOnceAndGetsPatient) {
    Backoff backoff;
    std::vector<double> waits;
    for (int i = 0; i < 8; ++i) {
        waits.push_back(backoff.next());
    }
    EXPECT_EQ(waits, (std::vector<double>{0.1, 1, 2, 4, 8, 16, 30, 30}));
}

TEST(Backoff, ANodeThatWasReachedIsTriedAtOnceAgain) {
    Backoff backoff;
    for (int i = 0; i < 5; ++i) {
        backoff.next();
    }
    backoff.reached(3);
    EXPECT_EQ(backoff.next(), 0.1);
    EXPECT_EQ(backoff.next(), 1);
}

TEST(Backoff, AServerThatThrowsEverybodyOutIsNotAskedWithoutPause) {
    Backoff backoff;
    backoff.reached(0.01);
    EXPECT_EQ(backoff.next(), 1);
    backoff.reached(0.01);
    EXPECT_EQ(backoff.next(), 1);
}

}  // namespace
}  // namespace rankscope
