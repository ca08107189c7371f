// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <chrono>

namespace rankscope::engine {

/// Time as far as this process was able to watch it: what passes between two ticks counts only up to a limit.
/// A process that was stopped itself (SIGSTOP, a paused virtual machine) must not take its own pause for the
/// silence of others.
class AwakeClock {
public:
    using Duration = std::chrono::steady_clock::duration;

    /// `most`: somewhat more than the longest time between two ticks.
    explicit AwakeClock(Duration most) : most_(most), last_(std::chrono::steady_clock::now()) {}

    Duration tick() {
        const auto now = std::chrono::steady_clock::now();
        awake_ += std::min(now - last_, most_);
        last_ = now;
        return awake_;
    }
    Duration now() const { return awake_; }

private:
    Duration most_;
    Duration awake_{0};
    std::chrono::steady_clock::time_point last_;
};

}  // namespace rankscope::engine
