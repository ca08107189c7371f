// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/nvml/nvml_library.h>

#include <dlfcn.h>

#include <array>

// The oldest version of these symbols: until glibc 2.34 they are in libdl, which this program names for that.
#if defined(__x86_64__)
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror,dlerror@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlopen,dlopen@GLIBC_2.17");
__asm__(".symver dlsym,dlsym@GLIBC_2.17");
__asm__(".symver dlerror,dlerror@GLIBC_2.17");
#endif

namespace rankscope::nvml {
namespace {

// Where the loader looks, then where WSL and NixOS keep it.
constexpr std::array<const char*, 3> kPlaces{"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1",
                                             "/run/opengl-driver/lib/libnvidia-ml.so.1"};

// The newest name that this release has.
template <typename... Parameters>
void find(void* handle, Return (*&function)(Parameters...), const char* name, const char* older = nullptr) {
    void* symbol = dlsym(handle, name);
    if (symbol == nullptr && older != nullptr) {
        symbol = dlsym(handle, older);
    }
    function = reinterpret_cast<Return (*)(Parameters...)>(symbol);
}

}  // namespace

const char* open_library(const char* path, Library& library) {
    void* handle = nullptr;
    const char* problem = nullptr;
    if (path != nullptr && *path != '\0') {
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        problem = handle == nullptr ? dlerror() : nullptr;
    } else {
        for (const char* place : kPlaces) {
            handle = handle != nullptr ? handle : dlopen(place, RTLD_NOW | RTLD_LOCAL);
        }
        problem = "libnvidia-ml.so.1 is not found";
    }
    if (handle == nullptr) {
        return problem != nullptr ? problem : "it cannot be opened";
    }
    find(handle, library.init, "nvmlInit_v2");
    find(handle, library.driver_version, "nvmlSystemGetDriverVersion");
    find(handle, library.cuda_version, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion");
    find(handle, library.device_count, "nvmlDeviceGetCount_v2");
    find(handle, library.device, "nvmlDeviceGetHandleByIndex_v2");
    find(handle, library.name, "nvmlDeviceGetName");
    find(handle, library.uuid, "nvmlDeviceGetUUID");
    find(handle, library.pci, "nvmlDeviceGetPciInfo_v3");
    find(handle, library.capability, "nvmlDeviceGetCudaComputeCapability");
    find(handle, library.compute_mode, "nvmlDeviceGetComputeMode");
    find(handle, library.persistence, "nvmlDeviceGetPersistenceMode");
    find(handle, library.mig, "nvmlDeviceGetMigMode");
    find(handle, library.fabric, "nvmlDeviceGetGpuFabricInfo");
    find(handle, library.retired_pages, "nvmlDeviceGetRetiredPages");
    find(handle, library.memory, "nvmlDeviceGetMemoryInfo");
    find(handle, library.memory_v2, "nvmlDeviceGetMemoryInfo_v2");
    find(handle, library.utilization, "nvmlDeviceGetUtilizationRates");
    find(handle, library.temperature, "nvmlDeviceGetTemperature");
    find(handle, library.power, "nvmlDeviceGetPowerUsage");
    find(handle, library.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    find(handle, library.clock, "nvmlDeviceGetClockInfo");
    find(handle, library.clock_max, "nvmlDeviceGetMaxClockInfo");
    find(handle, library.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
         "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(handle, library.ecc_errors, "nvmlDeviceGetTotalEccErrors");
    find(handle, library.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    find(handle, library.pcie_generation_max, "nvmlDeviceGetMaxPcieLinkGeneration");
    find(handle, library.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
    find(handle, library.pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
    find(handle, library.pcie_replays, "nvmlDeviceGetPcieReplayCounter");
    find(handle, library.pcie_throughput, "nvmlDeviceGetPcieThroughput");
    find(handle, library.field_values, "nvmlDeviceGetFieldValues");
    find(handle, library.processes, "nvmlDeviceGetComputeRunningProcesses_v3",
         "nvmlDeviceGetComputeRunningProcesses_v2");
    find(handle, library.processes_v1, "nvmlDeviceGetComputeRunningProcesses");
    find(handle, library.event_set, "nvmlEventSetCreate");
    find(handle, library.register_events, "nvmlDeviceRegisterEvents");
    find(handle, library.wait_event, "nvmlEventSetWait_v2", "nvmlEventSetWait");
    return nullptr;
}

}  // namespace rankscope::nvml
