// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_library.h>

#include <cuda_runtime_api.h>

#include <cstdio>

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
    const int used =
        std::snprintf(text, size, R"({"index":%d,"name":"%s","memory_bytes":%zu,"compute":"%d.%d"})", index,
                      properties.name, properties.totalGlobalMem, properties.major, properties.minor);
    return used > 0 && static_cast<std::size_t>(used) < size;
}
