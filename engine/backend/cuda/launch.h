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

}  // namespace rankscope::engine::cuda
#endif
