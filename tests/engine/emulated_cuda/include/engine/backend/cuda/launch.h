// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

// Found before the backend's own launch.h: kernels run on the CPU.

#include <engine/cuda_check.h>

#include <cuda_runtime_api.h>
#include <tests/engine/emulated_cuda/emulated_block.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>

namespace rankscope::engine::cuda {

/// Kernels of a stream run one after the other.
inline void wait_for_inputs() {}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
            Arguments... arguments) {
    emulated::enqueue(stream, [=] {
        emulated::run_grid(blocks, threads, [=] { kernel(static_cast<Parameters>(arguments)...); });
    });
}

/// A cluster is one block.
template <typename... Parameters>
int most_cluster_blocks(void (* /*kernel*/)(Parameters...), dim3 /*threads*/, int most) {
    return most;
}

template <typename... Parameters, typename... Arguments>
void launch_clusters(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, int /*cluster*/,
                     cudaStream_t stream, Arguments... arguments) {
    launch(kernel, blocks, threads, stream, arguments...);
}

}  // namespace rankscope::engine::cuda
