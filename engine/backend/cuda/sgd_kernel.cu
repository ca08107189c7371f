// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/sgd_kernel.h>

namespace rankscope::engine {
namespace {

__global__ void sgd_kernel(SgdOptions options, bool first_step, std::size_t count, const float* gradients,
                           float* parameters, float* buffer) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        float d = gradients[i] + options.weight_decay * parameters[i];
        if (options.momentum != 0.0F) {
            const float kept = first_step ? d : options.momentum * buffer[i] + (1.0F - options.dampening) * d;
            buffer[i] = kept;
            d = options.nesterov ? d + options.momentum * kept : kept;
        }
        parameters[i] -= options.lr * d;
    }
}

}  // namespace

cudaError_t cuda_sgd_update(const SgdOptions& options, bool first_step, std::size_t count, const float* gradients,
                            float* parameters, float* buffer, cudaStream_t stream) {
    constexpr unsigned kThreads = 256;
    constexpr std::size_t kMostBlocks = 1056;  // eight for each of an H100's 132 multiprocessors
    const std::size_t wanted = (count + kThreads - 1) / kThreads;
    if (wanted == 0) {
        return cudaSuccess;
    }
    const auto blocks = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
    sgd_kernel<<<blocks, kThreads, 0, stream>>>(options, first_step, count, gradients, parameters, buffer);
    return cudaGetLastError();
}

}  // namespace rankscope::engine
