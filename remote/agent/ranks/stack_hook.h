// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

namespace rankscope::agent {

/// A Python program whose thread kStackThread gets this signal writes the stacks of its threads into its stack file, in
/// the interpreter's faulthandler, and continues. Everything else ignores the signal by default: it does no harm where it
/// comes too late.
inline constexpr int kStackSignal = SIGURG;
/// The name of the thread that waits for the signal, and does nothing else.
inline constexpr const char* kStackThread = "rankscope-stack";

/// "0" in the environment of a job leaves the hook out.
inline constexpr const char* kStacksVariable = "RANKSCOPE_PYTHON_STACKS";

/// Where a rank writes its stack.
std::filesystem::path stack_file_of(const RunDir& dir, int rank);

/// Onto the environment of a rank: a sitecustomize of ours, by PYTHONPATH, that installs the handler at the start of the
/// interpreter, restores PYTHONPATH and sys.path, and then runs the sitecustomize that would have run. Does nothing
/// when the job does not want it, or the folder of the run cannot stand in PYTHONPATH or be written to.
void add_stack_hook(std::map<std::string, std::string>& variables, const RunDir& dir, int rank);

}  // namespace rankscope::agent
