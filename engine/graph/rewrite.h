// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

namespace rankscope::engine {

/// relu → max_pool becomes one max_pool that clamps its result: max(relu(x)) = relu(max(x)), and so is the
/// gradient, because the first largest element is the same wherever the maximum is positive, and elsewhere
/// both are zero. A quarter of the data is touched for a 2×2 window.
Graph fuse_relu_into_max_pool(Graph graph);

}  // namespace rankscope::engine
