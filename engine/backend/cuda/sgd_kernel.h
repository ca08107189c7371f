// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/optim/sgd_options.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace rankscope::engine {

/// sgd_update() of engine/optim/sgd.h on the GPU: one pass over device arrays of `count` floats, enqueued on
/// `stream`. `buffer` may be null when momentum is 0. Returns what the launch returned.
cudaError_t cuda_sgd_update(const SgdOptions& options, bool first_step, std::size_t count,
                            const float* gradients, float* parameters, float* buffer, cudaStream_t stream);

}  // namespace rankscope::engine
