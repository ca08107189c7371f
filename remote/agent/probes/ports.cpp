// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/ports.h>

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
#include <map>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kListens = "0A";
constexpr const char* kTimeWait = "06";

// Binds without listening: nothing of ours can be reached meanwhile.
int bind_to(const UniqueFd& fd, std::uint16_t port, std::uint16_t& bound) {
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

UniqueFd tcp_socket() {
    return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

int try_bind(std::uint16_t port, std::uint16_t& bound) {
    return bind_to(tcp_socket(), port, bound);
}

struct TcpSocket {
    std::string inode;
    std::string state;  ///< "0A": listens, "06": TIME_WAIT, which holds no port against a listener
    std::uint16_t port = 0;
    uid_t user = 0;
};

// /proc/net/tcp{,6} (proc(5)).
std::vector<TcpSocket> tcp_sockets() {
    std::vector<TcpSocket> found;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream file(table);
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            std::istringstream fields(line);
            TcpSocket socket;
            std::string slot, local, remote, queues, timer, retransmits, timeout;
            fields >> slot >> local >> remote >> socket.state >> queues >> timer >> retransmits >>
                socket.user >> timeout >> socket.inode;
            const auto colon = local.rfind(':');
            if (fields && colon != std::string::npos) {
                socket.port = static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, 16));
                found.push_back(std::move(socket));
            }
        }
    }
    return found;
}

// Listening sockets by inode.
std::map<std::string, std::uint16_t> listeners() {
    std::map<std::string, std::uint16_t> found;
    for (const auto& socket : tcp_sockets()) {
        if (socket.state == kListens) {
            found[socket.inode] = socket.port;
        }
    }
    return found;
}

// Empty: none found.
std::string listening_inode(std::uint16_t port) {
    for (const auto& [inode, listening] : listeners()) {
        if (listening == port) {
            return inode;
        }
    }
    return {};
}

// The sockets that a process has open, by inode; none where it is another user's.
std::vector<std::string> sockets_of(const fs::path& proc) {
    std::vector<std::string> inodes;
    std::error_code error;
    for (fs::directory_iterator fd(proc / "fd", error), end; !error && fd != end; fd.increment(error)) {
        std::error_code link_error;
        const std::string target = fs::read_symlink(fd->path(), link_error).string();
        if (!link_error && target.starts_with("socket:[")) {
            inodes.push_back(target.substr(8, target.size() - 9));
        }
    }
    return inodes;
}

pid_t holder_of(const std::string& inode) {
    std::error_code error;
    for (fs::directory_iterator proc("/proc", error), end; !error && proc != end; proc.increment(error)) {
        const std::string name = proc->path().filename();
        if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) {
            continue;
        }
        const auto sockets = sockets_of(proc->path());
        if (std::find(sockets.begin(), sockets.end(), inode) != sockets.end()) {
            return static_cast<pid_t>(std::stol(name));
        }
    }
    return 0;
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
        held_by = describe_process(holder_of(inode));
        if (held_by.empty()) {
            held_by = "a process of another user";
        }
    } else {
        held_by = std::strerror(error);
    }
    return false;
}

pid_t holder_of_port(std::uint16_t port) {
    const std::string inode = listening_inode(port);
    return inode.empty() ? 0 : holder_of(inode);
}

std::optional<PortSocket> socket_of_port(std::uint16_t port) {
    std::optional<TcpSocket> best;
    for (auto& socket : tcp_sockets()) {
        if (socket.port == port && socket.state != kTimeWait && (!best || socket.state == kListens)) {
            best = std::move(socket);
        }
    }
    if (!best) {
        return std::nullopt;
    }
    return PortSocket{best->state == kListens, best->user, holder_of(best->inode)};
}

int bind_error(std::uint16_t port) {
    std::uint16_t bound = 0;
    return try_bind(port, bound);
}

std::vector<std::uint16_t> listening_ports_of(pid_t pid) {
    std::vector<std::uint16_t> ports;
    const auto all = listeners();
    for (const auto& inode : sockets_of("/proc/" + std::to_string(pid))) {
        if (const auto it = all.find(inode); it != all.end()) {
            ports.push_back(it->second);
        }
    }
    return ports;
}

std::uint16_t pick_free_port() {
    return hold_port(0).port;
}

HeldPort hold_port(std::uint16_t port) {
    HeldPort held{tcp_socket()};
    if (bind_to(held.fd, port, held.port) != 0) {
        return {};
    }
    return held;
}

}  // namespace rankscope::agent
