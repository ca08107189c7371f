// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::logs {

/// So many of these ranks may differ from the others: more are a group of their own.
inline std::size_t most_odd_ranks(std::size_t ranks) {
    constexpr std::size_t kFewest = 4;  // of fewer, none is the odd one
    return ranks < kFewest ? 0 : std::max<std::size_t>(1, ranks / 8);
}

/// Who printed a line. Missing: a few did not. Alone: only a few did. Common: neither.
enum class Presence : std::uint8_t { Common, Missing, Alone };

/// `ranks` of `all`, both sorted. The first rank prints much for all: only its warnings make it the odd one.
inline Presence presence_of(const std::vector<int>& ranks, const std::vector<int>& all, bool is_warning) {
    const std::size_t most = most_odd_ranks(all.size());
    if (ranks.empty() || ranks.size() >= all.size()) {
        return Presence::Common;
    }
    if (all.size() - ranks.size() <= most) {
        return Presence::Missing;
    }
    return ranks.size() <= most && (is_warning || ranks.front() != all.front()) ? Presence::Alone
                                                                                : Presence::Common;
}

}  // namespace rankscope::logs
