// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// The parameters of a graph in canonical order and layout, one vector each.
using CanonicalParameters = std::vector<std::vector<float>>;

/// PyTorch's default initialisation of Conv2d and Linear after torch.manual_seed(seed), bit for bit:
/// weight U(−√3·√(1/3)/√fan_in, …), bias U(−1/√fan_in, …), drawn in order of registration; then, for
/// torchvision's ResNets, the normal draws of every convolution. Batch norms begin with ones and zeros.
CanonicalParameters default_initialisation(const Graph& graph, std::uint64_t seed);

}  // namespace rankscope::engine
