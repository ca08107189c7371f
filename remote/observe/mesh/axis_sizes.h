// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/mesh/group_roles.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kMostAxes = 6;

/// The ranks of a group of this axis.
struct AxisSize {
    std::string name = {};  ///< "pp", "dp", "dp_shard", "tp"
    int size = 1;

    bool operator==(const AxisSize&) const = default;
};

/// The groups of a mesh whose outermost axis is the first: rank 1 is the neighbour of rank 0 on the last one. Axes of one rank
/// have none.
std::vector<ObservedGroup> groups_of(const std::vector<AxisSize>& axes);
/// The product of the sizes; nothing: a size below 1, or more than an int.
std::optional<int> rank_count(const std::vector<AxisSize>& axes);

/// The whole mesh that these sizes, in any order, leave for so many ranks: what is left is data-parallel ("dp"; next to
/// "dp_replicate" it is "dp_shard"). Its order is the one that the observed groups fit; without any of them, that of Megatron-LM, DeepSpeed,
/// torchtitan and nanotron: pp, dp, cp, tp. Nothing: the sizes do not divide the ranks, or no order fits. `known_order`: the words are those of these
/// libraries; else stages next to copies stay unnamed, as others (Colossal-AI) have them the other way round.
std::optional<std::vector<AxisSize>> complete_mesh(std::vector<AxisSize> sizes, int world_size,
                                                   const std::vector<ObservedGroup>& observed,
                                                   bool known_order);

}  // namespace rankscope
