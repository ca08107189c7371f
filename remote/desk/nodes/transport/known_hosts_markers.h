// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_target.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// A line of known_hosts that begins with a marker (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). libssh skips them.
struct MarkedKey {
    std::string marker;  ///< "@revoked", "@cert-authority"
    std::string hosts;   ///< patterns, comma-separated, or one hashed name
    std::string type;
    std::string base64;
    int line = 0;
};

std::vector<MarkedKey> parse_marked_keys(const std::string& known_hosts);

/// Do the patterns ('*', '?', '!') fit known_hosts' name of the host? A hashed name counts as fitting:
/// it cannot be compared, and every use of this function errs on the safe side.
bool hosts_match(const std::string& patterns, const std::string& name);

/// Where a key is marked @revoked for this host, "~/.ssh/known_hosts:12". Nothing: nowhere. Empty: any key.
std::optional<std::string> revoked_at(const SshTarget& target, const std::string& base64);
/// Where a certificate authority for this host is named.
std::optional<std::string> authority_at(const SshTarget& target);

}  // namespace rankscope::inline nodes
