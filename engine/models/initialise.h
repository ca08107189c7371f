// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rankscope::engine {

/// The parameters of a graph in canonical order and layout, one vector each.
using CanonicalParameters = IndexedVector<ParameterId, std::vector<float>>;

/// Takes a parameter's first values, in canonical layout; they are gone afterwards.
using SetParameter = std::function<void(ParameterId id, std::span<const float> values)>;

/// PyTorch's default initialisation of Conv2d and Linear after torch.manual_seed(seed), bit for bit:
/// weight U(−√3·√(1/3)/√fan_in, …), bias U(−1/√fan_in, …), drawn in order of registration; then, for
/// torchvision's ResNets, the normal draws of every convolution. Batch norms begin with ones and zeros. Every
/// parameter is set once, in the order in which the numbers are drawn.
void initialise(const Graph& graph, std::uint64_t seed, const SetParameter& set);
/// The same, all at once.
CanonicalParameters default_initialisation(const Graph& graph, std::uint64_t seed);

}  // namespace rankscope::engine
