// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstddef>
#include <vector>

namespace rankscope::engine {

/// The nodes behind which a single value leads on, their own: where a network can be cut. Not concatenations, of which
/// backends put several into one memory, and not what is only another shape.
std::vector<std::size_t> cuts(const Graph& graph);

}  // namespace rankscope::engine
