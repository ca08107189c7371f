// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/pairs_to_try.h>

#include <set>

namespace rankscope::inline runs {

std::vector<std::pair<std::size_t, std::size_t>> pairs_to_try(std::size_t nodes, std::size_t master) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    const auto both_ways = [&](std::size_t a, std::size_t b) {
        if (a != b) {
            pairs.insert({a, b});
            pairs.insert({b, a});
        }
    };
    for (std::size_t i = 0; i < nodes; ++i) {
        both_ways(i, master);
        if (nodes <= kEveryPairOf) {
            for (std::size_t j = i + 1; j < nodes; ++j) {
                both_ways(i, j);
            }
        } else {
            for (std::size_t distance = 1; distance <= nodes / 2; distance *= 2) {
                both_ways(i, (i + distance) % nodes);
            }
        }
    }
    return {pairs.begin(), pairs.end()};
}

}  // namespace rankscope::inline runs
