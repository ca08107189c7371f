// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/agent/node/process_end.h>
#include <remote/agent/node/process_tree.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

namespace rankscope::agent {
namespace {

// Of linux/pidfd.h, which older systems lack: struct pidfd_info as of its first version.
struct PidfdInfo {
    std::uint64_t mask;
    std::uint64_t cgroup;
    std::array<std::uint32_t, 11> numbers;
    std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kExitCode = 1U << 3U;
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

// The last field of /proc/PID/stat, of a zombie.
std::optional<int> status_in_proc(pid_t pid) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    const auto after_name = text.rfind(')');
    if (after_name == std::string::npos || after_name + 2 >= text.size() || text[after_name + 2] != 'Z') {
        return std::nullopt;
    }
    const auto fields = split(trimmed(std::string_view(text).substr(after_name + 2)), ' ');
    constexpr std::size_t kExitField = 52 - 3;
    return fields.size() > kExitField ? parse_number<int>(fields[kExitField]) : std::nullopt;
}

}  // namespace

ProcessEnd::ProcessEnd(pid_t pid) : pid_(pid), fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

bool ProcessEnd::has_ended() const {
    if (!fd_) {
        return is_zombie(pid_) || parent_of(pid_) == 0;
    }
    pollfd ended{fd_.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) > 0;
}

std::optional<int> ProcessEnd::status() const {
    if (const auto status = status_in_proc(pid_)) {
        return status;
    }
    PidfdInfo info{};
    info.mask = kExitCode;
    if (fd_ && ::ioctl(fd_.get(), kGetInfo, &info) == 0 && (info.mask & kExitCode) != 0) {
        return info.exit_code;
    }
    return std::nullopt;
}

}  // namespace rankscope::agent
