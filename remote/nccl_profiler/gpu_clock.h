// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/shared_words.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace rankscope::nccl {

inline constexpr unsigned kChannels = 64;

/// Which of the GPU's times of one communicator can be true. The kernel leaves them in a ring of 64 places for each
/// channel; a host that is late reads those of a later operation, and a place may be half written. Also how far that
/// clock is from the host's. Called by the thread that watches the communicator's kernels.
class GpuClock {
public:
    void reset() {
        for (unsigned i = 0; i < kChannels; ++i) {
            store(last_start_[i], std::uint64_t{0});
            store(last_stop_[i], std::uint64_t{0});
        }
        store(base_host_, std::uint64_t{0});
        store(window_start_, std::uint64_t{0});
        store(in_row_, 0U);
    }

    bool plausible_start(unsigned channel, std::uint64_t timer, std::uint64_t now) {
        return plausible(last_start_[channel], timer, now);
    }
    bool plausible_stop(unsigned channel, std::uint64_t timer, std::uint64_t start, std::uint64_t now) {
        return timer >= start && plausible(last_stop_[channel], timer, now);
    }

    /// Host minus GPU, at most: a callback comes after what it reports. The least of the last 10 to 20 s.
    std::int64_t offset_with(std::uint64_t timer, std::uint64_t now) {
        const auto offset = static_cast<std::int64_t>(now - timer);
        if (load(window_start_) == 0 || now - load(window_start_) > kWindow) {
            const bool recent = load(window_start_) != 0 && now - load(window_start_) < 2 * kWindow;
            store(before_, recent ? load(least_) : std::numeric_limits<std::int64_t>::max());
            store(least_, offset);
            store(window_start_, now);
        }
        lower_to(least_, offset);
        return std::min(load(least_), load(before_));
    }

private:
    static constexpr std::uint64_t kSecond = 1'000'000'000;
    static constexpr std::uint64_t kWindow = 10 * kSecond;
    static constexpr unsigned kBelieveAfter = 16;

    /// Times of a channel never decrease, and do not run ahead of the host. When many in a row seem wrong, the one
    /// before them was.
    bool plausible(std::uint64_t& last, std::uint64_t timer, std::uint64_t now) {
        const std::uint64_t host = load(base_host_);
        const std::uint64_t elapsed = now - host;
        const bool ahead = host != 0 && timer > load(base_timer_) &&
                           timer - load(base_timer_) > elapsed + elapsed / 100 + 10 * kSecond;
        if (timer == 0 || timer < load(last) || ahead) {
            if (timer == 0 || add(in_row_, 1U) + 1 < kBelieveAfter) {
                return false;
            }
            reset();
        }
        if (load(base_host_) == 0) {
            store(base_timer_, timer);
            store(base_host_, now);
        }
        store(in_row_, 0U);
        store(last, timer);
        return true;
    }

    std::array<std::uint64_t, kChannels> last_start_{};
    std::array<std::uint64_t, kChannels> last_stop_{};
    std::uint64_t base_host_ = 0;
    std::uint64_t base_timer_ = 0;
    std::uint64_t window_start_ = 0;
    std::int64_t least_ = 0;
    std::int64_t before_ = 0;
    unsigned in_row_ = 0;
};

}  // namespace rankscope::nccl
