// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/desk/nodes/transport/known_hosts_file.h>
#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/ssh_host_key.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <cstring>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "SshHostKey";

struct ServerKey {
    std::string type;
    std::string fingerprint;
    std::string base64;  ///< as in known_hosts
};

Result<ServerKey> server_key(ssh_session session, const SshTarget& target) {
    ssh_key raw = nullptr;
    if (ssh_get_server_publickey(session, &raw) != SSH_OK) {
        return Failure{"ssh-protocol", target.node, text(kContext, "The server sent no host key."), "",
                       ssh_get_error(session)};
    }
    const SshKey key(raw);
    unsigned char* hash = nullptr;
    std::size_t length = 0;
    if (ssh_get_publickey_hash(key.get(), SSH_PUBLICKEY_HASH_SHA256, &hash, &length) != SSH_OK) {
        return Failure{"ssh-protocol", target.node,
                       text(kContext, "The host key's fingerprint cannot be computed."), "",
                       ssh_get_error(session)};
    }
    char* printable = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
    char* exported = nullptr;
    ssh_pki_export_pubkey_base64(key.get(), &exported);
    ServerKey result{ssh_key_type_to_char(ssh_key_type(key.get())), printable != nullptr ? printable : "",
                     exported != nullptr ? exported : ""};
    ssh_string_free_char(exported);
    ssh_string_free_char(printable);
    ssh_clean_pubkey_hash(&hash);
    return result;
}

Result<void> remember(ssh_session session, const SshTarget& target) {
    char* raw = nullptr;
    if (ssh_session_export_known_hosts_entry(session, &raw) != SSH_OK || raw == nullptr) {
        return known_hosts_unwritable(target, "known_hosts", ssh_get_error(session));
    }
    const std::string entry = raw;
    ssh_string_free_char(raw);
    const std::string file = target.known_hosts.empty() ? (home_dir() / ".ssh" / "known_hosts").string()
                                                        : expand_ssh_path(target, target.known_hosts.front());
    // Not ssh_session_update_known_hosts(): two threads that create ~/.ssh at the same time make it fail.
    if (const int error = add_known_host(file, entry); error != 0) {
        return known_hosts_unwritable(target, shorten_home(file), std::strerror(error));
    }
    return {};
}

Result<void> ask(ssh_session session, const SshTarget& target, const ServerKey& key,
                 const Prompter& prompter) {
    const HostKeyQuestion question{target.node, target.host, target.port, key.type, key.fingerprint};
    if (!prompter.accept_host_key || !prompter.accept_host_key(question)) {
        return host_key_unknown(target, key.type, key.fingerprint);
    }
    if (auto remembered = remember(session, target); !remembered) {
        return remembered;
    }
    if (closed_by_server(session)) {
        return answer_late(target, ssh_get_error(session));
    }
    return {};
}

// As ssh does it: a key that any of the files knows is known.
ssh_known_hosts_e look_up(ssh_session session, const SshTarget& target) {
    ssh_known_hosts_e best = SSH_KNOWN_HOSTS_NOT_FOUND;
    const auto weight = [](ssh_known_hosts_e state) {
        switch (state) {
            case SSH_KNOWN_HOSTS_OK:
                return 4;
            case SSH_KNOWN_HOSTS_CHANGED:
                return 3;
            case SSH_KNOWN_HOSTS_OTHER:
                return 2;
            case SSH_KNOWN_HOSTS_ERROR:
                return 1;
            default:
                return 0;
        }
    };
    for (const auto& file : target.known_hosts) {
        const std::string path = expand_ssh_path(target, file);
        if (::access(path.c_str(), F_OK) != 0) {
            continue;
        }
        ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, path.c_str());
        const auto state = ssh_session_is_known_server(session);
        if (weight(state) > weight(best)) {
            best = state;
        }
    }
    return best;
}

}  // namespace

Result<void> check_host_key(ssh_session session, const SshTarget& target, const Prompter& prompter) {
    const auto key = server_key(session, target);
    if (!key) {
        return key.failure();
    }
    if (const auto line = revoked_at(target, key->base64)) {
        return host_key_revoked(target, key->type, key->fingerprint, *line);
    }
    switch (look_up(session, target)) {
        case SSH_KNOWN_HOSTS_OK:
            return {};
        case SSH_KNOWN_HOSTS_CHANGED:
            return host_key_changed(target, key->type, key->fingerprint);
        case SSH_KNOWN_HOSTS_OTHER:
            return host_key_other(target, key->type, key->fingerprint);
        case SSH_KNOWN_HOSTS_NOT_FOUND:
        case SSH_KNOWN_HOSTS_UNKNOWN:
            return ask(session, target, *key, prompter);
        case SSH_KNOWN_HOSTS_ERROR:
            break;
    }
    return known_hosts_unreadable(target, ssh_get_error(session));
}

}  // namespace rankscope::inline nodes
