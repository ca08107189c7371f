// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/nvml/nvml_abi.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// libnvidia-ml.so.1 for tests: what it says is in the file that MOCK_NVML names, read again whenever it changes.
//
//     gpus 8                        how many (1)
//     set GPU KEY NUMBER            GPU: an index, or *. Keys: those of `numbers` below
//     text GPU KEY WORDS            name, uuid, pci
//     error GPU FUNCTION CODE       nvmlDeviceGet… without that prefix, or init, count, field.ID
//     slow GPU FUNCTION MS          it takes so long
//     process GPU PID BYTES
//     xid NUMBER GPU CODE           an event; each NUMBER once
//
// MOCK_NVML_OLD: a library of an older release, without the functions that came later.

using namespace rankscope::nvml;

namespace {

struct Fake {
    int count = 1;
    std::map<std::pair<int, std::string>, unsigned long long> numbers;
    std::map<std::pair<int, std::string>, std::string> texts;
    std::map<std::pair<int, std::string>, Return> errors;
    std::map<std::pair<int, std::string>, int> slow;
    std::map<int, std::vector<std::pair<unsigned, unsigned long long>>> processes;
    std::map<unsigned long, std::pair<int, unsigned long long>> xids;
};

Fake fake;
timespec fake_time{};
ino_t fake_file = 0;
#ifndef MOCK_NVML_OLD
unsigned long last_xid = 0;
#endif
std::array<char, 64> devices{};  // a handle is the address of one

void read_again() {
    const char* name = std::getenv("MOCK_NVML");
    struct stat info {};
    if (name == nullptr || ::stat(name, &info) != 0 ||
        (info.st_ino == fake_file && info.st_mtim.tv_sec == fake_time.tv_sec &&
         info.st_mtim.tv_nsec == fake_time.tv_nsec)) {
        return;
    }
    fake_time = info.st_mtim;
    fake_file = info.st_ino;
    fake = {};
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        std::string gpu;
        std::string key;
        words >> kind;
        if (kind == "gpus") {
            words >> fake.count;
            continue;
        }
        if (kind == "xid") {
            unsigned long number = 0;
            std::pair<int, unsigned long long> event;
            words >> number >> event.first >> event.second;
            fake.xids[number] = event;
            continue;
        }
        words >> gpu >> key;
        const int index = gpu == "*" ? -1 : std::atoi(gpu.c_str());
        if (kind == "set") {
            words >> fake.numbers[{index, key}];
        } else if (kind == "text") {
            std::getline(words >> std::ws, fake.texts[{index, key}]);
        } else if (kind == "error") {
            words >> fake.errors[{index, key}];
        } else if (kind == "slow") {
            words >> fake.slow[{index, key}];
        } else if (kind == "process") {
            unsigned long long bytes = 0;
            words >> bytes;
            fake.processes[index].emplace_back(static_cast<unsigned>(std::atol(key.c_str())), bytes);
        }
    }
}

int index_of(Device device) {
    return static_cast<int>(reinterpret_cast<char*>(device) - devices.data());
}

// Of this GPU, else of all.
template <typename Map>
const typename Map::mapped_type* find(const Map& map, int gpu, const std::string& key) {
    auto it = map.find({gpu, key});
    it = it == map.end() ? map.find({-1, key}) : it;
    return it == map.end() ? nullptr : &it->second;
}

// What stands before the answer: a wait, or an error.
Return before(int gpu, const std::string& function) {
    if (const int* wait = find(fake.slow, gpu, function)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(*wait));
    }
    const Return* error = find(fake.errors, gpu, function);
    return error != nullptr ? *error : kSuccess;
}

template <typename Number>
Return number(Device device, const char* function, const char* key, Number* value) {
    const Return result = before(index_of(device), function);
    const auto* found = find(fake.numbers, index_of(device), key);
    if (result != kSuccess || found == nullptr) {
        return result != kSuccess ? result : kNotSupported;
    }
    *value = static_cast<Number>(*found);
    return kSuccess;
}

