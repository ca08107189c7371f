// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::engine {

/// The collectives and messages, by the names that every framework uses, and a whole training step that a GPU runs as one
/// piece.
enum class CollectiveKind : std::uint8_t {
    all_reduce,
    broadcast,
    all_gather,
    barrier,
    step,
    reduce_scatter,
    send,
    receive
};

inline constexpr std::size_t kCollectiveKinds = 8;
/// The two ends of a message are one operation.
inline bool same_operation(CollectiveKind a, CollectiveKind b) {
    const auto message = [](CollectiveKind kind) {
        return kind == CollectiveKind::send || kind == CollectiveKind::receive;
    };
    return a == b || (message(a) && message(b));
}

const char* name_of(CollectiveKind operation);
/// "1.2 MB", "660 B": decimal, as network speeds are.
std::string bytes_text(std::size_t bytes);
/// "all_reduce #217 (1.2 MB)".
std::string describe(CollectiveKind operation, std::uint64_t sequence, std::size_t bytes);
/// "2, 5–7": ranks as people write them, ascending; the first dozen ranges.
std::string rank_list(const std::vector<int>& ranks);

}  // namespace rankscope::engine
