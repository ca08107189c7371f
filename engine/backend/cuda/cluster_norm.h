// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/batch_norm.h>

#include <cuda_runtime_api.h>

#include <optional>

/// Batch normalisation in one kernel per direction: a cluster of blocks keeps all rows of a few channels in registers, adds
/// them up through its shared memory, and applies what follows. For matrices whose rows fit there; with the sums of other
/// ranks it cannot be (batch_norm.h). How many blocks a cluster has depends on the GPU, and with it the last digits of sums.
namespace rankscope::engine::cuda {

/// A thread keeps one group of channels and `held` rows or fewer; a block covers `lanes` groups, a cluster of `blocks`
/// blocks all rows.
struct ClusterTiling {
    static constexpr int kThreads = 512;
    /// At most: 32 bytes of a row in 16 bits, the least that memory delivers. One, where there are too many rows for two.
    static constexpr int kLanes = 2;

    int rows = 0;
    int channels = 0;
    int lanes = 0;
    int stride = 0;  ///< rows that a block reads at once
    int tiles = 0;   ///< clusters
    int blocks = 0;
    int block_rows = 0;
    int held = 0;  ///< rows that a thread has room for
};

/// Blocks that a cluster may have on the current GPU; 1: it has no clusters.
int cluster_blocks();

/// None: there are too many rows for the registers of `most_blocks` blocks.
std::optional<ClusterTiling> cluster_tiling(const BatchNormShape& shape, int most_blocks);

/// As batch_norm_statistics() and batch_norm_apply().
void cluster_norm_forward(const BatchNormShape& shape, const ClusterTiling& tiling, const void* x,
                          const void* residual, bool relu, const BatchNormVectors& vectors, void* y,
                          cudaStream_t stream);

/// Parts of the gradient that cluster_norm_backward() can add up.
constexpr int kMostClusterParts = 2;

/// As batch_norm_backward_sums() and batch_norm_backward_apply(), without `coefficients`; `masked` is the residual's
/// gradient, null where there is no residual.
void cluster_norm_backward(const BatchNormShape& shape, const ClusterTiling& tiling,
                           const BatchNormBackward& backward, const BatchNormVectors& vectors,
                           cudaStream_t stream);

}  // namespace rankscope::engine::cuda
