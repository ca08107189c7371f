// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// Readers of what the kernel and nvidia-smi print. Whatever they are given, they return what is there and
/// nothing else: a line that is not understood is left out.

/// Jiffies of all processors since the start: the first line of /proc/stat. Waiting for a disk is not busy.
struct CpuTime {
    std::uint64_t busy = 0;
    std::uint64_t total = 0;
};
std::optional<CpuTime> parse_proc_stat(std::string_view text);

struct MemoryUse {
    std::uint64_t total = 0;      ///< bytes
    std::uint64_t available = 0;  ///< bytes; kernels before 3.14 do not report it: free and caches then
};
std::optional<MemoryUse> parse_meminfo(std::string_view text);

/// Since an interface came up: bytes, and packets of both directions that were damaged or dropped.
struct Traffic {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t errors = 0;
    std::uint64_t drops = 0;
};
/// /proc/net/dev, without lo.
std::map<std::string, Traffic> parse_net_dev(std::string_view text);

/// Fields to ask `nvidia-smi --query-gpu` for, in the order in which parse_nvidia_smi_line() wants them.
extern const char* const kNvidiaSmiFields;
/// The few that every driver knows, the first of those above.
extern const char* const kNvidiaSmiBasicFields;
/// One line of its CSV without header and units. Keys as in remote/wire/sample_keys.h; "[N/A]" and the like
/// are left out. Empty: not such a line.
std::vector<std::pair<std::string, double>> parse_nvidia_smi_line(std::string_view line);

}  // namespace rankscope::agent
