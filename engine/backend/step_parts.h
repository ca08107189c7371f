// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/tensor/batch.h>

/// What the training steps of all backends have in common.
namespace rankscope::engine {

/// Copies the labels of a batch from sample `first` on into the executable, or for a mean squared error the one-hot
/// targets, and the samples' keys.
void load_labels(const Batch& batch, std::int64_t first, Executable& executable);

/// Throws NotFiniteError that names the first layer whose result is not finite; null: it names none.
[[noreturn]] void fail_not_finite(Executable* executable, double loss);

/// Throws NotFiniteError for a gradient norm that is not finite although the loss is.
void check_gradient_norm(double norm);
/// The same where no norm is computed: what CompiledModel::optimizer_step() returned. The gradients are the average over
/// the ranks, so every rank throws in the same step.
void check_gradients(bool finite);

}  // namespace rankscope::engine
