// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/nvml/nvml_abi.h>

namespace rankscope::nvml {

/// The functions of libnvidia-ml.so.1, opened at run time: the driver brings it. One that this release lacks is null.
struct Library {
    Return (*init)() = nullptr;
    Return (*driver_version)(char*, unsigned) = nullptr;
    Return (*cuda_version)(int*) = nullptr;
    Return (*device_count)(unsigned*) = nullptr;
    Return (*device)(unsigned, Device*) = nullptr;
    Return (*name)(Device, char*, unsigned) = nullptr;
    Return (*uuid)(Device, char*, unsigned) = nullptr;
    Return (*pci)(Device, Pci*) = nullptr;
    Return (*capability)(Device, int*, int*) = nullptr;
    Return (*compute_mode)(Device, unsigned*) = nullptr;
    Return (*persistence)(Device, unsigned*) = nullptr;
    Return (*mig)(Device, unsigned*, unsigned*) = nullptr;
    Return (*fabric)(Device, FabricInfo*) = nullptr;
    Return (*retired_pages)(Device, unsigned, unsigned*, unsigned long long*) = nullptr;
    Return (*memory)(Device, Memory*) = nullptr;
    Return (*memory_v2)(Device, MemoryV2*) = nullptr;
    Return (*utilization)(Device, Utilization*) = nullptr;
    Return (*temperature)(Device, unsigned, unsigned*) = nullptr;
    Return (*power)(Device, unsigned*) = nullptr;
    Return (*power_limit)(Device, unsigned*) = nullptr;
    Return (*clock)(Device, unsigned, unsigned*) = nullptr;
    Return (*clock_max)(Device, unsigned, unsigned*) = nullptr;
    Return (*clock_reasons)(Device, unsigned long long*) = nullptr;
    Return (*ecc_errors)(Device, unsigned, unsigned, unsigned long long*) = nullptr;
    Return (*pcie_generation)(Device, unsigned*) = nullptr;
    Return (*pcie_generation_max)(Device, unsigned*) = nullptr;
    Return (*pcie_width)(Device, unsigned*) = nullptr;
    Return (*pcie_width_max)(Device, unsigned*) = nullptr;
    Return (*pcie_replays)(Device, unsigned*) = nullptr;
    Return (*pcie_throughput)(Device, unsigned, unsigned*) = nullptr;
    Return (*field_values)(Device, int, FieldValue*) = nullptr;
    Return (*processes)(Device, unsigned*, Process*) = nullptr;
    Return (*processes_v1)(Device, unsigned*, ProcessV1*) = nullptr;
    Return (*event_set)(EventSet*) = nullptr;
    Return (*register_events)(Device, unsigned long long, EventSet) = nullptr;
    Return (*wait_event)(EventSet, EventData*, unsigned) = nullptr;
};

/// Opens `path`, or the driver's own where it is null or empty. Null: it is open; else why not, valid until the next call.
const char* open_library(const char* path, Library& library);

/// A function that is missing answers as one that the device does not support.
template <typename... Parameters, typename... Arguments>
Return ask(Return (*function)(Parameters...), Arguments... arguments) {
    return function != nullptr ? function(arguments...) : kFunctionNotFound;
}

}  // namespace rankscope::nvml
