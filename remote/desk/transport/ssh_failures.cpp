// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/text.h>
#include <remote/desk/transport/ssh_failures.h>

#include <cerrno>
#include <cstring>

namespace rankscope {
namespace {

constexpr const char* kContext = "SshFailures";

std::string address(const SshTarget& target) {
    return target.host + ':' + std::to_string(target.port);
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const auto& word : words) {
        all += (all.empty() ? "" : ", ") + word;
    }
    return all;
}

}  // namespace

std::string known_hosts_name(const SshTarget& target) {
    return target.port == 22 ? target.host : '[' + target.host + "]:" + std::to_string(target.port);
}

Failure unknown_host(const std::string& node, const std::string& host, const std::string& detail) {
    return {"ssh-name-unresolvable", node, text(kContext, "The name \"%1\" cannot be resolved.", {host}),
            text(kContext, "Correct host: in the inventory, or give the node's address."), detail};
}

Failure connect_failed(const std::string& node, const std::string& where, int error, double timeout_s,
                       const std::string& detail) {
    const std::string host = where.substr(0, where.rfind(':'));
    switch (error) {
        case ECONNREFUSED:
            return {
                "ssh-refused", node,
                text(kContext, "%1 refuses the connection: no SSH server listens there.", {where}),
                text(kContext, "On the node: `sudo systemctl start ssh`; check the port in the inventory."),
                detail};
        case ETIMEDOUT:
            return {"ssh-timeout", node,
                    text(kContext, "%1 did not answer within %2 s.",
                         {where, std::to_string(static_cast<int>(timeout_s))}),
                    text(kContext,
                         "Check that the node is up and that no firewall drops the port: `nc -vz %1 %2`.",
                         {host, where.substr(where.rfind(':') + 1)}),
                    detail};
        case EHOSTUNREACH:
        case ENETUNREACH:
            return {"ssh-no-route", node, text(kContext, "There is no route to %1.", {where}),
                    text(kContext, "Check the address, the VPN and `ip route get %1`.", {host}), detail};
        default:
            return {"ssh-connect", node, text(kContext, "%1 cannot be reached.", {where}),
                    text(kContext, "Check address and network."), detail};
    }
}

Failure server_silent(const SshTarget& target, const std::string& detail) {
    return {"ssh-timeout", target.node,
            text(kContext, "%1 accepts the connection, but sends nothing.", {address(target)}),
            text(kContext, "Is this the SSH port? `ssh -v -p %1 %2` shows where it stops.",
                 {std::to_string(target.port), target.account()}),
            detail};
}

Failure server_closed(const SshTarget& target, const std::string& detail) {
    return {"ssh-protocol", target.node,
            text(kContext, "%1 closed the connection during its setup.", {address(target)}),
            text(kContext,
                 "Common causes: MaxStartups or fail2ban on the node, or another service on that port; see "
                 "`journalctl -u ssh` there."),
            detail};
}

Failure no_common_algorithm(const SshTarget& target, const std::string& detail) {
    return {"ssh-algorithms", target.node,
            text(kContext, "%1 and this program share no algorithm.", {address(target)}),
            text(kContext, "Update the SSH server there, or allow an algorithm both have."), detail};
}

Failure host_key_unknown(const SshTarget& target, const std::string& type, const std::string& fingerprint) {
    return {
        "ssh-hostkey-unknown", target.node,
        text(kContext, "The host key of %1 is not known: %2 %3.", {target.host, type, fingerprint}),
        text(kContext,
             "Compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the node, then accept "
             "it (rankscopectl: --accept-new-host-keys)."),
        ""};
}

Failure host_key_changed(const SshTarget& target, const std::string& type, const std::string& fingerprint) {
    return {"ssh-hostkey-changed", target.node,
            text(kContext, "The host key of %1 has changed: it is now %2 %3. Nothing was sent to it.",
                 {target.host, type, fingerprint}),
            text(kContext,
                 "If the machine was reinstalled, compare the fingerprint there and remove the old key: "
                 "`ssh-keygen -R %1`. If not, another machine may intercept the connection: ask the "
                 "administrator.",
                 {known_hosts_name(target)}),
            ""};
}

Failure host_key_other(const SshTarget& target, const std::string& type, const std::string& fingerprint) {
    return {"ssh-hostkey-other", target.node,
            text(kContext, "known_hosts has another type of key for %1 than the one that it sends: %2 %3.",
                 {target.host, type, fingerprint}),
            text(kContext,
                 "Compare the fingerprint on the node. `ssh-keyscan -t %1 %2` prints the line to add to "
                 "known_hosts.",
                 {type, target.host}),
            ""};
}

