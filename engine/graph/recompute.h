// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/schedule.h>

namespace rankscope::engine {

/// Activation checkpointing (Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016): the network is cut into
/// blocks where a single value leads from one to the next. Only these values are kept for the backward pass, which begins
/// each block with its forward pass again (Phase::recompute), without unread values. Results are the same to the last
/// bit: the forward pass is deterministic, dropout counts its random numbers, and norms update their statistics once.
///
/// Chooses the blocks for which activation_bytes() is least; the schedule of differentiate() where none of them saves memory.
/// `graph`: after fuse().
Schedule differentiate_with_recomputation(const Graph& graph);

}  // namespace rankscope::engine
