// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/openssh_errors.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "OpenSsh";

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::string part_between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) {
        return {};
    }
    const auto from = begin + before.size();
    return text.substr(from, std::min(text.find(after, from), text.size()) - from);
}

int connect_error(const std::string& said) {
    if (contains(said, "Connection refused")) {
        return ECONNREFUSED;
    }
    if (contains(said, "Connection timed out") || contains(said, "Operation timed out")) {
        return ETIMEDOUT;
    }
    if (contains(said, "No route to host")) {
        return EHOSTUNREACH;
    }
    return contains(said, "Network is unreachable") ? ENETUNREACH : EIO;
}

double timeout_of(const SshTarget& target) {
    return target.connect_timeout_s > 0 ? target.connect_timeout_s : 10;
}

// "trainer@10.0.0.1: Permission denied (publickey,password)."
Failure denied(SshTarget target, const std::string& said) {
    const auto at = said.find(": Permission denied (");
    if (at != std::string::npos) {
        const auto line = said.rfind('\n', at);
        const std::string account = said.substr(line == std::string::npos ? 0 : line + 1,
                                                at - (line == std::string::npos ? 0 : line + 1));
        const auto sign = account.find('@');
        if (sign != std::string::npos) {
            target.user = account.substr(0, sign);
            target.host = account.substr(sign + 1);
        }
    }
    std::string methods = part_between(said, "Permission denied (", ")");
    for (std::size_t comma = 0; (comma = methods.find(',', comma)) != std::string::npos; comma += 2) {
        methods.replace(comma, 1, ", ");
    }
    if (contains(said, "UNPROTECTED PRIVATE KEY FILE")) {
        return key_file_too_open(target, shorten_home(part_between(said, "Permissions for '", "'")), said);
    }
    std::vector<std::string> keys;
    for (const auto& file : target.identity_files) {
        const std::string path = expand_ssh_path(target, file);
        if (::access(path.c_str(), F_OK) == 0) {  // ssh's default names that do not exist were not offered
            keys.push_back(shorten_home(path));
        }
    }
    return keys_refused(target, keys, methods, said);
}

}  // namespace

Failure explain_openssh(const SshTarget& target, const std::string& said) {
    const std::string where = target.host + ':' + std::to_string(target.port);
    if (contains(said, "REVOKED HOST KEY") || contains(said, "marked as revoked")) {
        return host_key_revoked(target, part_between(said, "The ", " host key"), "",
                                revoked_at(target, "").value_or("known_hosts"));
    }
    if (contains(said, "REMOTE HOST IDENTIFICATION HAS CHANGED")) {
        SshTarget which = target;
        if (const auto host = part_between(said, "Host key for ", " has changed"); !host.empty()) {
            which.host = host;  // a jump host's, perhaps; with its port already in known_hosts' form
            which.port = 22;
        }
        std::string fingerprint = part_between(said, "sent by the remote host is\n", "\n");
        while (!fingerprint.empty() && (fingerprint.back() == '.' || fingerprint.back() == '\r')) {
            fingerprint.pop_back();
        }
        return host_key_changed(which, part_between(said, "fingerprint for the ", " key sent"), fingerprint);
    }
    if (contains(said, "Bad configuration option") || contains(said, "terminating, ") ||
        contains(said, "Bad owner or permissions on ")) {
        return {"ssh-config", target.node,
                text(kContext, "The SSH configuration has a fault: %1.", {said.substr(0, said.find('\n'))}),
                text(kContext, "Fix it; `ssh -G %1` must print no error.", {target.alias}), said};
    }
    if (contains(said, "Could not resolve hostname ")) {
        return unknown_host(target.node, part_between(said, "Could not resolve hostname ", ":"), said);
    }
    if (contains(said, "Too many authentication failures")) {
        return too_many_keys(target, 0, said);
    }
    if (contains(said, "Permission denied (")) {
        return denied(target, said);
    }
    if (contains(said, "Host key verification failed")) {
        return host_key_unknown(target, "", "");
    }
    if (contains(said, "Unable to negotiate with") || contains(said, "no matching ")) {
        return no_common_algorithm(target, said);
    }
    if (contains(said, "during banner exchange") && contains(said, "timed out")) {
        return server_silent(target, said);
    }
    if (contains(said, "connect to host ")) {
        const std::string host = part_between(said, "connect to host ", " port");
        const std::string port = part_between(said, "connect to host " + host + " port ", ":");
        return connect_failed(target.node, host + ':' + port, connect_error(said), timeout_of(target), said);
    }
    if (contains(said, "open failed: connect failed: Name or service not known") ||
        contains(said, "open failed: connect failed: Temporary failure in name")) {
        return unknown_host(target.node, target.host, said);
    }
    if (contains(said, "open failed: connect failed")) {
        return connect_failed(target.node, where, connect_error(said), timeout_of(target), said);
    }
    if (contains(said, "open failed: administratively prohibited")) {
        return {
            "ssh-jump-refused", target.node,
            text(kContext, "The jump host does not forward connections to %1.", {where}),
            text(kContext, "Its sshd_config needs AllowTcpForwarding yes (and PermitOpen, where it is set)."),
            said};
    }
    return server_closed(target, said);
}

}  // namespace rankscope::inline nodes
