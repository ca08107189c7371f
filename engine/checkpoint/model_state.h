// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/checkpoint/snapshot.h>
#include <engine/graph/graph.h>

#include <span>

namespace rankscope::engine {

/// Copies parameters, statistics (PyTorch's buffers) and whatever the optimizer remembers into the snapshot,
/// canonical; its memory is used again where it has the same tensors already. The position is the caller's.
void collect(CompiledModel& model, const Graph& graph, Snapshot& into);

/// Gives the model these parameters and statistics. Names and shapes must be the model's own, floats of any
/// width are taken. Throws Error naming the first tensor that is missing, too many, or of another shape, and
/// what that means. Nothing is changed then.
void restore_model(std::span<const TensorRecord> tensors, CompiledModel& model, const Graph& graph);

/// Gives the optimizer its memory. The same errors; the tensors of an optimizer of another kind
/// (momentum_buffer and exp_avg) are one, too, when the next step is made by it: that is the caller's to see.
void restore_optimizer(std::span<const TensorRecord> tensors, CompiledModel& model, const Graph& graph);

}  // namespace rankscope::engine
