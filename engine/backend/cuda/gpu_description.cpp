// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/gpu_description.h>

#include <nlohmann/json.hpp>

namespace rankscope::engine::cuda {

std::string GpuDescription::json() const {
    return nlohmann::json{{"deviceName", name},
                          {"deviceVer", version},
                          {"multiProcessorCount", processors},
                          {"maxSharedMemoryPerBlockOptin", shared},
                          {"l2CacheSize", l2_bytes},
                          {"totalGlobalMem", memory_bytes},
                          {"maxGridSize", {2147483647, 65535, 65535}},
                          {"maxBlockSize", {1024, 1024, 64}},
                          {"regsPerBlock", 65536},
                          {"warpSize", 32},
                          {"maxSharedMemoryPerBlock", 49152},
                          {"reservedSharedMemoryPerBlock", 1024},
                          {"maxRegistersPerSM", 65536},
                          {"maxCtasPerSM", 32},
                          {"maxThreadsPerBlock", 1024},
                          {"maxThreadsPerSM", 2048},
                          {"pciDeviceId", 0},
                          {"isTccDriver", 0},
                          {"supportCoopLaunch", 1},
                          {"smClockRateKHz", 1980000},
                          {"memClockRateKHz", 3201000},
                          {"cudaDeviceId", 0},
                          {"driverVer", 13000}}
        .dump();
}

}  // namespace rankscope::engine::cuda
