// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/utf8.h>
#include <base/visible_text.h>
#include <base/wait_fd.h>
#include <remote/agent/node/process_tree.h>

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

namespace rankscope::agent {
namespace {

// How long an exec may take before its process counts as one without an environment.
constexpr double kExecPatience = 1;
constexpr unsigned long kKernelThread = 0x00200000;  // PF_KTHREAD of the kernel's sched.h

std::string read_all(const std::string& path) {
    return read_file(path).value_or(std::string());
}

struct Stat {
    pid_t parent = 0;
    char state = '?';
    unsigned long flags = 0;
    std::uint64_t start_ticks = 0;  ///< since boot
    unsigned long code_end = 0;     ///< 0: an exec is in progress, or a kernel thread; 1: not ours to see
    unsigned long environment_begin = 0;
    unsigned long environment_end = 0;  ///< 0: none yet (an exec is in progress), or not ours to see
};

// The command in /proc/PID/stat may hold blanks and brackets: the fields start after its last ')'.
std::optional<Stat> stat_of(pid_t pid) {
    const std::string text = read_all("/proc/" + std::to_string(pid) + "/stat");
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields(text.substr(bracket + 1));
    Stat stat;
    std::string skipped;
    for (int field = 3; field <= 51 && fields; ++field) {  // numbered as in proc(5)
        switch (field) {
            case 3:
                fields >> stat.state;
                break;
            case 4:
                fields >> stat.parent;
                break;
            case 9:
                fields >> stat.flags;
                break;
            case 22:
                fields >> stat.start_ticks;
                break;
            case 27:
                fields >> stat.code_end;
                break;
            case 50:
                fields >> stat.environment_begin;
                break;
            case 51:
                fields >> stat.environment_end;
                break;
            default:
                fields >> skipped;
        }
    }
    return stat;
}

bool has_ended(const Stat& stat) {
    return stat.state == 'Z' || stat.state == 'X';
}

}  // namespace

std::vector<pid_t> all_processes() {
    std::vector<pid_t> pids;
    const auto close_dir = [](DIR* dir) { ::closedir(dir); };
    const std::unique_ptr<DIR, decltype(close_dir)> dir(::opendir("/proc"), close_dir);
    if (!dir) {
        return pids;
    }
    while (const dirent* entry = ::readdir(dir.get())) {
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
            pids.push_back(static_cast<pid_t>(std::atol(entry->d_name)));
        }
    }
    return pids;
}

std::string environment_of(pid_t pid) {
    const std::string file = "/proc/" + std::to_string(pid) + "/environ";
    const double deadline = monotonic_s() + kExecPatience;
    unsigned long last_end = 0;
    for (;;) {
        const auto environment = read_file(file);
        if (!environment) {
            return {};  // gone, or another user's
        }
        const auto stat = stat_of(pid);
        if (!stat || has_ended(*stat) || (stat->flags & kKernelThread) != 0 || monotonic_s() >= deadline) {
            return *environment;
        }
        // execve(2) gives the environment no bounds at first, then equal ones while it copies the pointers, and sets
        // the end of the code after both (create_elf_tables of the kernel's binfmt_elf.c). A look across an execve ends
        // early. So a look counts when its size is the one between the bounds, or when the same bounds stood before
        // and after it: there was no execve in between.
        const unsigned long end = stat->code_end == 0 ? 0 : stat->environment_end;
        const bool whole = !environment->empty() && environment->size() == end - stat->environment_begin;
        if (end != 0 && (whole || end == last_end)) {
            return *environment;
        }
        last_end = end;
        if (end == 0) {
            sleep_s(0.001);
        }
    }
}

std::multimap<pid_t, pid_t> all_children() {
    std::multimap<pid_t, pid_t> children;
    for (const pid_t pid : all_processes()) {
        const auto stat = stat_of(pid);
        if (stat && stat->parent > 0 && !has_ended(*stat)) {
            children.emplace(stat->parent, pid);
        }
    }
    return children;
}

std::vector<pid_t> descendants_of(pid_t root, const std::multimap<pid_t, pid_t>& children) {
    std::vector<pid_t> found;
    std::vector<pid_t> next{root};
    while (!next.empty()) {
        const pid_t parent = next.back();
        next.pop_back();
        const auto [begin, end] = children.equal_range(parent);
        for (auto it = begin; it != end; ++it) {
            found.push_back(it->second);
            next.push_back(it->second);
        }
    }
    return found;
}

std::vector<pid_t> descendants_of(pid_t root) {
    return descendants_of(root, all_children());
}

pid_t parent_of(pid_t pid) {
    const auto stat = stat_of(pid);
    return stat ? stat->parent : 0;
}

bool has_open(pid_t pid, dev_t device, ino_t inode) {
    std::error_code error;
    const std::filesystem::directory_iterator fds("/proc/" + std::to_string(pid) + "/fd", error);
    return !error && std::any_of(begin(fds), end(fds), [&](const auto& fd) {
        struct stat info {};
        return ::stat(fd.path().c_str(), &info) == 0 && info.st_dev == device && info.st_ino == inode;
    });
}

