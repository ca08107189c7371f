// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "SshFailures";

std::string address(const SshTarget& target) {
    return target.host + ':' + std::to_string(target.port);
}

constexpr unsigned kIcmpOverhead = 28;  // of IPv4 and ICMP
constexpr std::size_t kLongestWords = 300;

// What a server says may be anything.
std::string one_line(std::string words) {
    words.resize(std::min(words.size(), kLongestWords));
    words = as_utf8(std::move(words));
    std::replace_if(
        words.begin(), words.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    words.erase(0, words.find_first_not_of(' '));
    words.erase(words.find_last_not_of(' ') + 1);
    return words;
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
        text(kContext,
             "Install your key there: `rankscopectl keys install %1`, or `ssh-copy-id -p %2 %3`. If it is "
             "there, the node refuses the account: DenyUsers or AllowUsers, a locked or expired account, or "
             "a login shell that does not exist; `journalctl -u ssh` there says which.",
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

Failure login_denied(const std::string& node, const std::string& words, const std::string& detail) {
    return {"ssh-login-closed", node,
            text(kContext, "The node refuses the account for now. It says: %1", {one_line(words)}),
            text(kContext,
                 "The login itself is right. /run/nologin closes a node to all users but root, account "
                 "rules close it to one; ask its administrator."),
            detail};
}

Failure no_session(const std::string& node, const std::string& detail) {
    return {
        "ssh-exec", node, text(kContext, "The node accepts the login, but opens no session."),
        text(kContext,
             "Check MaxSessions in sshd_config there (0 forbids commands), and the account's login shell."),
        detail};
}

Failure no_process(const std::string& node, const std::string& user, const std::string& detail) {
    const std::string name = user.empty() ? std::string("USER") : user;
    return {
        "ssh-exec", node,
        text(kContext,
             "The node accepts the login, but has no process for the account: its limit (ulimit -u) is "
             "reached, or memory is full."),
        text(kContext,
             "There, as root: `ps -u %1 -L --no-headers | wc -l` counts them, `su - %1 -c 'ulimit -u'` is "
             "the limit; end what is left over, or raise nproc in /etc/security/limits.d.",
             {name}),
        detail};
}

Failure no_start(const std::string& node, double seconds, const std::string& detail) {
    return {
        "ssh-exec", node,
        text(kContext, "The node accepts the login, but did not start a command within %1 s.",
             {std::to_string(static_cast<int>(seconds))}),
        text(kContext, "Check the load of the node, its disks (a home folder that hangs) and the network."),
        detail};
}

Failure large_packets_vanish(const SshTarget& target, unsigned bytes, const std::string& interface_name,
                             const std::string& detail) {
    const std::string payload = std::to_string(bytes > kIcmpOverhead ? bytes - kIcmpOverhead : bytes);
    const std::string test =
        text(kContext,
             "Large packets from this computer to the node vanish: a VPN or tunnel on the path has a smaller "
             "MTU. Test: `ping -c 3 -M do -s %1 %2` gets no answer, `ping -c 3 -M do -s 1000 %2` does.",
             {payload, target.host});
    const std::string remedy =
        interface_name.empty()
            ? text(kContext, "Lower the MTU of the interface that leads there, for example to 1300.")
            : text(kContext,
                   "On this computer: `sudo ip link set dev %1 mtu 1300` (back: `sudo ip link set dev %1 mtu "
                   "%2`).",
                   {interface_name, std::to_string(bytes)});
    return {"mtu-blackhole", target.node,
            text(kContext, "Packets of %1 bytes from this computer do not reach the node, small ones do.",
                 {std::to_string(bytes)}),
            test + ' ' + remedy, detail};
}

}  // namespace rankscope::inline nodes
