// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/paths.h>
#include <remote/base/text.h>
#include <remote/transport/ssh_authenticate.h>

#include <libssh/callbacks.h>
#include <sodium/utils.h>

#include <algorithm>
#include <cstring>

namespace rankscope {
namespace {

constexpr const char* kContext = "SshAuthenticate";
constexpr int kAttempts = 3;

struct PassphraseContext {
    const SshTarget* target;
    const Prompter* prompter;
    int attempt = 0;
    bool asked = false;
};

// libssh asks here for a key file's passphrase. A C callback: nothing may be thrown through it.
int on_passphrase(const char* prompt, char* buffer, std::size_t length, int, int, void* user) noexcept {
    auto& context = *static_cast<PassphraseContext*>(user);
    context.asked = true;
    try {
        if (!context.prompter->secret) {
            return -1;
        }
        auto secret = context.prompter->secret({context.target->node, context.target->account(),
                                                prompt != nullptr ? prompt : "", true, ++context.attempt});
        if (!secret || secret->size() >= length) {
            return -1;
        }
        std::memcpy(buffer, secret->c_str(), secret->size() + 1);
        sodium_memzero(secret->data(), secret->size());
        return 0;
    } catch (...) {
        return -1;
    }
}

std::string method_names(int methods) {
    std::string names;
    const auto add = [&](int bit, const char* name) {
        if ((methods & bit) != 0) {
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
    };
    add(SSH_AUTH_METHOD_PUBLICKEY, "publickey");
    add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
    add(SSH_AUTH_METHOD_PASSWORD, "password");
    add(SSH_AUTH_METHOD_HOSTBASED, "hostbased");
    add(SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi");
    return names;
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

Failure refused(ssh_session session, const SshTarget& target, const NodeSpec& node, int methods, bool typed) {
    Failure failure{"ssh-auth-failed", target.node, "", "", ssh_get_error(session)};
    if (typed) {
        failure.what = text(kContext, "%1 does not accept the password.", {target.account()});
        failure.remedy =
            text(kContext, "Check user name and password; `ssh %1` should succeed.", {target.account()});
        return failure;
    }
    const std::string key =
        node.identity_file.empty() ? text(kContext, "the agent and the keys in ~/.ssh") : node.identity_file;
    failure.what = text(kContext, "%1 accepts none of the keys offered (%2); it allows: %3.",
                        {target.account(), key, method_names(methods)});
    failure.remedy = text(kContext, "Install your key there: `ssh-copy-id -p %1 %2`.",
                          {std::to_string(target.port), target.account()});
    return failure;
}

}  // namespace

Result<std::string> authenticate(ssh_session session, const SshTarget& target, const NodeSpec& node,
                                 const Prompter& prompter,
                                 const std::function<void(const std::string&)>& progress) {
    PassphraseContext context{&target, &prompter};
    ssh_callbacks_struct callbacks{};
    ssh_callbacks_init(&callbacks);
    callbacks.userdata = &context;
    callbacks.auth_function = on_passphrase;
    ssh_set_callbacks(session, &callbacks);
    // The session outlives this frame: it must not keep a pointer into it.
    struct Unset {
        ssh_session session;
        ssh_callbacks_struct none{};
        ~Unset() { ssh_set_callbacks(session, nullptr); }
    } unset{session};

    if (progress) {
        progress(text(kContext, "authenticating as %1", {target.account()}));
    }
    if (!node.identity_file.empty() && !std::filesystem::exists(expand_home(node.identity_file))) {
        return Failure{
            "ssh-no-identity", target.node,
            text(kContext, "The key file %1 does not exist.", {node.identity_file}),
            text(kContext, "Correct identity_file: in the inventory, or make one: `ssh-keygen -t ed25519`."),
            ""};
    }
    int code = ssh_userauth_none(session, nullptr);
    if (code == SSH_AUTH_SUCCESS) {
        return std::string("none");
    }
    const int methods = ssh_userauth_list(session, nullptr);
    if (code != SSH_AUTH_ERROR && (methods & SSH_AUTH_METHOD_PUBLICKEY) != 0) {
        code = ssh_userauth_publickey_auto(session, nullptr, nullptr);
        if (code == SSH_AUTH_SUCCESS) {
            return text(kContext, "agent or key");
        }
    }
    const bool interactive = (methods & SSH_AUTH_METHOD_INTERACTIVE) != 0;
    bool typed = false;
    for (int attempt = 1; code != SSH_AUTH_ERROR && attempt <= kAttempts; ++attempt) {
        if ((methods & (SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE)) == 0 || !prompter.secret) {
            break;
        }
        auto secret =
            prompter.secret({target.node, target.account(), text(kContext, "Password"), false, attempt});
        if (!secret) {
            break;
        }
        typed = true;
        code = (methods & SSH_AUTH_METHOD_PASSWORD) != 0
                   ? ssh_userauth_password(session, nullptr, secret->c_str())
                   : SSH_AUTH_DENIED;
        if (code == SSH_AUTH_DENIED && interactive) {
            code = keyboard_interactive(session, *secret);
        }
        sodium_memzero(secret->data(), secret->size());
        if (code == SSH_AUTH_SUCCESS) {
            return text(kContext, "password");
        }
    }
    if (code == SSH_AUTH_PARTIAL) {
        return Failure{
            "ssh-auth-partial", target.node,
            text(kContext, "%1 asks for a second factor, which is not supported yet.", {target.account()}),
            "", ssh_get_error(session)};
    }
    return refused(session, target, node, methods, typed);
}

}  // namespace rankscope
