// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_folder.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace rankscope::agent {

inline constexpr std::size_t kMostSockets = 512;  ///< of a rank

using SocketsByInode = std::unordered_map<std::uint64_t, wire::SocketState>;

/// The TCP sockets of one network namespace that belong to `inodes`.
struct SocketTable {
    SocketsByInode sockets;
    std::string unseen;  ///< why retransmissions, times and windows are missing; empty: they are here
};

/// From the kernel by sock_diag(7), in the agent's own network namespace; where that is not permitted, from `net`.
SocketTable read_sockets(const ProcFolder& net, const std::unordered_set<std::uint64_t>& inodes);
/// From /proc/PID/net alone: of a process in another network namespace.
SocketTable read_listed_sockets(const ProcFolder& net, const std::unordered_set<std::uint64_t>& inodes);

/// What a process has open; at most 4096 descriptors are looked at.
struct OpenFiles {
    std::vector<std::uint64_t> sockets;  ///< inodes, of sockets of whatever kind
    bool gpu = false;
};
OpenFiles open_files(const ProcFolder& process);
/// The inode in "socket:[4711]"; 0: something else.
std::uint64_t socket_inode(const std::string& link);

/// Whether it connects to another process, or tries to.
bool is_connection(const wire::SocketState& socket);

/// The most telling kMostSockets, those first: tries to connect, holds unsent data, holds unread data, the others.
void keep_most_telling(std::vector<wire::SocketState>& sockets);

}  // namespace rankscope::agent
