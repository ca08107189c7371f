// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

/// Rewrites that change what is computed where, never the result.
namespace rankscope::engine {

/// relu → max_pool becomes one max_pool that clamps its result: max(relu(x)) = relu(max(x)), and so is the
/// gradient, because the first largest element is the same wherever the maximum is positive, and elsewhere
/// both are zero. A quarter of the data is touched for a 2×2 window.
Graph fuse_relu_into_max_pool(Graph graph);

/// batch_norm → add becomes one batch_norm with the other summand as its second input.
Graph fuse_residual(Graph graph);

/// A relu behind a convolution, linear layer, batch norm, addition or max_pool that nothing else reads becomes
/// part of it.
Graph fuse_relu(Graph graph);

/// All of the above in the order in which they serve each other.
Graph fuse(Graph graph);

}  // namespace rankscope::engine
