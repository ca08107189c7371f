// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/graph/schedule.h>

#include <cstdint>

namespace rankscope::engine {

std::int64_t parameter_count(const Graph& graph);

/// Floating-point operations of one sample: those of matrix products and convolutions, two for each multiply-add, as
/// torch.utils.flop_counter counts them. Attention counts all pairs of tokens, causal or not.
struct Flops {
    double forward = 0;
    double training = 0;  ///< forward and backward pass
};
Flops flops_of(const Graph& graph);

/// Of the forward pass of one sample; each of the two parts of a backward pass has as many.
double multiply_adds(const Graph& graph, const Node& node);

/// Bytes that the activations of one sample and their gradients take where they take most, stored as numbers of
/// `element_bytes`, in groups of 8 channels as the GPU's kernels have them; without scratch memory.
double activation_bytes(const Graph& graph, double element_bytes, bool recompute = false);
/// The same of a schedule. `graph`: after fuse().
double activation_bytes(const Graph& graph, const Schedule& schedule, double element_bytes);

}  // namespace rankscope::engine
