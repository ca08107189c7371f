// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/text.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/ranks/file_search.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostDescriptors = 4096;

const auto kCloseDir = [](DIR* dir) { ::closedir(dir); };
using OpenFolder = std::unique_ptr<DIR, decltype(kCloseDir)>;

std::string link_of(const std::string& path) {
    std::array<char, 4096> bytes;
    const auto size = ::readlink(path.c_str(), bytes.data(), bytes.size());
    return size < 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
}

bool holds_code(const std::string& name) {
    constexpr std::array<std::string_view, 3> kNames{"__pycache__", "node_modules", "site-packages"};
    return name.starts_with('.') || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

bool search_files(const fs::path& folder, const SearchLimits& limits,
                  const std::function<bool(const std::string& path)>& wanted,
                  const std::function<void(const std::string& path)>& found) {
    std::size_t entries = 0;
    std::deque<std::pair<std::string, int>> folders{{folder.string(), 0}};
    for (; !folders.empty(); folders.pop_front()) {
        const auto& [path, depth] = folders.front();
        const OpenFolder dir(::opendir(path.c_str()), kCloseDir);
        if (!dir) {
            continue;
        }
        std::vector<std::string> below;
        bool of_code = false;
        while (const dirent* entry = ::readdir(dir.get())) {
            const std::string name = entry->d_name;
            if (name == "." || name == "..") {
                continue;
            }
            if (++entries > limits.entries) {
                return false;
            }
            unsigned char type = entry->d_type;
            if (type == DT_UNKNOWN) {
                struct stat info {};
                const bool there =
                    ::fstatat(::dirfd(dir.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
                type = !there                  ? DT_UNKNOWN
                       : S_ISDIR(info.st_mode) ? DT_DIR
                       : S_ISREG(info.st_mode) ? DT_REG
                                               : DT_UNKNOWN;
            }
            of_code = of_code || (limits.skips_code && name == "pyvenv.cfg");
            const std::string whole = path + '/' + name;
            if (type == DT_DIR && depth < limits.depth && !(limits.skips_code && holds_code(name))) {
                below.push_back(whole);
            } else if (type == DT_REG && wanted(whole)) {
                found(whole);
            }
        }
        for (auto& one : of_code ? std::vector<std::string>() : std::move(below)) {
            folders.emplace_back(std::move(one), depth + 1);
        }
    }
    return true;
}

std::vector<std::string> files_written_by(pid_t pid,
                                          const std::function<bool(const std::string& path)>& wanted) {
    std::vector<std::string> files;
    const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
    const OpenFolder dir(::opendir(folder.c_str()), kCloseDir);
    std::size_t looked_at = 0;
    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
        if (!is_digit(entry->d_name[0]) || ++looked_at > kMostDescriptors) {
            continue;
        }
        std::array<char, 4096> bytes;
        const auto size = ::readlinkat(::dirfd(dir.get()), entry->d_name, bytes.data(), bytes.size());
        if (size <= 0 || bytes[0] != '/') {
            continue;  // a pipe, a socket
        }
        std::string path(bytes.data(), static_cast<std::size_t>(size));
        // The permissions of the link say what the file is open for.
        struct stat info {};
        if (wanted(path) && ::fstatat(::dirfd(dir.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            (info.st_mode & S_IWUSR) != 0) {
            files.push_back(std::move(path));
        }
    }
    return files;
}

std::optional<double> born_at(const std::string& path) {
    struct statx info {};
    if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) != 0 ||
        (info.stx_mask & STATX_BTIME) == 0) {
        return std::nullopt;
    }
    return static_cast<double>(info.stx_btime.tv_sec) + info.stx_btime.tv_nsec * 1e-9;
}

bool is_shared_with_others(const fs::path& folder, const std::set<pid_t>& own) {
    std::set<std::string> programs;
    for (const pid_t pid : own) {
        programs.insert(link_of("/proc/" + std::to_string(pid) + "/exe"));
    }
    programs.erase("");
    struct stat place {};
    if (::stat(folder.c_str(), &place) != 0) {
        return false;
    }
    for (const pid_t pid : all_processes()) {
        const std::string proc = "/proc/" + std::to_string(pid);
        struct stat other {};  // a folder of that name in a container is another one
        if (!own.contains(pid) && ::stat((proc + "/cwd").c_str(), &other) == 0 &&
            other.st_dev == place.st_dev && other.st_ino == place.st_ino &&
            programs.contains(link_of(proc + "/exe"))) {
            return true;
        }
    }
    return false;
}

std::vector<fs::path> folders_of_command(const std::vector<std::string>& command, const fs::path& workdir) {
    constexpr std::array<std::string_view, 7> kWords{"dir",  "log",     "out",   "path",
                                                     "root", "project", "folder"};
    std::vector<fs::path> folders;
    bool named = false;
    for (const auto& word : command) {
        const auto equals = word.find('=');
        const std::string option = lower_case(word.substr(0, equals));
        const bool is_option = word.starts_with('-') || equals != std::string::npos;
        const bool names = is_option && std::any_of(kWords.begin(), kWords.end(), [&option](auto one) {
                               return option.find(one) != std::string::npos;
                           });
        const std::string value = equals != std::string::npos ? word.substr(equals + 1)
                                  : is_option                 ? std::string()
                                                              : word;
        if (!value.empty() && (named || names)) {
            const auto path = (workdir / expand_home(value)).lexically_normal();
            std::error_code error;
            if (path != path.root_path() && (!fs::exists(path, error) || fs::is_directory(path, error))) {
                folders.push_back(path);
            }
        }
        named = names && equals == std::string::npos;
    }
    return folders;
}

}  // namespace rankscope::agent
