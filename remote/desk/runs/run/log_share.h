// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// How much of the ranks' output the desk keeps. Up to the limit everything passes; beyond it each rank keeps
/// a few lines per second, and what is left out is counted in LogEvent::dropped_bytes of the rank's next text.
/// Everything that is not a log passes always.
class LogShare {
public:
    static constexpr std::uint64_t kDefaultLimit = 256U << 20U;

    explicit LogShare(std::uint64_t limit_bytes) : limit_(limit_bytes) {}

    /// false: leave this event out.
    bool admit(Event& event);
    /// What was left out since the last text of each rank, as events without text.
    std::vector<Event> rest();

private:
    struct Rank {
        std::int64_t since_us = 0;  ///< of the second that is counted
        std::uint64_t bytes = 0;    ///< in it
        std::uint64_t dropped = 0;
        bool is_stderr = false;
    };

    std::uint64_t limit_;
    std::uint64_t used_ = 0;
    std::map<std::pair<std::string, int>, Rank> ranks_;
};

}  // namespace rankscope::inline runs
