// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/desk/nodes/transport/ssh_config_libssh.h>

#include <unistd.h>

#include <cstdlib>

namespace rankscope::inline nodes {

std::string session_option(ssh_session session, ssh_options_e which) {
    char* value = nullptr;
    if (ssh_options_get(session, which, &value) != SSH_OK || value == nullptr) {
        return {};
    }
    std::string result = value;
    ssh_string_free_char(value);
    return result;
}

void read_config_with_libssh(ssh_session session, const std::string& host) {
    const auto ssh_dir = home_dir() / ".ssh";
    // libssh asks the password file, everybody else $HOME
    ssh_options_set(session, SSH_OPTIONS_SSH_DIR, ssh_dir.c_str());
    ssh_options_set(session, SSH_OPTIONS_HOST, host.c_str());
    for (const std::string& file : {(ssh_dir / "config").string(), std::string("/etc/ssh/ssh_config")}) {
        if (::access(file.c_str(), R_OK) == 0) {
            ssh_options_parse_config(session, file.c_str());
        }
    }
    const bool off = false;
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
}

Result<SshTarget> resolve_with_libssh(const NodeSpec& node) {
    const SshSession session(ssh_new());
    read_config_with_libssh(session.get(), node.host);
    SshTarget target;
    target.node = node.name;
    target.alias = node.host;
    target.host = session_option(session.get(), SSH_OPTIONS_HOST);
    unsigned port = 22;
    ssh_options_get_port(session.get(), &port);
    target.port = node.port != 0 ? node.port : static_cast<int>(port);
    target.user = node.user.empty() ? session_option(session.get(), SSH_OPTIONS_USER) : node.user;
    if (target.user.empty()) {
        const char* user = std::getenv("USER");
        target.user = user != nullptr ? user : "";
    }
    target.identities_named = !node.identity_file.empty();
    if (target.identities_named) {
        target.identity_files.push_back(node.identity_file);
    }
    for (const char* name : {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}) {
        target.identity_files.emplace_back(name);
    }
    const std::string configured = session_option(session.get(), SSH_OPTIONS_IDENTITY);
    if (!configured.empty()) {
        target.identity_files.insert(target.identity_files.begin() + (target.identities_named ? 1 : 0),
                                     configured);
    }
    // A jump needs the ssh binary; it is kept so that the message can say so.
    target.proxy_jump = node.proxy_jump;
    target.proxy_command = session_option(session.get(), SSH_OPTIONS_PROXYCOMMAND);
    for (const auto which : {SSH_OPTIONS_KNOWNHOSTS, SSH_OPTIONS_GLOBAL_KNOWNHOSTS}) {
        if (auto file = session_option(session.get(), which); !file.empty()) {
            target.known_hosts.push_back(std::move(file));
        }
    }
    if (target.known_hosts.empty()) {
        target.known_hosts = {"~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"};
    }
    return target;
}

}  // namespace rankscope::inline nodes
