// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <string>

namespace rankscope::inline nodes {

/// Where the start of a command on a node has failed, after a login that succeeded.
enum class ExecStep { OpenSession, StartCommand };

/// Why the server started no command, by the step, the time and the state of the connection: refused, out of processes,
/// or too large for the path; the last one is tested with a second connection. Blocks for up to some seconds. `fd`: of
/// the TCP connection; -1: there is none of ours.
Failure explain_exec(const SshTarget& target, int fd, ExecStep step, double waited_s,
                     const std::string& detail);

}  // namespace rankscope::inline nodes
