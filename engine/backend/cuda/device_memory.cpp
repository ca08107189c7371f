// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/device_memory.h>
#include <engine/cuda_check.h>

#include <cmath>
#include <cstring>

namespace rankscope::engine::cuda {
namespace {

std::string mebibytes(std::size_t bytes) {
    constexpr double kMiB = 1048576.0;
    return std::to_string(std::llround(static_cast<double>(bytes) / kMiB)) + " MiB";
}

std::string on_device() {
    std::size_t available = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        return "";
    }
    return " (" + mebibytes(available) + " of the GPU's " + mebibytes(total) + " are free)";
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes, const std::string& what, const std::string& remedy)
    : bytes_(bytes) {
    if (bytes == 0) {
        return;
    }
    void* data = nullptr;
    const cudaError_t code = cudaMalloc(&data, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // or the next call would report it again
        throw Error("out of GPU memory: " + mebibytes(bytes) + " for " + what + " is unavailable" +
                    on_device() + ". " + remedy);
    }
    cuda_check(code, "cudaMalloc");
    data_ = std::shared_ptr<void>(data, [](void* memory) { cudaFree(memory); });
    cuda_check(cudaMemset(data, 0, bytes), "cudaMemset");
    // Our streams do not wait for the default one, which this runs on.
    cuda_check(cudaStreamSynchronize(nullptr), "cudaMemset");
}

PinnedMemory::PinnedMemory(std::size_t bytes, const std::string& what) : bytes_(bytes) {
    if (bytes == 0) {
        return;
    }
    void* data = nullptr;
    const cudaError_t code = cudaMallocHost(&data, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw Error("out of memory: " + mebibytes(bytes) + " of page-locked memory for " + what +
                    " is unavailable. A smaller batch_size needs less; `ulimit -l` may limit it.");
    }
    cuda_check(code, "cudaMallocHost");
    data_ = std::shared_ptr<void>(data, [](void* memory) { cudaFreeHost(memory); });
    std::memset(data, 0, bytes);
}

}  // namespace rankscope::engine::cuda