Failure host_key_revoked(const SshTarget& target, const std::string& type, const std::string& fingerprint,
                         const std::string& line) {
    return {"ssh-hostkey-revoked", target.node,
            text(kContext, "%1 sends a host key that is marked as revoked: %2 %3. Nothing was sent to it.",
                 {target.host, type, fingerprint}),
            text(kContext,
                 "Give the machine a new host key, or remove the @revoked line (%1) if it is wrong.", {line}),
            line};
}

Failure known_hosts_unreadable(const SshTarget& target, const std::string& detail) {
    return {"ssh-known-hosts", target.node, text(kContext, "known_hosts cannot be read."),
            text(kContext, "Check ~/.ssh/known_hosts."), detail};
}

Failure known_hosts_unwritable(const SshTarget& target, const std::string& file, const std::string& detail) {
    return {"ssh-known-hosts", target.node, text(kContext, "The key cannot be added to %1.", {file}),
            text(kContext, "Check that the file and its folder belong to you and are writable."), detail};
}

Failure answer_late(const SshTarget& target, const std::string& detail) {
    return {kAnswerLate, target.node,
            text(kContext, "%1 closed the connection while it waited for an answer.", {address(target)}),
            text(kContext, "Connect again; LoginGraceTime of the node's sshd is the time for an answer."),
            detail};
}

Failure closed_during_login(const SshTarget& target, const std::string& detail) {
    return {"ssh-login-closed", target.node,
            text(kContext, "%1 closed the connection during the login.", {address(target)}),
            text(kContext,
                 "Connect again. If this happens each time, `journalctl -u ssh` on the node shows the reason "
                 "(LoginGraceTime, MaxAuthTries, fail2ban)."),
            detail};
}

Failure password_needed(const SshTarget& target, const std::string& detail) {
    return {
        "ssh-password-needed", target.node,
        text(kContext, "%1 asks for a password, and there is no terminal to type it in.", {target.account()}),
        text(kContext,
             "Install your key from a terminal: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`.",
             {target.node, std::to_string(target.port), target.account()}),
        detail};
}

Failure keys_refused(const SshTarget& target, const std::vector<std::string>& keys,
                     const std::string& methods, const std::string& detail) {
    Failure failure{
        "ssh-auth-denied", target.node, "",
        text(kContext, "Install your key there: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`.",
             {target.node, std::to_string(target.port), target.account()}),
        detail};
    if (keys.empty()) {
        failure.what = methods.empty() ? text(kContext, "There is no key to offer to %1.", {target.account()})
                                       : text(kContext, "There is no key to offer to %1; it allows: %2.",
                                              {target.account(), methods});
    } else {
        failure.what = methods.empty()
                           ? text(kContext, "%1 accepts none of the keys offered (%2).",
                                  {target.account(), joined(keys)})
                           : text(kContext, "%1 accepts none of the keys offered (%2); it allows: %3.",
                                  {target.account(), joined(keys), methods});
    }
    return failure;
}

Failure password_refused(const SshTarget& target, const std::string& detail) {
    return {"ssh-auth-denied", target.node,
            text(kContext, "%1 does not accept the password.", {target.account()}),
            text(kContext, "Check user name and password; `ssh %1` should succeed.", {target.account()}),
            detail};
}

Failure passphrase_needed(const SshTarget& target, const std::string& file, const std::string& detail) {
    return {
        "ssh-passphrase-needed", target.node,
        text(kContext, "The key %1 for %2 needs its passphrase.", {file, target.account()}),
        text(kContext,
             "Unlock it for all programs with `ssh-add %1`, or start Rankscope from a terminal and type it.",
             {file}),
        detail};
}

Failure key_file_too_open(const SshTarget& target, const std::string& file, const std::string& detail) {
    return {"ssh-key-permissions", target.node,
            text(kContext, "The key file %1 can be read by others, so it is not used for %2.",
                 {file, target.account()}),
            text(kContext, "`chmod 600 %1`; if others use this machine, make a new key.", {file}), detail};
}

Failure too_many_keys(const SshTarget& target, int offered, const std::string& detail) {
    return {
        "ssh-too-many-auth", target.node,
        text(kContext,
             "%1 closed the connection after too many keys: the agent offers %2, and the server accepts only "
             "a few (MaxAuthTries).",
             {target.account(), std::to_string(offered)}),
        text(kContext,
             "Name the right key: identity_file: for this node, with IdentitiesOnly yes in ~/.ssh/config."),
        detail};
}

Failure no_session(const std::string& node, const std::string& detail) {
    return {"ssh-exec", node, text(kContext, "The node does not start commands."),
            text(kContext, "Check ForceCommand, MaxSessions and the account's login shell there."), detail};
}

}  // namespace rankscope