Return words(Device device, const char* function, const char* key, char* text, unsigned length) {
    const Return result = before(index_of(device), function);
    const auto* found = find(fake.texts, index_of(device), key);
    if (result != kSuccess || found == nullptr) {
        return result != kSuccess ? result : kNotSupported;
    }
    std::snprintf(text, length, "%s", found->c_str());
    return kSuccess;
}

template <typename Entry>
Return fill_processes(Device device, unsigned* count, Entry* list) {
    if (const Return result = before(index_of(device), "ComputeRunningProcesses"); result != kSuccess) {
        return result;
    }
    const auto& all = fake.processes[index_of(device)];
    const unsigned room = *count;
    *count = static_cast<unsigned>(all.size());
    if (room < all.size()) {
        return kInsufficientSize;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        list[i] = {};
        list[i].pid = all[i].first;
        list[i].memory = all[i].second;
    }
    return kSuccess;
}

}  // namespace

#define MOCK extern "C" __attribute__((visibility("default"))) Return

MOCK nvmlInit_v2() {
    read_again();
    return before(-1, "init");
}
MOCK nvmlSystemGetDriverVersion(char* text, unsigned length) {
    std::snprintf(text, length, "550.54.15");
    return kSuccess;
}
MOCK nvmlSystemGetCudaDriverVersion(int* version) {
    *version = 12040;
    return kSuccess;
}
MOCK nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(fake.count);
    return before(-1, "count");
}
MOCK nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    *device = reinterpret_cast<Device>(&devices[index]);
    return before(static_cast<int>(index), "HandleByIndex");
}
MOCK nvmlDeviceGetName(Device device, char* text, unsigned length) {
    return words(device, "Name", "name", text, length);
}
MOCK nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
    return words(device, "UUID", "uuid", text, length);
}
MOCK nvmlDeviceGetPciInfo_v3(Device device, Pci* pci) {
    return words(device, "PciInfo", "pci", pci->id, sizeof pci->id);
}
MOCK nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
    unsigned both = 0;
    const Return result = number(device, "CudaComputeCapability", "compute", &both);
    *major = static_cast<int>(both / 10);
    *minor = static_cast<int>(both % 10);
    return result;
}
MOCK nvmlDeviceGetComputeMode(Device device, unsigned* mode) {
    return number(device, "ComputeMode", "compute_mode", mode);
}
MOCK nvmlDeviceGetPersistenceMode(Device device, unsigned* mode) {
    return number(device, "PersistenceMode", "persistence", mode);
}
MOCK nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
    *pending = 0;
    return number(device, "MigMode", "mig", current);
}
MOCK nvmlDeviceGetRetiredPages(Device device, unsigned, unsigned* count, unsigned long long*) {
    return number(device, "RetiredPages", "retired_pages", count);
}
MOCK nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
    const Return result = number(device, "MemoryInfo", "mem_total", &memory->total);
    return result == kSuccess ? number(device, "MemoryInfo", "mem_used", &memory->used) : result;
}
MOCK nvmlDeviceGetUtilizationRates(Device device, Utilization* share) {
    if (index_of(device) == 0) {
        read_again();
    }
    const Return result = number(device, "UtilizationRates", "util", &share->gpu);
    return result == kSuccess ? number(device, "UtilizationRates", "mem_util", &share->memory) : result;
}
MOCK nvmlDeviceGetTemperature(Device device, unsigned, unsigned* value) {
    return number(device, "Temperature", "temp", value);
}
MOCK nvmlDeviceGetPowerUsage(Device device, unsigned* value) {
    return number(device, "PowerUsage", "power", value);
}
MOCK nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* value) {
    return number(device, "EnforcedPowerLimit", "power_limit", value);
}
MOCK nvmlDeviceGetClockInfo(Device device, unsigned type, unsigned* value) {
    return number(device, "ClockInfo", type == kClockSm ? "sm_clock" : "mem_clock", value);
}
MOCK nvmlDeviceGetMaxClockInfo(Device device, unsigned type, unsigned* value) {
    return number(device, "MaxClockInfo", type == kClockSm ? "sm_clock_max" : "mem_clock_max", value);
}
MOCK nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* value) {
    return number(device, "CurrentClocksThrottleReasons", "throttle", value);
}
MOCK nvmlDeviceGetTotalEccErrors(Device device, unsigned type, unsigned, unsigned long long* value) {
    return number(device, "TotalEccErrors", type == kErrorsUncorrected ? "ecc" : "ecc_corrected", value);
}
MOCK nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* value) {
    return number(device, "CurrPcieLinkGeneration", "pcie_gen", value);
}
MOCK nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* value) {
    return number(device, "MaxPcieLinkGeneration", "pcie_gen_max", value);
}
MOCK nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* value) {
    return number(device, "CurrPcieLinkWidth", "pcie_width", value);
}
MOCK nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* value) {
    return number(device, "MaxPcieLinkWidth", "pcie_width_max", value);
}
MOCK nvmlDeviceGetPcieReplayCounter(Device device, unsigned* value) {
    return number(device, "PcieReplayCounter", "pcie_replays", value);
}
MOCK nvmlDeviceGetPcieThroughput(Device device, unsigned counter, unsigned* value) {
    return number(device, "PcieThroughput", counter == kPcieSent ? "pcie_tx_rate" : "pcie_rx_rate", value);
}

