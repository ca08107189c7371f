// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/probes/cgroup_pressure.h>

#include <algorithm>

namespace rankscope::agent {
namespace {

bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const auto part = list.substr(0, list.find(','));
        if (part == word) {
            return true;
        }
        list.remove_prefix(std::min(list.size(), part.size() + 1));
    }
    return false;
}

// The folder of a group: its path counts from the group that is mounted, which in a container is not the topmost.
struct Group {
    std::string point;
    std::string path;

    std::string folder() const { return path == "/" ? point : point + path; }
    bool up() {
        if (path == "/" || path.empty()) {
            return false;
        }
        path.resize(std::max<std::size_t>(path.rfind('/'), 1));
        return true;
    }
};

std::string text_of(const Group& group, const char* name) {
    return read_file(group.folder() + '/' + name).value_or(std::string());
}

double cpu_limit_of(const Group& group) {
    if (const auto text = text_of(group, "cpu.max"); !text.empty()) {
        return parse_cpu_max(text);
    }
    // Version 1 says -1 for no limit, which is no unsigned number.
    return parse_cpu_max(text_of(group, "cpu.cfs_quota_us") + ' ' + text_of(group, "cpu.cfs_period_us"));
}

void add_throttling(Group group, CgroupPressure& pressure) {
    do {
        const double throttled = parse_throttled_s(text_of(group, "cpu.stat"));
        if (throttled > pressure.throttled_s) {
            pressure.throttled_s = throttled;
            pressure.throttled_by = group.path;
            pressure.cpu_limit = cpu_limit_of(group);
        }
    } while (group.up());
}

}  // namespace

CgroupPressures::CgroupPressures(const std::vector<Mount>& mounts, std::string pressure)
    : pressure_(std::move(pressure)) {
    for (const auto& mount : mounts) {
        if (mount.type == "cgroup2" && unified_point_.empty()) {
            unified_point_ = mount.point;
        } else if (mount.type == "cgroup" && has_word(mount.options, "cpu") && cpu_point_.empty()) {
            cpu_point_ = mount.point;
        }
    }
}

CgroupPressure CgroupPressures::of(const ProcFolder& process) {
    std::string text = process.read("cgroup");
    const auto known = known_.find(text);
    if (known != known_.end()) {
        return known->second;
    }
    auto pressure = read(text);
    known_.emplace(std::move(text), pressure);
    return pressure;
}

CgroupPressure CgroupPressures::read(const std::string& text) const {
    CgroupPressure pressure;
    for (const auto& line : parse_cgroup(text)) {
        if (line.controllers.empty() && !unified_point_.empty()) {
            const Group group{unified_point_, line.path};
            add_throttling(group, pressure);
            pressure.memory_stalled_s = parse_full_pressure_s(text_of(group, "memory.pressure"));
            pressure.io_stalled_s = parse_full_pressure_s(text_of(group, "io.pressure"));
        } else if (has_word(line.controllers, "cpu") && !cpu_point_.empty()) {
            add_throttling({cpu_point_, line.path}, pressure);
        }
    }
    if (!pressure.memory_stalled_s && !pressure.io_stalled_s) {
        pressure.memory_stalled_s = parse_full_pressure_s(read_file(pressure_ + "/memory").value_or(""));
        pressure.io_stalled_s = parse_full_pressure_s(read_file(pressure_ + "/io").value_or(""));
        pressure.of_the_node = true;
    }
    return pressure;
}

}  // namespace rankscope::agent
