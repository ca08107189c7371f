// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope {

/// What a rank of the native engine keeps in the memory that it computes in, as metrics in MiB.
inline constexpr const char* kWeightsMemory = "mem_weights_mb";
inline constexpr const char* kGradientsMemory = "mem_gradients_mb";
inline constexpr const char* kOptimizerMemory = "mem_optimizer_mb";
inline constexpr const char* kActivationsMemory = "mem_activations_mb";

}  // namespace rankscope
