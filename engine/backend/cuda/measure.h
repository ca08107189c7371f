// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace rankscope::engine::cuda {

/// Microseconds that a piece of work takes on the GPU when it is part of a recorded graph, as it will be: the
/// best of a few launches of a graph that holds it many times.
double measure_us(cudaStream_t stream, const std::function<void(cudaStream_t)>& work);

}  // namespace rankscope::engine::cuda
