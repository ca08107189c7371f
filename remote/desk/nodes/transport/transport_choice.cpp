// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/agent_keys.h>
#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/ssh_session.h>
#include <remote/desk/nodes/transport/transport_choice.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "TransportChoice";

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

// Options that libssh does not know and that change who is connected to, or how.
std::optional<std::string> ignored_option(const SshTarget& target) {
    for (const char* name : {"hostkeyalias", "revokedhostkeys", "knownhostscommand", "bindaddress",
                             "bindinterface", "pkcs11provider", "preferredauthentications"}) {
        const std::string value = target.option(name);
        if (!value.empty() && value != "none") {
            return std::string(name) + ' ' + value;
        }
    }
    for (const char* name : {"hostbasedauthentication", "gssapidelegatecredentials"}) {
        if (target.is_on(name)) {
            return std::string(name) + " yes";
        }
    }
    const std::string dns = target.option("verifyhostkeydns");
    if (!dns.empty() && dns != "no" && dns != "false") {
        return "verifyhostkeydns " + dns;
    }
    return std::nullopt;
}

std::optional<std::string> unknown_algorithms(const SshTarget& target) {
    constexpr std::array<std::pair<const char*, ssh_options_e>, 4> kLists{
        {{"ciphers", SSH_OPTIONS_CIPHERS_C_S},
         {"macs", SSH_OPTIONS_HMAC_C_S},
         {"kexalgorithms", SSH_OPTIONS_KEY_EXCHANGE},
         {"hostkeyalgorithms", SSH_OPTIONS_HOSTKEYS}}};
    const SshTarget& defaults = ssh_defaults();
    for (const auto& [name, option] : kLists) {
        const std::string chosen = target.option(name);
        if (chosen.empty() || chosen == defaults.option(name)) {
            continue;
        }
        const SshSession session(ssh_new());
        if (ssh_options_set(session.get(), option, chosen.c_str()) != SSH_OK) {
            return std::string(name) + ' ' + chosen;
        }
    }
    return std::nullopt;
}

std::optional<std::string> special_key(const SshTarget& target) {
    for (const auto& file : target.certificate_files) {
        if (exists(expand_ssh_path(target, file))) {
            return text(kContext, "certificate %1", {file});
        }
    }
    for (const auto& file : target.identity_files) {
        const std::string path = expand_ssh_path(target, file);
        if (exists(path + "-cert.pub")) {
            return text(kContext, "certificate %1", {shorten_home(path) + "-cert.pub"});
        }
        if (exists(path) && public_key_type(path).starts_with("sk-")) {
            return text(kContext, "security key %1", {shorten_home(path)});
        }
    }
    return std::nullopt;
}

// With IdentitiesOnly, ssh takes of the agent's keys those that are named; libssh cannot choose among them.
std::optional<std::string> named_key_of_agent(const SshTarget& target) {
    if (!target.identities_only || !target.identities_named) {
        return std::nullopt;
    }
    std::optional<std::vector<AgentKey>> keys;
    for (const auto& file : target.identity_files) {
        const std::string path = expand_ssh_path(target, file);
        if (!is_public_half(path) && exists(path) && !key_needs_passphrase(path)) {
            return std::nullopt;
        }
        if (!keys) {
            keys = list_agent_keys(target);
        }
        if (holds(*keys, path)) {
            return text(kContext, "IdentitiesOnly, and only the agent has %1", {shorten_home(path)});
        }
    }
    return std::nullopt;
}

std::optional<std::string> only_gssapi(const SshTarget& target) {
    if (!target.is_on("gssapiauthentication") || !has_kerberos_ticket() || !list_agent_keys(target).empty()) {
        return std::nullopt;
    }
    for (const auto& file : target.identity_files) {
        if (exists(expand_ssh_path(target, file))) {
            return std::nullopt;
        }
    }
    return text(kContext, "GSSAPI with a Kerberos ticket");
}

}  // namespace

bool has_kerberos_ticket() {
    const char* cache = std::getenv("KRB5CCNAME");
    return (cache != nullptr && cache[0] != '\0') || exists("/tmp/krb5cc_" + std::to_string(::geteuid()));
}

TransportChoice choose_transport(const NodeSpec& node, const SshTarget& target) {
    if (node.transport == "libssh") {
        return {SshImplementation::Libssh, text(kContext, "as the inventory says")};
    }
    if (node.transport == "openssh") {
        return {SshImplementation::OpenSsh, text(kContext, "as the inventory says")};
    }
    if (target.options.empty()) {
        return {SshImplementation::Libssh, text(kContext, "there is no ssh program")};
    }
    if (!target.proxy_command.empty()) {
        return {SshImplementation::OpenSsh, "ProxyCommand"};
    }
    if (const auto line = authority_at(target)) {
        return {SshImplementation::OpenSsh, text(kContext, "@cert-authority in %1", {*line})};
    }
    for (const auto reason :
         {special_key, ignored_option, unknown_algorithms, named_key_of_agent, only_gssapi}) {
        if (auto why = reason(target)) {
            return {SshImplementation::OpenSsh, std::move(*why)};
        }
    }
    return {};
}

}  // namespace rankscope::inline nodes
