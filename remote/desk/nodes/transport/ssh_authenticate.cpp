// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/agent_keys.h>
#include <remote/desk/nodes/transport/ssh_authenticate.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/shared/text.h>

#include <libssh/callbacks.h>
#include <sodium/utils.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "SshAuthenticate";
constexpr int kAttempts = 3;

struct PassphraseContext {
    const SshTarget* target;
    const Prompter* prompter;
    std::string file;
    int attempt = 0;
    bool asked = false;
    bool cancelled = false;
};

// libssh calls this for a key file's passphrase. No exception may cross a C callback.
int on_passphrase(const char*, char* buffer, std::size_t length, int, int, void* user) noexcept {
    auto& context = *static_cast<PassphraseContext*>(user);
    context.asked = true;
    try {
        if (!context.prompter->secret) {
            context.cancelled = true;
            return -1;
        }
        auto secret = context.prompter->secret({context.target->node, context.target->account(),
                                                shorten_home(context.file), true, ++context.attempt});
        if (!secret || secret->size() >= length) {
            context.cancelled = true;
            return -1;
        }
        std::memcpy(buffer, secret->c_str(), secret->size() + 1);
        sodium_memzero(secret->data(), secret->size());
        return 0;
    } catch (...) {
        context.cancelled = true;
        return -1;
    }
}

int keyboard_interactive(ssh_session session, const std::string& secret) {
    int code = ssh_userauth_kbdint(session, nullptr, nullptr);
    while (code == SSH_AUTH_INFO) {
        const int prompts = ssh_userauth_kbdint_getnprompts(session);
        for (int i = 0; i < prompts; ++i) {
            if (ssh_userauth_kbdint_setanswer(session, static_cast<unsigned>(i), secret.c_str()) < 0) {
                return SSH_AUTH_ERROR;
            }
        }
        code = ssh_userauth_kbdint(session, nullptr, nullptr);
    }
    return code;
}

std::string banner_of(ssh_session session) {
    char* raw = ssh_get_issue_banner(session);
    std::string banner = raw != nullptr ? raw : "";
    ssh_string_free_char(raw);
    return banner;
}

/// What was tried, for the message when nothing works.
struct Tried {
    std::vector<std::string> keys;  ///< offered and refused
    std::string locked_key;         ///< its passphrase was needed and not given
    std::string open_key;           ///< others may read it, so it was not used
    bool typed = false;             ///< a password
    bool cannot_ask = false;        ///< a password would have been possible
    bool late = false;              ///< the server closed the connection while the user was asked
};

/// One method after the other; results in libssh's codes.
class Authentication {
public:
    Authentication(ssh_session session, const SshTarget& target, const Prompter& prompter)
        : session_(session), target_(target), prompter_(prompter) {}

    Result<std::string> run();

private:
    int public_keys();
    int agent_keys();
    int key_file(const std::string& file, bool may_ask);
    int private_key(const std::string& file, const SshKey& known);
    int password();
    Failure refused() const;
    bool allowed(const char* option) const {
        const std::string value = target_.option(option);
        return value != "no" && value != "false";
    }

    ssh_session session_;
    const SshTarget& target_;
    const Prompter& prompter_;
    unsigned methods_ = 0;  ///< SSH_AUTH_METHOD_…
    Tried tried_;
    std::string accepted_;  ///< for the description
    std::string greeting_;  ///< what the server says to all before the login
    int agent_count_ = 0;
};

Result<std::string> Authentication::run() {
    int code = ssh_userauth_none(session_, nullptr);
    if (code == SSH_AUTH_SUCCESS) {
        return text(kContext, "no authentication");
    }
    methods_ = static_cast<unsigned>(ssh_userauth_list(session_, nullptr));
    greeting_ = banner_of(session_);
    if (code != SSH_AUTH_ERROR && (methods_ & SSH_AUTH_METHOD_PUBLICKEY) != 0 &&
        allowed("pubkeyauthentication")) {
        code = public_keys();
    }
    if (code != SSH_AUTH_SUCCESS && code != SSH_AUTH_ERROR && code != SSH_AUTH_PARTIAL) {
        code = password();
    }
    if (code == SSH_AUTH_SUCCESS) {
        return accepted_;
    }
    if (code == SSH_AUTH_PARTIAL) {
        return Failure{"ssh-auth-partial", target_.node,
                       text(kContext, "%1 asks for a second factor.", {target_.account()}),
                       text(kContext, "Set transport: openssh for this node: OpenSSH asks for both."),
                       ssh_get_error(session_)};
    }
    return refused();
}

// A server counts every key that it refuses (MaxAuthTries, 6 by default), so the named ones come first. Keys
// with a passphrase come after the agent, which may hold them.
int Authentication::public_keys() {
    int code = SSH_AUTH_DENIED;
    const auto try_files = [&](bool may_ask) {
        for (const auto& file : target_.identity_files) {
            code = key_file(expand_ssh_path(target_, file), may_ask);
            if (code != SSH_AUTH_DENIED) {
                return;
            }
        }
    };
    if (target_.identities_named) {
        try_files(false);
    }
    if (code == SSH_AUTH_DENIED && !target_.identities_only) {
        code = agent_keys();
    }
    if (code == SSH_AUTH_DENIED && !target_.identities_named) {
        try_files(false);
    }
    if (code == SSH_AUTH_DENIED) {
        try_files(true);
    }
    return code;
}

int Authentication::agent_keys() {
    const auto keys = list_agent_keys(target_);
    agent_count_ = static_cast<int>(keys.size());
    if (keys.empty()) {
        return SSH_AUTH_DENIED;
    }
    const int code = ssh_userauth_agent(session_, nullptr);
    if (code == SSH_AUTH_SUCCESS) {
        accepted_ = text(kContext, "a key of the agent");
    }
    tried_.keys.push_back(text(kContext, "%1 of the agent", {std::to_string(keys.size())}));
    return code == SSH_AUTH_ERROR && ssh_is_connected(session_) != 0 ? SSH_AUTH_DENIED : code;
}

