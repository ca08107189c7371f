// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

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

/// What the inventory and ssh_config say together, for one node.
struct SshTarget {
    std::string node;
    std::string host;
    int port = 22;
    std::string user;
    std::string proxy_command;

    std::string account() const { return user + '@' + host; }
};

}  // namespace rankscope
