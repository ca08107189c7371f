// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_session.h>

namespace rankscope::inline nodes {

/// Where there is no ssh binary: libssh's own reading of ~/.ssh/config and /etc/ssh/ssh_config.
Result<SshTarget> resolve_with_libssh(const NodeSpec& node);
/// Has libssh read both files for this host.
void read_config_with_libssh(ssh_session session, const std::string& host);

std::string session_option(ssh_session session, ssh_options_e which);

}  // namespace rankscope::inline nodes
