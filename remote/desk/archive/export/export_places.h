// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <string>

namespace rankscope::inline archive {

/// "rank0042" of 1,000 ranks: names sort as numbers do.
inline std::string rank_place(int rank, int world_size) {
    const std::string number = std::to_string(rank);
    const std::size_t width = std::to_string(std::max(world_size - 1, 0)).size();
    return "rank" + std::string(width - std::min(width, number.size()), '0') + number;
}

/// As a name in one folder: nothing of it leads elsewhere.
inline std::string node_place(std::string node) {
    std::replace(node.begin(), node.end(), '/', '_');
    return "node-" + node;
}

}  // namespace rankscope::inline archive
