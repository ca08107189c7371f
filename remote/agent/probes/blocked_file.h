// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/proc_text.h>

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::agent {

/// What a system call works on. Found in /proc alone: a file server that does not answer is never asked.
struct BlockedFile {
    std::string file;          ///< its path, or "pipe:[4711]"; empty: the call is about no file
    std::string file_system;   ///< nfs4, ext4, …; empty: it is not a file of a file system
    std::string source;        ///< 10.0.0.9:/export, /dev/vda1
    std::uint64_t socket = 0;  ///< inode of the socket that the call waits for; 0: none, or several
    bool on_a_file_system() const { return !file_system.empty(); }
};

/// `memory`: the process's own memory may be read, for the path of openat(2) and the descriptors of poll(2).
BlockedFile blocked_file_of(pid_t pid, const ProcFolder& process, const SystemCall& call,
                            const std::vector<Mount>& mounts, bool memory);

/// Where no system call may be seen, and the kernel's function `wait_channel` is one that waits for a file server: the
/// only file that the process has open on such a server; of several files, or none, only file system and source, where
/// there is one alone. Empty: it waits for something else.
BlockedFile served_file_of(const ProcFolder& process, const std::string& wait_channel,
                           const std::vector<Mount>& mounts);

/// The mount that a path is on: the last of those with the longest mount point. nullptr: none.
const Mount* mount_of(const std::string& path, const std::vector<Mount>& mounts);

}  // namespace rankscope::agent
