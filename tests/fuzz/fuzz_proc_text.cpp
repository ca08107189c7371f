// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the kernel writes about a process: /proc/PID, /proc/net/tcp, the files of a cgroup.

#include "target.h"

#include <remote/agent/probes/proc_text.h>

#include <cmath>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    if (const auto stat = agent::parse_process_stat(text)) {
        fuzz::require(stat->command.size() < size, "a command is a part of the text");
    }
    if (const auto call = agent::parse_system_call(text)) {
        fuzz::require(call->number >= 0, "a system call has a number");
    }
    static_cast<void>(agent::parse_process_io(text));
    fuzz::require(agent::parse_queued_s(text).value_or(0) >= 0, "no time is negative");
    for (const auto& mount : agent::parse_mountinfo(text)) {
        fuzz::require(mount.point.starts_with('/') && !mount.type.empty(), "a mount has a place and a type");
    }
    for (const auto& line : agent::parse_cgroup(text)) {
        fuzz::require(line.path.starts_with('/'), "a group has a path");
    }
    fuzz::require(agent::parse_throttled_s(text) >= 0 && agent::parse_cpu_max(text) >= 0,
                  "no time is negative");
    if (const auto stalled = agent::parse_full_pressure_s(text)) {
        fuzz::require(std::isfinite(*stalled) && *stalled >= 0, "a stall is a number");
    }
    for (const auto& line : agent::parse_net_tcp(text)) {
        fuzz::require(!line.local_address.empty() && !line.peer_address.empty(), "a socket has addresses");
    }
    return 0;
}
