// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/node/agent_failure.h>

#include <filesystem>

namespace rankscope::agent {

/// A unix socket in a folder of ours (mode 0600), reached through /proc/self/fd/<folder>, because a socket's path may have
/// only 107 bytes and homes can be deep. `type`: SOCK_STREAM or SOCK_SEQPACKET. Replaces what has the name already.
AgentResult<UniqueFd> listen_in_folder(const std::filesystem::path& dir, const char* name, int type);
/// Invalid where no process listens (errno).
UniqueFd connect_in_folder(const std::filesystem::path& dir, const char* name, int type);

}  // namespace rankscope::agent
