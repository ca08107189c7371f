// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/transport/ssh_target.h>

#include <libssh/libssh.h>

#include <memory>
#include <string>

namespace rankscope {

struct FreeSshSession {
    void operator()(ssh_session session) const {
        // A socket that was given to it, ssh_disconnect() of libssh 0.10 and later forgets without closing
        // it: the server would keep its session for as long as this program lives. Told to forget that, it
        // closes.
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

}  // namespace rankscope
