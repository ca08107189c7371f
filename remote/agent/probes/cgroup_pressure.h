// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/proc_text.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// What a control group keeps from its processes, since the group was made.
struct CgroupPressure {
    double throttled_s = 0;  ///< no CPU time was left: of the group, or of one above it, where it is largest
    std::string throttled_by;                ///< that group; empty: none was throttled
    double cpu_limit = 0;                    ///< cores that it permits; 0: no limit
    std::optional<double> memory_stalled_s;  ///< nothing: the kernel does not count it
    std::optional<double> io_stalled_s;
    bool of_the_node = false;  ///< the stalls are those of all processes of this node: no group counts them
};

/// Reads cgroups of both versions. One object serves the ranks of one look: each group is read once.
class CgroupPressures {
public:
    /// `mounts` as this process sees them; `pressure`: /proc/pressure.
    explicit CgroupPressures(const std::vector<Mount>& mounts, std::string pressure = "/proc/pressure");

    CgroupPressure of(const ProcFolder& process);

private:
    CgroupPressure read(const std::string& text) const;

    std::string cpu_point_;      ///< of version 1
    std::string unified_point_;  ///< of version 2
    std::string pressure_;
    std::map<std::string, CgroupPressure> known_;  ///< by the text of /proc/PID/cgroup
};

}  // namespace rankscope::agent
