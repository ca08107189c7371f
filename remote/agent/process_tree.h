// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rankscope::agent {

/// All descendants of a process, children before grandchildren, from /proc. A supervisor is a child subreaper
/// (prctl(2)), so nothing that a rank starts can leave the tree by forking twice.
std::vector<pid_t> descendants_of(pid_t root);

/// Sends a signal to every descendant. Returns how many there were.
int signal_descendants(pid_t root, int signal);

/// SIGKILL to every descendant, again and again until there is none (they may fork meanwhile) or `seconds`
/// are over. Reaps our own children. Returns how many are left: 0 but for processes in uninterruptible sleep.
int kill_descendants(pid_t root, double seconds);

/// Processes of this user whose environment holds NAME=VALUE.
std::vector<pid_t> processes_with_environment(const std::string& assignment);

/// "python3 train.py (pid 4711, uid 1000)" of a process, always UTF-8; empty when it is gone.
std::string describe_process(pid_t pid);

}  // namespace rankscope::agent
