// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// A process whose stacks are wanted.
struct StackRequest {
    pid_t pid = 0;
    bool held = false;     ///< stopped, traced or in uninterruptible sleep: its main thread answers no signal
    bool stopped = false;  ///< stopped or traced: none of its threads does
    std::filesystem::path hook_folder;  ///< stack_folder_of() its rank
    std::string programs;               ///< the folder of its virtual environment's programs; empty: none
    bool native = false;                ///< its native stack, too
};

struct RankStacks {
    std::vector<std::string> python;
    std::string python_from;  ///< "interpreter", "py-spy"; empty: none
    std::vector<std::string> native;
    std::vector<std::pair<std::string, std::string>> unseen;  ///< what, and why there is none
};

/// The stacks of the main threads, all at the same time, within 2.8 s.
///
/// Python: by the hook in the program (hook_question.h); where that cannot answer, by py-spy, which reads the process's
/// memory and does not stop it, if it is installed and permitted. Native, only where it is asked for: by eu-stack, which stops
/// the process for some tenths of a second, and only if it answers signals; never by gdb, which keeps it stopped for as long as it reads
/// symbols (seconds for PyTorch). A process that a killed eu-stack has left stopped is continued.
std::vector<RankStacks> read_stacks(const std::vector<StackRequest>& requests, const std::stop_token& stop);

}  // namespace rankscope::agent
