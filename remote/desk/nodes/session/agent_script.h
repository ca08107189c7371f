// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/deploy/artifacts.h>

#include <string>

namespace rankscope::inline nodes {

/// The shell lines that find, verify, start and receive the agent on a node. Exit codes are part of the
/// contract with AgentLink.
inline constexpr int kExitNeedAgent = 97;
inline constexpr int kExitUnsafeFolder = 92;
inline constexpr int kExitCannotMakeFolder = 93;
inline constexpr int kExitCannotWrite = 94;
inline constexpr int kExitNotExecutable = 95;
inline constexpr int kExitDamaged = 96;
inline constexpr const char* kNeedAgentMarker = "RANKSCOPE-NEED-AGENT ";
/// Before the mode (as ls writes it), the owner's number and the path of a folder that others can change.
inline constexpr const char* kUnsafeMarker = "RANKSCOPE-UNSAFE ";

/// Starts the agent if it is there with the right content; else prints the marker with `uname -sm` and exits
/// with kExitNeedAgent. Refuses a cache folder in which another user could have put it (kExitUnsafeFolder).
std::string start_agent_script(const AgentBinary& agent, const std::string& cache_dir);
/// Reads the agent's bytes from stdin, checks their number (and SHA-256 where a program computes it), and
/// puts them in place. Refuses the same folders.
std::string receive_agent_script(const AgentBinary& agent, const std::string& cache_dir);

}  // namespace rankscope::inline nodes
