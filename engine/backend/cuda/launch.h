// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/cuda_check.h>

#include <cuda_runtime_api.h>

#include <array>

#if defined(__CUDACC__)
namespace rankscope::engine::cuda {

/// Every kernel begins with it. A kernel may start while the one before it in its stream still runs, so that the start costs
/// less (compute capability 9 and later): what other kernels have written is there from here on. The next kernel may start,
/// too. Source: CUDA C++ Programming Guide, programmatic dependent launch.
__device__ __forceinline__ void wait_for_inputs() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

/// Whether the current GPU, and so every one of this process, has clusters and starts kernels early.
inline bool is_hopper_or_later() {
    static const bool known = [] {
        int device = 0;
        int major = 0;
        cuda_check(cudaGetDevice(&device), "cudaGetDevice");
        cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                   "cudaDeviceGetAttribute");
        constexpr int kHopper = 9;
        return major >= kHopper;
    }();
    return known;
}

/// Blocks of a cluster that every GPU with clusters can run.
constexpr int kPortableClusterBlocks = 8;

template <typename... Parameters>
void allow_large_clusters(void (*kernel)(Parameters...)) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
               "allowing large clusters");
}

/// The largest power of two up to `most` of blocks that the GPU can run as a cluster of this kernel.
template <typename... Parameters>
int most_cluster_blocks(void (*kernel)(Parameters...), dim3 threads, int most) {
    if (!is_hopper_or_later()) {
        return 1;
    }
    allow_large_clusters(kernel);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1, static_cast<unsigned>(most), 1);
    config.blockDim = threads;
    int largest = 0;
    cuda_check(cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config), "the size of clusters");
    int blocks = 1;
    while (2 * blocks <= largest && 2 * blocks <= most) {
        blocks *= 2;
    }
    return blocks;
}

/// Enqueues a kernel with clusters of `cluster` blocks, which lie one below the other; 1: without clusters.
template <typename... Parameters, typename... Arguments>
void launch_clusters(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, int cluster,
                     cudaStream_t stream, Arguments... arguments) {
    std::array<cudaLaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (is_hopper_or_later()) {
        cudaLaunchAttribute& early = attributes[count++];
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > kPortableClusterBlocks) {
        allow_large_clusters(kernel);
    }
    if (cluster > 1) {
        cudaLaunchAttribute& dimension = attributes[count++];
        dimension.id = cudaLaunchAttributeClusterDimension;
        dimension.val.clusterDim.x = 1;
        dimension.val.clusterDim.y = static_cast<unsigned>(cluster);
        dimension.val.clusterDim.z = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = attributes.data();
    config.numAttrs = count;
    cuda_check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
               "launching a kernel");
}

/// Enqueues a kernel; throws Error when it cannot be launched. Arguments are converted to the kernel's types.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
            Arguments... arguments) {
    launch_clusters(kernel, blocks, threads, 1, stream, arguments...);
}

}  // namespace rankscope::engine::cuda
#endif
