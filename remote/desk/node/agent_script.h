// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/deploy/artifacts.h>

#include <string>

namespace rankscope {

/// The shell lines that find, start and receive the agent on a node. Exit codes are part of the contract with
/// AgentLink.
inline constexpr int kExitNeedAgent = 97;
inline constexpr int kExitCannotMakeFolder = 93;
inline constexpr int kExitCannotWrite = 94;
inline constexpr int kExitNotExecutable = 95;
inline constexpr int kExitDamaged = 96;
inline constexpr const char* kNeedAgentMarker = "RANKSCOPE-NEED-AGENT ";

/// Starts the agent if it is there; else prints the marker with `uname -sm` and exits with kExitNeedAgent.
std::string start_agent_script(const AgentBinary& agent, const std::string& cache_dir);
/// Takes the agent's bytes on stdin, checks their number (and SHA-256 where sha256sum exists), and puts them
/// in place.
std::string receive_agent_script(const AgentBinary& agent, const std::string& cache_dir);

}  // namespace rankscope
