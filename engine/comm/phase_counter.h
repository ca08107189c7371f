// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace rankscope::engine {

/// How far one rank has come, in memory that the ranks of a host share: it counts up, the others wait for it.
/// Wraps around; no rank is ever more than a few steps ahead.
class PhaseCounter {
public:
    /// To be called by its owner only.
    void advance(std::uint32_t to);
    bool reached(std::uint32_t phase) const {
        return static_cast<std::int32_t>(value_.load(std::memory_order_acquire) - phase) >= 0;
    }

private:
    friend class Patience;
    std::atomic<std::uint32_t> value_{0};
    std::atomic<std::uint32_t> sleepers_{0};
    std::atomic<int> core_{-1};  ///< on which its owner ran when it last advanced
};

/// Waits for the counters of others: it looks again and again for a few microseconds, then sleeps in the
/// kernel (futex(2)). How long it looks follows from what waiting lately came to, so that a rank whose peers
/// are long busy, or whose core they need, costs nothing. For one thread at a time.
class Patience {
public:
    /// `may_spin` false: there are fewer cores than ranks, so looking only keeps others from working.
    explicit Patience(bool may_spin);
    /// Returns when the counter has reached `phase`. `check` is called now and then while it sleeps (about
    /// every 50 ms) and may throw to end the wait.
    void wait(PhaseCounter& counter, std::uint32_t phase, const std::function<void()>& check);

private:
    std::chrono::nanoseconds longest_;
    std::chrono::nanoseconds spin_;
};

}  // namespace rankscope::engine
