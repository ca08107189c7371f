// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/kernel_log.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// How often the kernel has killed to free memory in this process's cgroup (memory.events, or
/// memory.oom_control of cgroup v1), from now on. A rank that dies by SIGKILL while the count grows was one
/// of them.
class OomWatch {
public:
    /// `kernel_log`: see KernelLogTail. What it says before is of other processes.
    explicit OomWatch(const std::filesystem::path& kernel_log = kKernelLog);
    /// That of this process, too: of a container, which has a limit of its own.
    void watch_cgroup_of(pid_t pid);
    /// "cgroup" or "kernel log" when something shows that this process, or one that it `names` by its pid, was killed
    /// to free memory; else empty. The kernel log is looked at where it may be read (root, or kernel.dmesg_restrict=0).
    std::string evidence(pid_t pid, std::string_view names = {});

private:
    struct Count {
        std::string file;
        std::optional<std::uint64_t> before;
    };
    void add_cgroup(const std::string& process);
    static std::optional<std::uint64_t> read_count(const std::string& file);

    std::vector<Count> counts_;
    KernelLogTail log_;
    std::set<pid_t> killed_;  // by the kernel log
};

/// The count of "oom_kill" in the text of either file.
std::optional<std::uint64_t> oom_kills_in(std::string_view memory_events);

/// What core(5) needs to know of the process that died.
struct CoreFacts {
    pid_t pid = 0;
    int signal = 0;
    uid_t uid = 0;
    std::string program;  ///< file name of the executable
    std::filesystem::path workdir;
};
/// Where core_pattern puts its core: the file, if there is one, or "|program" that took it; empty: nowhere.
std::string find_core(std::string pattern, const CoreFacts& facts);
/// With the pattern of this machine.
std::string find_core(const CoreFacts& facts);

/// Whether a rank ended because others did not answer: exit code 75 of the native engine, a rank that it names
/// as missing, or a time-out or a closed connection in what a script wrote.
bool lost_its_peers(const wire::Exit& exit);

/// Keeps the last Python traceback of a stream: from "Traceback (most recent call last):" to the line of the
/// exception. PyTorch's "[rank0]: " before each line is taken off.
class TracebackReader {
public:
    static constexpr std::size_t kLines = 100;
    static constexpr std::size_t kLineLength = 500;

    /// True: a traceback has ended in this text.
    bool feed(std::string_view text);
    const std::vector<std::string>& lines() const { return last_; }

private:
    bool take(std::string_view line);

    std::string partial_;
    bool inside_ = false;
    std::vector<std::string> current_;
    std::vector<std::string> last_;
};

}  // namespace rankscope::agent
