// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/cuda_check.h>

#include <cuda_runtime_api.h>

#if defined(__CUDACC__)
namespace rankscope::engine::cuda {

/// Enqueues a kernel; throws Error when it cannot be launched. Arguments are converted to the kernel's types.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
            Arguments... arguments) {
    kernel<<<blocks, threads, 0, stream>>>(static_cast<Parameters>(arguments)...);
    cuda_check(cudaGetLastError(), "launching a kernel");
}

/// The same with clusters of `cluster` blocks, which lie one below the other; 1: without clusters.
template <typename... Parameters, typename... Arguments>
void launch_clusters(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, int cluster,
                     cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute dimension{};
    dimension.id = cudaLaunchAttributeClusterDimension;
    dimension.val.clusterDim.x = 1;
    dimension.val.clusterDim.y = static_cast<unsigned>(cluster);
    dimension.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = &dimension;
    config.numAttrs = cluster > 1 ? 1 : 0;
    cuda_check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
               "launching a kernel");
}

}  // namespace rankscope::engine::cuda
#endif
