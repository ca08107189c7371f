// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/blocked_file.h>
#include <remote/agent/probes/socket_states.h>
#include <remote/agent/probes/system_call.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <set>

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kMostPolled = 64;
constexpr std::size_t kMostOpen = 1024;

// Does not stop the process, and needs the same permission as /proc/PID/syscall does.
bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t size, std::size_t& got) {
    const iovec local{to, size};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the other process
    const iovec remote{reinterpret_cast<void*>(address), size};
    const auto read = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
    got = read > 0 ? static_cast<std::size_t>(read) : 0;
    return read > 0;
}

// A path may end shortly before a page that is not mapped: read up to the end of its page, then beyond.
std::string path_at(pid_t pid, std::uint64_t address) {
    constexpr std::uint64_t kPage = 4096;
    std::string path;
    while (path.size() < kLongestPath) {
        std::array<char, kLongestPath> bytes;
        const auto size = std::min<std::uint64_t>(bytes.size(), kPage - address % kPage);
        std::size_t got = 0;
        if (!read_memory(pid, address, bytes.data(), static_cast<std::size_t>(size), got)) {
            return {};
        }
        const std::string_view piece(bytes.data(), got);
        const auto end = piece.find('\0');
        path += piece.substr(0, end);
        if (end != std::string_view::npos) {
            return path;
        }
        address += got;
    }
    return {};
}

std::vector<int> polled_descriptors(pid_t pid, const SystemCall& call) {
    const auto name = name_of(call);
    const auto count = call.arguments[1];
    if ((name != "poll" && name != "ppoll") || count == 0 || count > kMostPolled) {
        return {};
    }
    std::array<pollfd, kMostPolled> polled{};
    std::size_t got = 0;
    if (!read_memory(pid, call.arguments[0], polled.data(), static_cast<std::size_t>(count) * sizeof(pollfd),
                     got)) {
        return {};
    }
    std::vector<int> fds;
    for (std::size_t i = 0; i < got / sizeof(pollfd); ++i) {
        if (polled[i].fd >= 0) {
            fds.push_back(polled[i].fd);
        }
    }
    return fds;
}

// "tfd:       11 events: …" for each descriptor that an epoll set watches.
std::vector<int> watched_descriptors(const ProcFolder& process, const SystemCall& call) {
    if (!name_of(call).starts_with("epoll_")) {
        return {};
    }
    std::vector<int> fds;
    const std::string text = process.read("fdinfo/" + std::to_string(call.arguments[0]));
    std::string_view rest = text;
    while (!rest.empty() && fds.size() < kMostPolled) {
        auto line = next_line(rest);
        if (next_word(line) == "tfd:") {
            if (const auto fd = number_of(next_word(line)); fd && *fd <= 0x7fffffff) {
                fds.push_back(static_cast<int>(*fd));
            }
        }
    }
    return fds;
}

// Of the descriptors that a thread waits for: the socket, if there is only one. Pipes and event counters beside it
// wake a loop from inside the process.
std::uint64_t only_socket(const ProcFolder& process, const std::vector<int>& fds) {
    std::set<std::uint64_t> inodes;
    for (const int fd : fds) {
        if (const auto inode = socket_inode(process.link("fd/" + std::to_string(fd))); inode != 0) {
            inodes.insert(inode);
        }
    }
    return inodes.size() == 1 ? *inodes.begin() : 0;
}

void set_mount(BlockedFile& blocked, const Mount* mount) {
    if (mount != nullptr) {
        blocked.file_system = mount->type;
        blocked.source = mount->source;
    }
}

