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
    return {"ssh-unknown-host", node, text(kContext, "The name \"%1\" cannot be resolved.", {host}),
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
            return {
                "ssh-timeout", node,
                text(kContext, "%1 did not answer within %2 s.",
                     {where, std::to_string(static_cast<int>(timeout_s))}),
                text(kContext, "Check that the node is up and that no firewall drops the port: `nc -vz %1`.",
                     {host + ' ' + where.substr(where.rfind(':') + 1)}),
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
            text(kContext, "%1 accepts the connection, but says nothing.", {address(target)}),
            text(kContext, "Is this the SSH port? `ssh -v -p %1 %2` shows where it stops.",
                 {std::to_string(target.port), target.account()}),
            detail};
}

Failure server_closed(const SshTarget& target, const std::string& detail) {
    return {"ssh-protocol", target.node,
            text(kContext, "%1 closed the connection while it was set up.", {address(target)}),
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
        "ssh-host-key-unknown", target.node,
        text(kContext, "The host key of %1 is not known: %2 %3.", {target.host, type, fingerprint}),
        text(kContext,
             "Compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the node, then accept "
             "it (rankscopectl: --accept-new-host-keys)."),
        ""};
}

Failure host_key_changed(const SshTarget& target, const std::string& type, const std::string& fingerprint) {
    return {"ssh-host-key-changed", target.node,
            text(kContext, "The host key of %1 has changed: it is now %2 %3. Nothing was sent to it.",
                 {target.host, type, fingerprint}),
            text(kContext,
                 "If the machine was set up anew, compare the fingerprint there and forget the old key: "
                 "`ssh-keygen -R '%1'`. If not, somebody may be in between: ask its administrator.",
                 {known_hosts_name(target)}),
            ""};
}

Failure host_key_other(const SshTarget& target, const std::string& type, const std::string& fingerprint) {
    return {"ssh-host-key-other", target.node,
            text(kContext, "known_hosts has another type of key for %1 than the one it shows: %2 %3.",
                 {target.host, type, fingerprint}),
            text(kContext,
                 "Compare the fingerprint on the node, then `ssh-keyscan -t %1 %2` shows the line "
                 "to add to known_hosts.",
                 {type, target.host}),
            ""};
}

Failure host_key_revoked(const SshTarget& target, const std::string& type, const std::string& fingerprint,
                         const std::string& line) {
    return {
        "ssh-host-key-revoked", target.node,
        text(kContext, "%1 shows a host key that is marked as revoked: %2 %3. Nothing was sent to it.",
             {target.host, type, fingerprint}),
        text(kContext,
             "Whoever wrote the @revoked line (%1) knows why: give the machine a new host key, or take the "
             "line out if it is wrong.",
             {line}),
        line};
}

Failure known_hosts_unreadable(const SshTarget& target, const std::string& detail) {
    return {"ssh-known-hosts", target.node, text(kContext, "known_hosts cannot be read."),
            text(kContext, "Check ~/.ssh/known_hosts."), detail};
}

Failure known_hosts_unwritable(const SshTarget& target, const std::string& detail) {
    return {"ssh-known-hosts", target.node, text(kContext, "The key cannot be added to known_hosts."),
            text(kContext, "Check that ~/.ssh and ~/.ssh/known_hosts are yours and writable."), detail};
}

Failure keys_refused(const SshTarget& target, const std::vector<std::string>& keys,
                     const std::string& methods, const std::string& detail) {
    Failure failure{
        "ssh-auth-failed", target.node, "",
        text(kContext, "Install your key there: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`.",
             {target.node, std::to_string(target.port), target.account()}),
        detail};
    failure.what = keys.empty() ? text(kContext, "There is no key to offer to %1; it allows: %2.",
                                       {target.account(), methods})
                                : text(kContext, "%1 accepts none of the keys offered (%2); it allows: %3.",
                                       {target.account(), joined(keys), methods});
    return failure;
}

Failure password_refused(const SshTarget& target, const std::string& detail) {
    return {"ssh-auth-failed", target.node,
            text(kContext, "%1 does not accept the password.", {target.account()}),
            text(kContext, "Check user name and password; `ssh %1` should succeed.", {target.account()}),
            detail};
}

Failure passphrase_needed(const SshTarget& target, const std::string& file, const std::string& detail) {
    return {"ssh-passphrase-needed", target.node,
            text(kContext, "The key %1 for %2 needs its passphrase.", {file, target.account()}),
            text(kContext,
                 "Unlock it for all programs with `ssh-add %1`, or start where the passphrase can be typed.",
                 {file}),
            detail};
}

Failure key_file_too_open(const SshTarget& target, const std::string& file, const std::string& detail) {
    return {"ssh-key-too-open", target.node,
            text(kContext, "The key file %1 can be read by others, so it is not used for %2.",
                 {file, target.account()}),
            text(kContext, "`chmod 600 %1`; if others use this machine, make a new key.", {file}), detail};
}

Failure too_many_keys(const SshTarget& target, int offered, const std::string& detail) {
    return {
        "ssh-too-many-keys", target.node,
        text(kContext,
             "%1 ended the connection after too many keys: the agent offers %2, and the server takes only a "
             "few (MaxAuthTries).",
             {target.account(), std::to_string(offered)}),
        text(kContext,
             "Name the right key: identity_file: for this node, with IdentitiesOnly yes in ~/.ssh/config."),
        detail};
}

Failure no_session(const std::string& node, const std::string& detail) {
    return {"ssh-exec", node, text(kContext, "The node does not let a command be started."),
            text(kContext, "Check ForceCommand, MaxSessions and the account's login shell there."), detail};
}

}  // namespace rankscope
