// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <string>

namespace rankscope::inline nodes {

/// What ssh said while it failed (LC_ALL=C, LogLevel INFO), as the failure that libssh would have given for
/// the same fault. `target` is what ssh was asked for; a fault of a jump host names that host.
Failure explain_openssh(const SshTarget& target, const std::string& said);

}  // namespace rankscope::inline nodes
