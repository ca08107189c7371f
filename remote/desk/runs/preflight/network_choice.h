// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::inline runs {

/// Another network than the planned one: an address for each view.
struct NetworkChoice {
    std::vector<std::string> addresses;
    std::vector<std::string> interfaces;
};

/// Whether every attempt at the planned addresses succeeded.
bool planned_network_works(const std::vector<PathResult>& paths);

/// Where the planned addresses do not work: a network of which every node has an address and in which every attempt
/// succeeded. Bridges that several nodes have with one address do not count. Nothing: there is none.
std::optional<NetworkChoice> choose_other_network(const std::vector<NodeView>& views,
                                                  const std::vector<PathResult>& paths, std::size_t master);

/// The warning that the run uses this one instead of the planned one.
Check other_network_check(const std::vector<NodeView>& views, const std::vector<PathResult>& paths,
                          const NetworkChoice& choice, std::size_t master);

}  // namespace rankscope::inline runs