BlockedFile file_of_descriptor(const ProcFolder& process, int fd, const std::vector<Mount>& mounts) {
    BlockedFile blocked;
    const std::string target = process.link("fd/" + std::to_string(fd));
    blocked.socket = socket_inode(target);
    if (blocked.socket != 0 || target.starts_with("anon_inode:")) {
        return blocked;
    }
    blocked.file = target;
    if (target.starts_with('/')) {
        const auto info = process.read("fdinfo/" + std::to_string(fd));
        const auto id = number_of(field_of_status(info, "mnt_id"));
        const auto mount =
            std::find_if(mounts.begin(), mounts.end(), [&](const Mount& one) { return one.id == id; });
        set_mount(blocked, mount == mounts.end() ? mount_of(target, mounts) : &*mount);
    }
    return blocked;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool waits_for_server(const std::string& wait_channel) {
    return has_any(wait_channel,
                   {"request_wait_answer", "rpc_", "nfs", "fuse", "cifs", "ceph", "ptlrpc", "p9_"});
}

bool is_served(const std::string& file_system) {
    return has_any(file_system, {"nfs", "fuse", "cifs", "smb", "ceph", "lustre", "9p", "gpfs", "beegfs"}) &&
           file_system != "fusectl" && file_system != "nfsd";
}

// What all of them have in common.
BlockedFile in_common(const std::vector<BlockedFile>& files) {
    if (files.empty()) {
        return {};
    }
    BlockedFile common = files.front();
    for (const auto& file : files) {
        if (file.source != common.source || file.file_system != common.file_system) {
            return {};
        }
        if (file.file != common.file) {
            common.file.clear();
        }
    }
    return common;
}

BlockedFile file_of_path(pid_t pid, const ProcFolder& process, const SystemCall& call,
                         const std::vector<Mount>& mounts) {
    BlockedFile blocked;
    std::string path = path_at(pid, path_address_of(call));
    if (path.empty()) {
        return blocked;
    }
    if (!path.starts_with('/')) {
        // Beside the folder of the first argument; AT_FDCWD is negative.
        const auto folder = static_cast<std::int32_t>(call.arguments[0]);
        const bool from_cwd = path_address_of(call) == call.arguments[0] || folder < 0;
        path = process.link(from_cwd ? std::string("cwd") : "fd/" + std::to_string(folder)) + '/' + path;
    }
    set_mount(blocked, mount_of(path, mounts));
    blocked.file = std::move(path);
    return blocked;
}

}  // namespace

BlockedFile blocked_file_of(pid_t pid, const ProcFolder& process, const SystemCall& call,
                            const std::vector<Mount>& mounts, bool memory) {
    if (const auto fd = descriptor_of(call)) {
        return file_of_descriptor(process, *fd, mounts);
    }
    if (memory && path_address_of(call) != 0) {
        return file_of_path(pid, process, call, mounts);
    }
    BlockedFile blocked;
    auto fds = watched_descriptors(process, call);
    if (fds.empty() && memory) {
        fds = polled_descriptors(pid, call);
    }
    if (fds.size() == 1) {
        return file_of_descriptor(process, fds.front(), mounts);
    }
    blocked.socket = only_socket(process, fds);
    return blocked;
}

BlockedFile served_file_of(const ProcFolder& process, const std::string& wait_channel,
                           const std::vector<Mount>& mounts) {
    if (!waits_for_server(wait_channel)) {
        return {};
    }
    std::vector<BlockedFile> files;
    const ProcFolder folder(process, "fd");
    for (const int fd : folder ? folder.numbers(kMostOpen) : std::vector<int>()) {
        auto file = file_of_descriptor(process, fd, mounts);
        if (is_served(file.file_system)) {
            files.push_back(std::move(file));
        }
    }
    if (!files.empty()) {
        return in_common(files);
    }
    for (const auto& mount : mounts) {  // it opens a file
        if (is_served(mount.type)) {
            set_mount(files.emplace_back(), &mount);
        }
    }
    return in_common(files);
}

const Mount* mount_of(const std::string& path, const std::vector<Mount>& mounts) {
    const Mount* best = nullptr;
    for (const auto& mount : mounts) {
        const auto& point = mount.point;
        const bool inside =
            point == "/" || path == point || (path.starts_with(point) && path[point.size()] == '/');
        if (inside && (best == nullptr || point.size() >= best->point.size())) {
            best = &mount;
        }
    }
    return best;
}

}  // namespace rankscope::agent