int signal_descendants(pid_t root, int signal) {
    const auto pids = descendants_of(root);
    for (const pid_t pid : pids) {
        ::kill(pid, signal);
    }
    return static_cast<int>(pids.size());
}

void stop_descendants(pid_t root, double seconds) {
    const double until = monotonic_s() + seconds;
    for (;;) {
        bool all_stopped = true;
        for (const pid_t pid : descendants_of(root)) {
            if (!is_suspended(pid) && ::kill(pid, SIGSTOP) == 0) {
                all_stopped = false;
            }
        }
        if (all_stopped || monotonic_s() >= until) {
            return;
        }
        sleep_s(0.001);
    }
}

int kill_descendants(pid_t root, double seconds) {
    const double deadline = monotonic_s() + seconds;
    for (;;) {
        const int left = signal_descendants(root, SIGKILL);
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (left == 0 || monotonic_s() > deadline) {
            return left;
        }
        sleep_s(0.005);
    }
}

std::vector<pid_t> processes_with_environment(const std::string& assignment) {
    std::vector<pid_t> found;
    for (const pid_t pid : all_processes()) {
        if (pid == ::getpid()) {
            continue;
        }
        const std::string text = '\0' + environment_of(pid);
        if (text.find('\0' + assignment + '\0') != std::string::npos) {
            found.push_back(pid);
        }
    }
    return found;
}

std::string command_of(pid_t pid) {
    const std::string base = "/proc/" + std::to_string(pid);
    std::string command = read_all(base + "/cmdline");
    // The name alone: the folder of an interpreter would leave no room for the script.
    if (command.starts_with('/')) {
        command.erase(0, command.substr(0, command.find('\0')).rfind('/') + 1);
    }
    std::replace(command.begin(), command.end(), '\0', ' ');
    while (!command.empty() && command.back() == ' ') {
        command.pop_back();
    }
    if (command.empty()) {
        command = read_all(base + "/comm");
        if (command.empty()) {
            return {};
        }
        command.pop_back();
    }
    if (command.size() > 80) {
        command = command.substr(0, 77) + "...";
    }
    return visible_line(as_utf8(command));  // a script in a word has line breaks
}

std::string owner_of(pid_t pid) {
    struct stat info {};
    return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 ? user_name(info.st_uid) : "";
}

// Not getpwuid(3): a static program would need the node's own name service modules.
std::string user_name(uid_t user) {
    const std::string uid = std::to_string(user);
    std::istringstream users(read_all("/etc/passwd"));
    for (std::string line; std::getline(users, line);) {
        const auto name = line.find(':');
        const auto password = name == std::string::npos ? name : line.find(':', name + 1);
        if (password != std::string::npos && line.compare(password + 1, uid.size() + 1, uid + ':') == 0) {
            return as_utf8(line.substr(0, name));
        }
    }
    return "uid " + uid;
}

std::string run_of(pid_t pid) {
    const std::string environment = '\0' + environment_of(pid);
    const std::string key = std::string(1, '\0') + "RANKSCOPE_RUN_ID=";
    const auto at = environment.find(key);
    if (at == std::string::npos) {
        return {};
    }
    const auto begin = at + key.size();
    return as_utf8(environment.substr(begin, environment.find('\0', begin) - begin));
}

bool is_own(pid_t pid) {
    struct stat info {};
    return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 && info.st_uid == ::getuid();
}

std::int64_t started_at(pid_t pid) {
    std::istringstream boot(read_all("/proc/stat"));
    std::int64_t booted = 0;
    for (std::string line; booted == 0 && std::getline(boot, line);) {
        if (line.starts_with("btime ")) {
            booted = std::atoll(line.c_str() + 6);
        }
    }
    const auto stat = stat_of(pid);
    return stat && booted != 0
               ? booted + static_cast<std::int64_t>(stat->start_ticks) / ::sysconf(_SC_CLK_TCK)
               : 0;
}

std::uint64_t start_ticks_of(pid_t pid) {
    const auto stat = stat_of(pid);
    return stat ? stat->start_ticks : 0;
}

bool is_zombie(pid_t pid) {
    const auto stat = stat_of(pid);
    return stat && stat->state == 'Z';
}

bool is_stopped(pid_t pid) {
    const auto stat = stat_of(pid);
    return stat && (stat->state == 'T' || stat->state == 't');
}

bool is_suspended(pid_t pid) {
    const auto stat = stat_of(pid);
    if (!stat || has_ended(*stat)) {
        return true;
    }
    if (stat->state != 'D') {
        return stat->state == 'T' || stat->state == 't';
    }
    std::istringstream children(
        read_all("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"));
    for (pid_t child = 0; children >> child;) {
        if (is_stopped(child)) {
            return true;
        }
    }
    return false;
}

std::string describe_process(pid_t pid) {
    const std::string command = command_of(pid);
    if (command.empty()) {
        return {};
    }
    std::string since;
    if (const std::time_t started = started_at(pid); started != 0) {
        std::tm parts{};
        ::localtime_r(&started, &parts);
        char text[32];
        std::strftime(text, sizeof text, ", since %Y-%m-%d %H:%M", &parts);
        since = text;
    }
    return command + " (pid " + std::to_string(pid) + ", user " + owner_of(pid) + since + ")";
}

}  // namespace rankscope::agent
