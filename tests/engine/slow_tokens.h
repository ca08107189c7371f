// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <tests/engine/slow_network.h>

/// The slow twin of the operations on sequences: one sample, channels first as in the graph's shapes.
namespace rankscope::engine::test {

/// False: the operation is none of these. `key`: of the sample.
bool token_forward(const Graph& graph, const Node& node,
                   const IndexedVector<ParameterId, Doubles>& parameters, std::uint64_t key,
                   const Doubles& in, Doubles& out);
/// Adds to the gradients of the input and the parameters.
bool token_backward(const Graph& graph, const Node& node,
                    const IndexedVector<ParameterId, Doubles>& parameters, std::uint64_t key,
                    const Doubles& in, const Doubles& up, Doubles& down,
                    IndexedVector<ParameterId, Doubles>& gradients);

}  // namespace rankscope::engine::test
