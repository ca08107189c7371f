// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// Whether memory ran out on a node of a run: what the kernel counted there, and how full it was. A process that was
/// killed shows neither: a user may have done it.
class MemoryFacts {
public:
    void observe(const Event& event);
    /// What shows it, one sentence; nothing: nothing does. An empty node: on any.
    std::optional<std::string> ran_out(const std::string& node, std::int64_t t_us) const;
    /// What the logs alone take for lack of memory: with a fact it is sure, without one somebody killed a process.
    void weigh(std::vector<Verdict>& from_logs) const;

private:
    std::optional<std::string> shown_on(const std::string& node, std::int64_t t_us) const;

    std::map<std::string, std::string> counted_;  ///< by node: ExitEvent::oom
    std::map<std::string, std::deque<std::pair<std::int64_t, double>>>
        used_;  ///< by node: time, share; the last
    std::int64_t last_exit_us_ = 0;
};

}  // namespace rankscope::inline runs
