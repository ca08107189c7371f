// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/transport/ssh_target.h>

#include <libssh/libssh.h>

#include <memory>
#include <string>

namespace rankscope {

struct FreeSshSession {
    void operator()(ssh_session session) const {
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
