// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/clock.h>

#include <poll.h>

namespace rankscope::test {

/// Generous: only a test that fails waits so long. Sanitizers on a busy machine are slow.
inline constexpr double kPatience = 60;

/// Looks again every few milliseconds until the condition holds; false after `seconds`.
template <typename Condition>
bool wait_until(Condition condition, double seconds = kPatience) {
    const double deadline = monotonic_s() + seconds;
    while (!condition()) {
        if (monotonic_s() > deadline) {
            return false;
        }
        ::poll(nullptr, 0, 5);
    }
    return true;
}

}  // namespace rankscope::test
