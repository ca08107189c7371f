// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_library.h>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

using namespace rankscope::engine;

std::string hex(const cudaUUID_t& uuid) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char byte : uuid.bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += kDigits[value >> 4U];
        text += kDigits[value & 15U];
    }
    return text;
}

std::unique_ptr<Backend> backend_on(int device) {
    return make_cuda_backend(cuda_options_from_environment(device));
}

}  // namespace

int rankscope_cuda_device_count(char* why, std::size_t size) {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    std::snprintf(why, size, "%s", code == cudaSuccess ? "" : cudaGetErrorString(code));
    return code == cudaSuccess ? count : 0;
}

bool rankscope_cuda_device_json(int index, char* text, std::size_t size) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        return false;
    }
    const int used = std::snprintf(
        text, size, R"({"index":%d,"name":"%s","memory_bytes":%zu,"compute":"%d.%d","uuid":"%s"})", index,
        properties.name, properties.totalGlobalMem, properties.major, properties.minor,
        hex(properties.uuid).c_str());
    return used > 0 && static_cast<std::size_t>(used) < size;
}

const CudaFunctions* rankscope_cuda_functions(const char* version) {
    static constexpr CudaFunctions kFunctions{backend_on, make_nccl_process_group, cuda::planned_step,
                                              cuda_backend_library};
    return std::string_view(version) == RANKSCOPE_VERSION ? &kFunctions : nullptr;
}
