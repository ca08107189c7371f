// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// Up to so many nodes every pair is tried.
inline constexpr std::size_t kEveryPairOf = 32;

/// The ordered pairs to try among `nodes`: all of up to kEveryPairOf; of more, each node and its neighbours at
/// distances 1, 2, 4, …, both ways, and the master with everyone: every node is tried from and towards several
/// others.
std::vector<std::pair<std::size_t, std::size_t>> pairs_to_try(std::size_t nodes, std::size_t master);

}  // namespace rankscope::inline runs
