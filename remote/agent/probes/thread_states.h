// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <optional>
#include <vector>

namespace rankscope::agent {

inline constexpr std::size_t kMostThreads = 64;  ///< of a rank

struct ThreadLook {
    wire::ThreadState state;
    std::optional<SystemCall> call;  ///< nothing: it runs, or its calls are not ours to see
};

/// The threads of a process, the main thread first, then the oldest; at most `most`. Empty: the process is gone.
/// `denied`: errno of /proc/PID/syscall, which needs the permission to trace; 0: it was read.
std::vector<ThreadLook> look_at_threads(pid_t pid, const ProcFolder& process, std::size_t most, int& denied);

}  // namespace rankscope::agent