#ifdef MOCK_NVML_OLD
MOCK nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count, ProcessV1* list) {
    return fill_processes(device, count, list);
}
#else
MOCK nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, Process* list) {
    return fill_processes(device, count, list);
}
MOCK nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
    if (memory->version != kMemoryV2) {
        return 25;
    }
    const Return result = number(device, "MemoryInfo", "mem_total", &memory->total);
    return result == kSuccess ? number(device, "MemoryInfo", "mem_used", &memory->used) : result;
}
MOCK nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* value) {
    return number(device, "CurrentClocksEventReasons", "throttle", value);
}
MOCK nvmlDeviceGetGpuFabricInfo(Device device, FabricInfo* fabric) {
    return number(device, "GpuFabricInfo", "fabric", &fabric->state);
}
// `set GPU field.138 N` is that of all links, `set GPU field.202.3 N` that of link 3.
MOCK nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
    if (const Return result = before(index_of(device), "FieldValues"); result != kSuccess) {
        return result;
    }
    for (int i = 0; i < count; ++i) {
        FieldValue& field = values[i];
        std::string key = "field." + std::to_string(field.field);
        const bool of_link = field.field >= kNvlinkLinkReplays && field.field != kPcieSentBytes &&
                             field.field != kPcieReceivedBytes;
        key += of_link ? '.' + std::to_string(field.scope) : std::string();
        const bool of_all = field.field == kNvlinkSent || field.field == kNvlinkReceived;
        const auto* found =
            of_all && field.scope != kAllLinks ? nullptr : find(fake.numbers, index_of(device), key);
        field.result = found != nullptr ? kSuccess : kNotSupported;
        field.type = ValueType::UnsignedLongLong;
        field.value.unsigned_long_long = found != nullptr ? *found : 0;
    }
    return kSuccess;
}
MOCK nvmlEventSetCreate(EventSet* set) {
    *set = reinterpret_cast<EventSet>(&devices);
    return before(-1, "EventSetCreate");
}
MOCK nvmlDeviceRegisterEvents(Device device, unsigned long long types, EventSet) {
    return types == kEventXid ? before(index_of(device), "RegisterEvents") : 2;
}
MOCK nvmlEventSetWait_v2(EventSet, EventData* data, unsigned timeout_ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    if (const Return result = before(-1, "EventSetWait"); result != kSuccess) {
        return result;
    }
    do {
        read_again();
        if (const auto next = fake.xids.upper_bound(last_xid); next != fake.xids.end()) {
            last_xid = next->first;
            *data = {};
            data->device = reinterpret_cast<Device>(&devices[static_cast<std::size_t>(next->second.first)]);
            data->type = kEventXid;
            data->data = next->second.second;
            return kSuccess;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() < end);
    return kTimeout;
}
#endif
