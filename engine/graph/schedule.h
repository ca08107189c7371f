// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstddef>
#include <vector>

namespace rankscope::engine {

enum class Phase {
    forward,
    backward_weights,
    backward_data,
    recompute  ///< in the backward pass: forward again, because the result was not kept (recompute.h)
};

/// One operation; `node` says how, `phase` which part of it.
struct ScheduledOp {
    std::size_t node = 0;  ///< index into Graph::nodes
    Phase phase = Phase::forward;
    std::vector<ParameterId> finished{};  ///< parameters whose gradient is complete once this has run
    bool adds =
        false;  ///< backward_weights: a tied weight has part of its gradient already, the rest is added to it
    std::vector<ValueId> inputs{};  ///< backward_data: the inputs whose gradient is wanted
};

/// The order of one training step: [0, backward_begin) is the forward pass, the rest the backward pass.
struct Schedule {
    std::vector<ScheduledOp> ops;
    std::size_t backward_begin = 0;
};

/// Reverse-mode differentiation of the graph. In the backward pass a node's weights come before its data, so
/// that their all-reduce starts as early as possible; data gradients that are not read (those of the input, unless
/// another stage wants them) are left out.
Schedule differentiate(const Graph& graph);

/// The parameters in the order in which their gradients are complete; of one operation the last one first. Backends
/// store them in this order, so that what is reduced together lies together.
std::vector<ParameterId> arrival_order(const Schedule& schedule);

}  // namespace rankscope::engine
