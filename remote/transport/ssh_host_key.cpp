// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/text.h>
#include <remote/transport/ssh_host_key.h>

namespace rankscope {
namespace {

constexpr const char* kContext = "SshHostKey";

struct ServerKey {
    std::string type;
    std::string fingerprint;
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
    ServerKey result{ssh_key_type_to_char(ssh_key_type(key.get())), printable != nullptr ? printable : ""};
    ssh_string_free_char(printable);
    ssh_clean_pubkey_hash(&hash);
    return result;
}

Result<void> ask(ssh_session session, const SshTarget& target, const ServerKey& key,
                 const Prompter& prompter) {
    const HostKeyQuestion question{target.node, target.host, target.port, key.type, key.fingerprint};
    if (!prompter.accept_host_key || !prompter.accept_host_key(question)) {
        return Failure{
            "ssh-host-key-unknown", target.node,
            text(kContext, "The host key of %1 is not known: %2 %3.",
                 {target.host, key.type, key.fingerprint}),
            text(
                kContext,
                "Compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the node, then accept "
                "it (rankscopectl: --accept-new-host-keys)."),
            ""};
    }
    if (ssh_session_update_known_hosts(session) != SSH_OK) {
        return Failure{"ssh-known-hosts", target.node,
                       text(kContext, "The key cannot be added to known_hosts."),
                       text(kContext, "Check that ~/.ssh and ~/.ssh/known_hosts are yours and writable."),
                       ssh_get_error(session)};
    }
    return {};
}

}  // namespace

Result<void> check_host_key(ssh_session session, const SshTarget& target, const Prompter& prompter) {
    const auto key = server_key(session, target);
    if (!key) {
        return key.failure();
    }
    const std::string where =
        target.port == 22 ? target.host : '[' + target.host + "]:" + std::to_string(target.port);
    switch (ssh_session_is_known_server(session)) {
        case SSH_KNOWN_HOSTS_OK:
            return {};
        case SSH_KNOWN_HOSTS_CHANGED:
            return Failure{
                "ssh-host-key-changed", target.node,
                text(kContext, "The host key of %1 has changed: it is now %2 %3. Nothing was sent to it.",
                     {target.host, key->type, key->fingerprint}),
                text(kContext,
                     "If the machine was set up anew, compare the fingerprint there and forget the old key: "
                     "`ssh-keygen -R '%1'`. If not, somebody may be in between: ask its administrator.",
                     {where}),
                ""};
        case SSH_KNOWN_HOSTS_OTHER:
            return Failure{
                "ssh-host-key-other", target.node,
                text(kContext, "known_hosts has another type of key for %1 than the one it shows: %2 %3.",
                     {target.host, key->type, key->fingerprint}),
                text(kContext,
                     "Compare the fingerprint on the node, then `ssh-keyscan -t %1 %2` shows the line "
                     "to add to known_hosts.",
                     {key->type, target.host}),
                ""};
        case SSH_KNOWN_HOSTS_NOT_FOUND:
        case SSH_KNOWN_HOSTS_UNKNOWN:
            return ask(session, target, *key, prompter);
        case SSH_KNOWN_HOSTS_ERROR:
            break;
    }
    return Failure{"ssh-known-hosts", target.node, text(kContext, "known_hosts cannot be read."),
                   text(kContext, "Check ~/.ssh/known_hosts."), ssh_get_error(session)};
}

}  // namespace rankscope
