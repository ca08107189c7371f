// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Every process of this node, as /proc lists them.
std::vector<pid_t> all_processes();

/// The environment of a process of this user, entries separated by NUL. A process within execve(2) shows none
/// for a moment: it is read again, at most for a quarter of a second. Empty: the process is gone, a zombie,
/// another user's, or has no environment.
std::string environment_of(pid_t pid);

/// All descendants of a process, children before grandchildren, from /proc. A supervisor is a child subreaper
/// (prctl(2)), so nothing that a rank starts can leave the tree by forking twice.
std::vector<pid_t> descendants_of(pid_t root);
/// The same for several, of one look at /proc: parent → child, of every process that has not ended.
std::multimap<pid_t, pid_t> all_children();
std::vector<pid_t> descendants_of(pid_t root, const std::multimap<pid_t, pid_t>& children);

/// 0: the process is gone.
pid_t parent_of(pid_t pid);
/// Whether a process of this user has this very file open (device and inode of stat(2)).
bool has_open(pid_t pid, dev_t device, ino_t inode);

/// Sends a signal to every descendant. Returns their number.
int signal_descendants(pid_t root, int signal);

/// SIGSTOP to every descendant, repeated until all are stopped or `seconds` are over: one that is within fork(2)
/// stops only after its child has been made.
void stop_descendants(pid_t root, double seconds);

/// SIGKILL to every descendant, repeated until there is none (they may fork meanwhile) or `seconds` are over.
/// Reaps our own children. Returns how many are left: 0 except for processes in uninterruptible sleep.
int kill_descendants(pid_t root, double seconds);

/// Processes of this user whose environment holds NAME=VALUE.
std::vector<pid_t> processes_with_environment(const std::string& assignment);

/// "python3 train.py (pid 4711, user trainer, since 2026-11-21 14:02)" of a process, always UTF-8; empty when
/// it is gone.
std::string describe_process(pid_t pid);
/// Its command line, at most 80 bytes, always UTF-8; empty when it is gone.
std::string command_of(pid_t pid);
/// Its user: the name in /etc/passwd, else "uid 1000"; empty when it is gone.
std::string owner_of(pid_t pid);
/// A user by its number, likewise.
std::string user_name(uid_t user);
/// The run (RANKSCOPE_RUN_ID) that a process of this user belongs to, always UTF-8; empty: of none, or another user's.
std::string run_of(pid_t pid);
bool is_own(pid_t pid);
/// It has ended, and its parent has not waited for it yet.
bool is_zombie(pid_t pid);
/// Stopped by a signal or by a debugger (state T or t).
bool is_stopped(pid_t pid);
/// No instruction of it runs until SIGCONT: it is stopped, has ended, or sleeps in vfork(2) (state D) because its
/// child was stopped before it could exec.
bool is_suspended(pid_t pid);
/// When it was started, seconds since 1970; 0: unknown. Another value once the clock of the node is set.
std::int64_t started_at(pid_t pid);
/// Clock ticks from boot to its start: with the PID they name the process, whatever the clock does. 0: it is gone.
std::uint64_t start_ticks_of(pid_t pid);

}  // namespace rankscope::agent
