// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace rankscope::testing {

/// How many times longer than alone on a usual core (2.5 GHz, 2020) a test takes on this machine as busy as it is at the
/// first call: 1 to 30. Limits of waits are multiplied by it, so that a test fails by time only when something hangs.
inline int machine_slowness() {
    static const int factor = [] {
        constexpr std::uint64_t kRounds = 8'000'000;
        constexpr double kAloneMs = 20.0;
        const auto begin = std::chrono::steady_clock::now();
        volatile std::uint64_t kept = 1;
        std::uint64_t state = kept;
        for (std::uint64_t i = 0; i < kRounds; ++i) {
            state =
                state * 6364136223846793005U + 1442695040888963407U;  // a chain: nothing of it runs at once
        }
        kept = state;
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        return std::clamp(static_cast<int>(std::ceil(took.count() / kAloneMs)), 1, 30);
    }();
    return factor;
}

}  // namespace rankscope::testing
