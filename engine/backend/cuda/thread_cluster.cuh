// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

/// Thread block clusters: blocks that run at the same time and read one another's shared memory (compute capability 9 and
/// later). Elsewhere a cluster is one block. Source: PTX ISA, barrier.cluster and mapa.
namespace rankscope::engine::cuda {

/// More than eight are not offered by every such GPU: most_cluster_blocks() asks.
constexpr int kMostClusterBlocks = 16;

/// What this block has written before is seen by those that have waited. Every thread calls both.
__device__ __forceinline__ void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

__device__ __forceinline__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// Where `shared` lies in a block of the cluster, which must not have ended.
template <typename T>
__device__ __forceinline__ const T* in_block(const T* shared, [[maybe_unused]] int block) {
#if __CUDA_ARCH__ >= 900
    const T* there = nullptr;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(block));
    return there;
#else
    return shared;
#endif
}

}  // namespace rankscope::engine::cuda
