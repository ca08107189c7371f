// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/available_memory.h>
#include <engine/error.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <new>
#include <string>

namespace rankscope::engine::cpu {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream stream(file);
    std::uint64_t value = 0;
    return stream >> value ? std::optional(value) : std::nullopt;  // "max": no limit
}

std::optional<std::uint64_t> of_the_machine(const fs::path& root) {
    std::ifstream meminfo(root / "proc/meminfo");
    std::optional<std::uint64_t> total;
    std::string key;
    for (std::uint64_t kib = 0; meminfo >> key >> kib;) {
        if (key == "MemAvailable:" || (key == "SwapFree:" && total)) {
            total = total.value_or(0) + kib * 1024;
        }
        meminfo.ignore(64, '\n');
    }
    return total;
}

void lower_to_group(const fs::path& folder, const char* limit, const char* usage, std::uint64_t& available) {
    const auto most = number_in(folder / limit);
    const auto used = number_in(folder / usage);
    if (most && used) {
        available = std::min(available, *most > *used ? *most - *used : 0);
    }
}

std::string mib(std::uint64_t bytes) {
    constexpr double kMiB = 1048576.0;
    return std::to_string(std::llround(static_cast<double>(bytes) / kMiB)) + " MiB";
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
    std::optional<std::uint64_t> available = of_the_machine(root);
    if (!available) {
        return std::nullopt;
    }
    // "4:memory:/user/…" (version 1) or "0::/user/…" (version 2); limits above hold as well. In a container
    // the path may be the host's, and what is mounted the container's own group: then the top is all there
    // is.
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool unified = controllers.empty();
        if (!unified && controllers != "memory") {
            continue;
        }
        const fs::path top = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        fs::path folder = top / fs::path(line.substr(second + 1)).relative_path();
        for (;;) {
            unified ? lower_to_group(folder, "memory.max", "memory.current", *available)
                    : lower_to_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", *available);
            if (folder == top || folder.string().size() <= top.string().size()) {
                break;
            }
            folder = folder.parent_path();
        }
    }
    return available;
}

AlignedBuffer allocate_for(const std::string& what, std::size_t bytes, const std::string& remedy) {
    const auto available = available_memory();
    if (available && bytes > *available) {
        throw Error("out of memory: " + mib(bytes) + " for " + what + ", where " + mib(*available) +
                    " are available. " + remedy);
    }
    try {
        return AlignedBuffer(bytes);
    } catch (const std::bad_alloc&) {
        throw Error("out of memory: " + mib(bytes) + " for " + what + " is unavailable. " + remedy);
    }
}

}  // namespace rankscope::engine::cpu
