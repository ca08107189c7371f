// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/ports.h>
#include <remote/agent/process_tree.h>
#include <remote/base/fd.h>

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

// Binds without listening: nothing of ours can be reached meanwhile.
int try_bind(std::uint16_t port, std::uint16_t& bound) {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        return errno;
    }
    socklen_t length = sizeof address;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
    bound = ntohs(address.sin_port);
    return 0;
}

// Inode of the socket that listens on the port, from /proc/net/tcp{,6} (proc(5)); empty: none found.
std::string listening_inode(std::uint16_t port) {
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream file(table);
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            std::istringstream fields(line);
            std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
            fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >>
                inode;
            const auto colon = local.rfind(':');
            if (state == "0A" && colon != std::string::npos &&
                std::stoul(local.substr(colon + 1), nullptr, 16) == port) {
                return inode;
            }
        }
    }
    return {};
}

std::string holder_of(const std::string& inode) {
    const std::string wanted = "socket:[" + inode + "]";
    std::error_code error;
    for (fs::directory_iterator proc("/proc", error), end; !error && proc != end; proc.increment(error)) {
        const std::string name = proc->path().filename();
        if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) {
            continue;
        }
        std::error_code fd_error;
        for (fs::directory_iterator fd(proc->path() / "fd", fd_error);
             !fd_error && fd != fs::directory_iterator(); fd.increment(fd_error)) {
            std::error_code link_error;
            if (fs::read_symlink(fd->path(), link_error) == wanted) {
                return describe_process(static_cast<pid_t>(std::stol(name)));
            }
        }
    }
    return {};
}

}  // namespace

bool port_is_free(std::uint16_t port, std::string& held_by) {
    // SO_REUSEADDR lets a bind succeed beside a listener bound to another address: ask the table as well.
    const std::string inode = listening_inode(port);
    std::uint16_t bound = 0;
    const int error = try_bind(port, bound);
    if (error == 0 && inode.empty()) {
        return true;
    }
    if (!inode.empty()) {
        held_by = holder_of(inode);
        if (held_by.empty()) {
            held_by = "a process of another user";
        }
    } else {
        held_by = std::strerror(error);
    }
    return false;
}

std::uint16_t pick_free_port() {
    std::uint16_t port = 0;
    return try_bind(0, port) == 0 ? port : 0;
}

}  // namespace rankscope::agent
