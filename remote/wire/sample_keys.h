// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope {

/// The keys of a sample (SampleEvent, wire::Sample), each with its unit and where it is read.
///
///     cpu                           share of all processors that was busy since the last sample, 0…1   /proc/stat
///     load1                         mean number of runnable processes over a minute                    getloadavg
///     mem_used, mem_total           bytes; used is what is not available                               /proc/meminfo
///     disk_free, disk_total         bytes of the file system of the cache folder                       statvfs
///     net.<if>.rx, .tx              bytes per second since the last sample, lo left out                /proc/net/dev
///     net.<if>.errors, .drops       packets per second of both directions; absent where there were none
///     gpu.<i>.util                  share of time in which a kernel ran, 0…1            this and all below: NVML
///     gpu.<i>.mem_util              share of time in which its memory was read or written, 0…1
///     gpu.<i>.mem_used, .mem_total  bytes
///     gpu.<i>.power, .power_limit   W
///     gpu.<i>.temp                  °C
///     gpu.<i>.sm_clock, .mem_clock  Hz
///     gpu.<i>.sm_clock_max, .mem_clock_max  Hz
///     gpu.<i>.throttle              bits of nvmlClocksEventReasons
///     gpu.<i>.ecc, .ecc_corrected   uncorrected and corrected memory errors since the driver was loaded
///     gpu.<i>.nvlink_tx, .nvlink_rx bytes per second since the last reading, over all links
///     gpu.<i>.nvlink_errors         replays, recoveries and CRC errors of all links since the driver was loaded
///     gpu.<i>.pcie_tx, .pcie_rx     bytes per second
///     gpu.<i>.pcie_replays          since the driver was loaded
///     gpu.<i>.pcie_gen, .pcie_width of the link at this moment
///     gpu.<i>.rank.<r>.mem_used     bytes of its memory that the processes of a rank hold
///     gpu.<i>.compute               compute capability × 10: 80 for 8.0; only in NodeFacts
///     cuda_driver                   the newest CUDA version of the driver: 12040 for 12.4; only in NodeFacts
///     gpu.unavailable               there is a driver, but no GPU can be read: 1 it does not answer, 2 neither NVML nor
///                                   nvidia-smi is found, 3 it reports an error
///
/// Where only nvidia-smi is found, the keys are those of its fields: util, mem_used, mem_total, power, temp, the clocks,
/// throttle, ecc, pcie_gen and pcie_width.
///
/// A value that the node does not have or the driver does not report has no key.
namespace sample_key {
inline constexpr const char* kCpu = "cpu";
inline constexpr const char* kLoad1 = "load1";
inline constexpr const char* kMemUsed = "mem_used";
inline constexpr const char* kMemTotal = "mem_total";
inline constexpr const char* kDiskFree = "disk_free";
inline constexpr const char* kDiskTotal = "disk_total";
inline constexpr const char* kGpuUnavailable = "gpu.unavailable";
inline constexpr const char* kCudaDriver = "cuda_driver";
inline std::string net(const std::string& interface_name, const char* what) {
    return "net." + interface_name + '.' + what;
}
inline std::string gpu(int index, const char* what) {
    return "gpu." + std::to_string(index) + '.' + what;
}
inline std::string gpu_of_rank(int index, int rank, const char* what) {
    return gpu(index, ("rank." + std::to_string(rank) + '.' + what).c_str());
}
}  // namespace sample_key

}  // namespace rankscope
