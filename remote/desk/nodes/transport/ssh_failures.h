// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <string>
#include <vector>

namespace rankscope::inline nodes {

// Failures on the way to a node: one sentence and one code each, whichever implementation found it.

Failure unknown_host(const std::string& node, const std::string& host, const std::string& detail);
/// `where`: "10.0.0.11:22". `error`: errno of connect(2).
Failure connect_failed(const std::string& node, const std::string& where, int error, double timeout_s,
                       const std::string& detail);
Failure server_silent(const SshTarget& target, const std::string& detail);
Failure server_closed(const SshTarget& target, const std::string& detail);
Failure no_common_algorithm(const SshTarget& target, const std::string& detail);

Failure host_key_unknown(const SshTarget& target, const std::string& type, const std::string& fingerprint);
Failure host_key_changed(const SshTarget& target, const std::string& type, const std::string& fingerprint);
Failure host_key_other(const SshTarget& target, const std::string& type, const std::string& fingerprint);
/// `line`: "~/.ssh/known_hosts:12".
Failure host_key_revoked(const SshTarget& target, const std::string& type, const std::string& fingerprint,
                         const std::string& line);
Failure known_hosts_unreadable(const SshTarget& target, const std::string& detail);
/// `file`: as shown to users.
Failure known_hosts_unwritable(const SshTarget& target, const std::string& file, const std::string& detail);

/// Code of answer_late(): the one failure after which the same connection is tried again with the same answers.
inline constexpr const char* kAnswerLate = "ssh-answer-late";
/// The server closed the connection while the user was asked.
Failure answer_late(const SshTarget& target, const std::string& detail);
/// The server closed the connection before it accepted or refused anything.
Failure closed_during_login(const SshTarget& target, const std::string& detail);
/// The server refuses the account after a login that is right, in these words.
Failure login_denied(const std::string& node, const std::string& words, const std::string& detail);
/// The server wants a password and the user cannot be asked: no terminal.
Failure password_needed(const SshTarget& target, const std::string& detail);
/// `keys`: those that were offered. `methods`: what the server allows; empty: not known.
Failure keys_refused(const SshTarget& target, const std::vector<std::string>& keys,
                     const std::string& methods, const std::string& detail);
Failure password_refused(const SshTarget& target, const std::string& detail);
Failure passphrase_needed(const SshTarget& target, const std::string& file, const std::string& detail);
Failure key_file_too_open(const SshTarget& target, const std::string& file, const std::string& detail);
Failure too_many_keys(const SshTarget& target, int offered, const std::string& detail);

/// The login succeeded, but the server opens no session.
Failure no_session(const std::string& node, const std::string& detail);
/// The server opens a session, but has no process for the account.
Failure no_process(const std::string& node, const std::string& user, const std::string& detail);
/// The server has the command, and says nothing for `seconds`.
Failure no_start(const std::string& node, double seconds, const std::string& detail);
/// Small packets arrive at the node, those of `bytes` bytes do not. `interface_name`: of this computer, towards the node;
/// empty: not known.
Failure large_packets_vanish(const SshTarget& target, unsigned bytes, const std::string& interface_name,
                             const std::string& detail);

/// known_hosts' name of the host: "10.0.0.11", "[10.0.0.11]:2222".
std::string known_hosts_name(const SshTarget& target);

}  // namespace rankscope::inline nodes