// `may_ask`: only those that need a passphrase are left.
int Authentication::key_file(const std::string& file, bool may_ask) {
    if (is_public_half(file) || ::access(file.c_str(), F_OK) != 0) {
        return SSH_AUTH_DENIED;
    }
    if (key_file_is_open(file)) {
        tried_.open_key = shorten_home(file);
        return SSH_AUTH_DENIED;
    }
    const bool locked = key_needs_passphrase(file);
    if (locked != may_ask) {
        return SSH_AUTH_DENIED;
    }
    ssh_key raw = nullptr;
    ssh_pki_import_pubkey_file((file + ".pub").c_str(), &raw);
    const SshKey known(raw);
    if (known) {
        // Asking the server first saves the passphrase question when it does not accept this key.
        const int code = ssh_userauth_try_publickey(session_, nullptr, known.get());
        if (code != SSH_AUTH_SUCCESS) {
            tried_.keys.push_back(shorten_home(file));
            return code;
        }
    }
    return private_key(file, known);
}

int Authentication::private_key(const std::string& file, const SshKey& known) {
    PassphraseContext context{&target_, &prompter_, file};
    SshKey key;
    for (int attempt = 0; attempt < kAttempts && !key && !context.cancelled; ++attempt) {
        ssh_key raw = nullptr;
        context.asked = false;
        const int code = ssh_pki_import_privkey_file(file.c_str(), nullptr, on_passphrase, &context, &raw);
        key.reset(raw);
        if (code != SSH_OK && !context.asked) {
            break;  // not a key, or of a kind that libssh cannot read
        }
    }
    if (!key) {
        if (context.asked || context.cancelled) {
            tried_.locked_key = shorten_home(file);
        }
        return SSH_AUTH_DENIED;
    }
    if (context.asked && closed_by_server(session_)) {
        tried_.late = true;
        return SSH_AUTH_ERROR;
    }
    const int code = ssh_userauth_publickey(session_, nullptr, key.get());
    if (code == SSH_AUTH_SUCCESS) {
        accepted_ = shorten_home(file);
    } else if (!known) {
        tried_.keys.push_back(shorten_home(file));
    }
    return code;
}

int Authentication::password() {
    const bool plain = (methods_ & SSH_AUTH_METHOD_PASSWORD) != 0 && allowed("passwordauthentication");
    const bool interactive =
        (methods_ & SSH_AUTH_METHOD_INTERACTIVE) != 0 && allowed("kbdinteractiveauthentication");
    int code = SSH_AUTH_DENIED;
    for (int attempt = 1; code == SSH_AUTH_DENIED && attempt <= kAttempts; ++attempt) {
        if (!(plain || interactive)) {
            break;
        }
        if (!prompter_.secret) {
            tried_.cannot_ask = true;
            break;
        }
        auto secret =
            prompter_.secret({target_.node, target_.account(), text(kContext, "Password"), false, attempt});
        if (!secret) {
            break;
        }
        if (closed_by_server(session_)) {
            sodium_memzero(secret->data(), secret->size());
            tried_.late = true;
            return SSH_AUTH_ERROR;
        }
        tried_.typed = true;
        code = plain ? ssh_userauth_password(session_, nullptr, secret->c_str()) : SSH_AUTH_DENIED;
        if (code == SSH_AUTH_DENIED && interactive) {
            code = keyboard_interactive(session_, *secret);
        }
        sodium_memzero(secret->data(), secret->size());
    }
    if (code == SSH_AUTH_SUCCESS) {
        accepted_ = text(kContext, "a password");
    }
    return code;
}

Failure Authentication::refused() const {
    const std::string detail = ssh_get_error(session_);
    if (tried_.late) {
        return answer_late(target_, detail);
    }
    if (tried_.typed) {
        return password_refused(target_, detail);
    }
    // Words that came with the end: /run/nologin, or what PAM says of the account.
    const std::string said = banner_of(session_);
    if (ssh_is_connected(session_) == 0 && !said.empty() && said != greeting_) {
        return login_denied(target_.node, said, detail);
    }
    if (ssh_is_connected(session_) == 0 && agent_count_ > 0) {
        return too_many_keys(target_, agent_count_, detail);
    }
    if (!tried_.locked_key.empty()) {
        return passphrase_needed(target_, tried_.locked_key, detail);
    }
    if (!tried_.open_key.empty()) {
        return key_file_too_open(target_, tried_.open_key, detail);
    }
    if (ssh_is_connected(session_) == 0) {
        return closed_during_login(target_, detail);
    }
    if (tried_.cannot_ask && tried_.keys.empty()) {
        return password_needed(target_, detail);
    }
    return keys_refused(target_, tried_.keys, method_names(methods_), detail);
}

}  // namespace

std::string method_names(unsigned methods) {
    std::string names;
    const auto add = [&](unsigned bit, const char* name) {
        if ((methods & bit) != 0) {
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
    };
    add(SSH_AUTH_METHOD_PUBLICKEY, "publickey");
    add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
    add(SSH_AUTH_METHOD_PASSWORD, "password");
    add(SSH_AUTH_METHOD_HOSTBASED, "hostbased");
    add(SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic");
    return names;
}

Result<std::string> authenticate(ssh_session session, const SshTarget& target, const Prompter& prompter,
                                 const std::function<void(const std::string&)>& progress) {
    if (progress) {
        progress(text(kContext, "authenticating as %1", {target.account()}));
    }
    return Authentication(session, target, prompter).run();
}

}  // namespace rankscope::inline nodes
