// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/phase_counter.h>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rankscope::engine {
namespace {

using SpinClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Waking a sleeper costs some 10 µs (measured 5–60): looking that long costs no more than sleeping would.
constexpr std::chrono::nanoseconds kLongestSpin = 30us;
constexpr std::chrono::nanoseconds kShortestSpin = 1us;
constexpr std::chrono::nanoseconds kNap = 50ms;

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel waits on the bare word, which several processes share");

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    const timespec nap{0, kNap.count()};
    // Not the private kind: the waker is another process.
    syscall(SYS_futex, &word, FUTEX_WAIT, value, &nap, nullptr, 0);
}

}  // namespace

void PhaseCounter::advance(std::uint32_t to) {
    core_.store(sched_getcpu(), std::memory_order_relaxed);
    // Sequentially consistent on both sides: either we see the sleeper, or it reads the new value.
    value_.store(to, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0 &&
        sleepers_.exchange(0, std::memory_order_seq_cst) != 0) {
        syscall(SYS_futex, &value_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
}

Patience::Patience(bool may_spin) : longest_(may_spin ? kLongestSpin : 0ns), spin_(longest_) {}

void Patience::wait(PhaseCounter& counter, std::uint32_t phase, const std::function<void()>& check) {
    if (counter.reached(phase)) {
        return;
    }
    const SpinClock::time_point begin = SpinClock::now();
    // Two ranks on one core: looking would only keep the other from coming.
    const bool same_core = counter.core_.load(std::memory_order_relaxed) == sched_getcpu();
    while (!same_core && SpinClock::now() - begin < spin_) {
        for (int i = 0; i < 16; ++i) {
            relax();
            if (counter.reached(phase)) {
                spin_ = std::min(longest_, spin_ * 2);
                return;
            }
        }
    }
    for (;;) {
        counter.sleepers_.store(1, std::memory_order_seq_cst);
        const std::uint32_t seen = counter.value_.load(std::memory_order_seq_cst);
        if (counter.reached(phase)) {
            break;
        }
        sleep_while(counter.value_, seen);
        if (counter.reached(phase)) {
            break;
        }
        check();
    }
    if (same_core) {
        return;
    }
    // Looking a little longer would have been enough, or far from it.
    const bool nearly = SpinClock::now() - begin < 2 * kLongestSpin;
    spin_ = std::clamp(nearly ? spin_ * 2 : spin_ / 2, std::min(kShortestSpin, longest_), longest_);
}

}  // namespace rankscope::engine
