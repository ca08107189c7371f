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
///     gpu.<i>.util                  share of time in which a kernel ran, 0…1          this and all below: nvidia-smi
///     gpu.<i>.mem_used, .mem_total  bytes
///     gpu.<i>.power                 W
///     gpu.<i>.temp                  °C
///     gpu.<i>.sm_clock, .mem_clock  Hz
///     gpu.<i>.throttle              bits of nvmlClocksThrottleReasons
///     gpu.<i>.ecc                   uncorrected memory errors since the driver was loaded
///     gpu.<i>.pcie_gen, .pcie_width of the link at this moment
///
/// A value that the node does not have or the driver does not report has no key.
namespace sample_key {
inline constexpr const char* kCpu = "cpu";
inline constexpr const char* kLoad1 = "load1";
inline constexpr const char* kMemUsed = "mem_used";
inline constexpr const char* kMemTotal = "mem_total";
inline constexpr const char* kDiskFree = "disk_free";
inline constexpr const char* kDiskTotal = "disk_total";
inline std::string net(const std::string& interface_name, const char* what) {
    return "net." + interface_name + '.' + what;
}
inline std::string gpu(int index, const char* what) {
    return "gpu." + std::to_string(index) + '.' + what;
}
}  // namespace sample_key

}  // namespace rankscope
