// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wait_fd.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <libssh/libssh.h>
#include <poll.h>

#include <memory>
#include <string>

namespace rankscope::inline nodes {

struct FreeSshSession {
    void operator()(ssh_session session) const {
        // ssh_disconnect() of libssh 0.10 and later does not close a socket that was given to the session:
        // the server would keep its session as long as this program lives. Without the option it closes it.
        ssh_options_set(session, SSH_OPTIONS_FD, nullptr);
        ssh_disconnect(session);
        ssh_free(session);
    }
};
using SshSession = std::unique_ptr<ssh_session_struct, FreeSshSession>;

struct FreeSshKey {
    void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<ssh_key_struct, FreeSshKey>;

/// Has the server closed the connection, though libssh has not read that yet? sshd does so when a question to
/// the user takes longer than its LoginGraceTime.
inline bool closed_by_server(ssh_session session) {
    return ssh_is_connected(session) == 0 || wait_fd(ssh_get_fd(session), POLLRDHUP, 0);
}

}  // namespace rankscope::inline nodes
