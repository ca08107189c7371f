// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

// Found before the backend's own thread_cluster.cuh: blocks run one after the other, so a cluster is one of them.

#include <tests/engine/emulated_cuda/emulated_block.h>

namespace rankscope::engine::cuda {

constexpr int kMostClusterBlocks = 1;

inline void arrive_at_cluster() {
    __syncthreads();
}
inline void wait_for_cluster() {}

template <typename T>
const T* in_block(const T* shared, int /*block*/) {
    return shared;
}

}  // namespace rankscope::engine::cuda
