// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// What the thread of the hook waits for, in a Python program that has it. All others ignore the signal by default: it
/// does no harm where it comes too late.
inline constexpr int kStackSignal = SIGURG;

/// "0" in the environment of a job leaves the hook out.
inline constexpr const char* kStacksVariable = "RANKSCOPE_PYTHON_STACKS";

/// The hook itself: Python, of ranks/sitecustomize.py.
std::string_view stack_hook();

/// Where a rank finds the hook. There, the link PID leads to the number of the thread to ask, or to '!' and why nobody is
/// to be asked; the links PID.0, PID.1, … lead to its last answer.
std::filesystem::path stack_folder_of(const RunDir& dir, int rank);

/// In it: the hook of what the rank starts, with the pipes that are ready for it (inner/stream_pool.h). Where it is not there,
/// PYTHONPATH is restored.
std::filesystem::path inner_folder_of(const RunDir& dir, int rank);

/// Leaves for the hook of what the rank starts which pipes the rank's stdout and stderr are.
void note_streams(const RunDir& dir, int rank, int out, int err);

/// Onto the environment of a rank: a sitecustomize of ours, by PYTHONPATH, that starts the thread at the start of the
/// interpreter, restores PYTHONPATH and sys.path, and then runs the sitecustomize that would have run. Does nothing
/// when the job does not want it, or the folder of the run cannot stand in PYTHONPATH or be written to.
void add_stack_hook(std::map<std::string, std::string>& variables, const RunDir& dir, int rank);

}  // namespace rankscope::agent
