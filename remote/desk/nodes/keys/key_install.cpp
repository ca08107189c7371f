// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/shell_quote.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/keys/key_install.h>
#include <remote/desk/nodes/transport/openssh_transport.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/ssh_transport.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/nodes/transport/transport_choice.h>
#include <remote/desk/shared/text.h>

#include <sodium/utils.h>

#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "KeyInstall";
constexpr const char* kMarker = "RANKSCOPE-KEY ";
constexpr int kExitNoHome = 91;
constexpr int kExitNoFolder = 92;
constexpr int kExitCannotWrite = 93;
constexpr double kTimeout = 60;

struct Said {
    std::optional<int> status;
    std::string output;
    std::string errors;
};

Result<Said> run_there(Transport& transport, const std::string& command, const std::string& input,
                       const std::string& node, const std::stop_token& stop) {
    auto channel = transport.exec(command);
    if (!channel) {
        return channel.failure();
    }
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    Said said;
    std::size_t sent = 0;
    const double deadline = monotonic_s() + kTimeout;
    for (;;) {
        const auto read = (*channel)->read(said.output);
        (*channel)->read_error(said.errors);
        if (read == Channel::Read::Closed) {
            while ((*channel)->read_error(said.errors) == Channel::Read::Data) {
            }
            said.status = (*channel)->exit_status();
            return said;
        }
        if (stop.stop_requested()) {
            return cancelled(node);
        }
        if (monotonic_s() > deadline) {
            return Failure{
                "key-install", node, text(kContext, "The login shell did not finish."),
                text(kContext, "Try `ssh %1 true`: a waiting ~/.bashrc is the usual cause.", {node}),
                said.output + said.errors};
        }
        if (sent < input.size()) {
            const auto put = (*channel)->write(std::string_view(input).substr(sent));
            sent = put < 0 ? input.size() : sent + static_cast<std::size_t>(put);
            if (sent == input.size()) {
                (*channel)->close_input();
            }
        }
        if (read == Channel::Read::Nothing) {
            (*channel)->wait(sent < input.size(), 1000, wake.fd());
        }
    }
}

Failure explain(const std::string& node, const Said& said) {
    const std::string detail = said.output + said.errors;
    switch (said.status.value_or(-1)) {
        case kExitNoHome:
            return {"no-home", node, text(kContext, "The account has no home folder there."),
                    text(kContext, "Ask the administrator to make it; its place is in the password file."),
                    detail};
        case kExitNoFolder:
            return {"no-permission", node,
                    text(kContext, "~/.ssh cannot be created, or belongs to another user."),
                    text(kContext, "Check owner and permissions of the home and ~/.ssh there."), detail};
        case kExitCannotWrite:
            return {"no-permission", node, text(kContext, "~/.ssh/authorized_keys cannot be written."),
                    text(kContext, "Check its owner, the disk's space (`df -h ~`) and the quota there."),
                    detail};
        default:
            return {
                "key-install", node, text(kContext, "The key could not be installed."),
                text(kContext, "Check the message of the node; `ssh %1 true` should print nothing.", {node}),
                detail};
    }
}

// Only this key: no agent, no other file, no password.
Result<void> log_in_with(const NodeSpec& node, const KeyPair& key, const Prompter& prompter,
                         const std::stop_token& stop) {
    NodeSpec only = node;
    only.identity_file = key.file.string();
    auto target = resolve_ssh_target(only, stop);
    if (!target) {
        return target.failure();
    }
    Prompter asking;
    if (prompter.secret) {
        asking.secret = [&](const SecretQuestion& question) {
            return question.passphrase ? prompter.secret(question) : std::nullopt;
        };
    }
    const auto choice = choose_transport(only, *target);
    if (choice.implementation == SshImplementation::OpenSsh) {
        auto opened =
            open_openssh_transport(only, *target, choice.why, asking, stop,
                                   {"-o", "IdentityAgent=none", "-o", "PreferredAuthentications=publickey"});
        return opened ? Result<void>() : opened.failure();
    }
    target->identity_files = {key.file.string()};
    target->identities_only = target->identities_named = true;
    target->options["passwordauthentication"] = target->options["kbdinteractiveauthentication"] = "no";
    auto opened = open_ssh_transport(*target, asking, stop, {});
    return opened ? Result<void>() : opened.failure();
}

Failure not_accepted(const std::string& node, const Failure& failure, bool home_is_open) {
    Failure result = failure;
    result.where = node;
    if (failure.code != "ssh-auth-denied") {
        return result;
    }
    result.code = "key-not-accepted";
    result.what = text(
        kContext, "The key is in ~/.ssh/authorized_keys on the node, but the server does not accept it.");
    result.remedy =
        home_is_open
            ? text(kContext, "Others can write to the home folder there, which sshd refuses: `chmod go-w ~`.")
            : text(kContext,
                   "Check AuthorizedKeysFile and PubkeyAuthentication in its sshd_config, and "
                   "`journalctl -u ssh` there.");
    return result;
}

}  // namespace

// Secrets of all nodes and the lock under which one thread asks while the others wait for its answer.
struct SharedSecret::State {
    std::mutex mutex;
    Prompter asking;
    std::map<std::string, std::string> secrets;  ///< by question
    bool cancelled = false;

    std::optional<std::string> answer(const SecretQuestion& question) {
        const std::lock_guard lock(mutex);
        if (cancelled || !asking.secret) {
            return std::nullopt;
        }
        const std::string what = question.passphrase ? question.prompt : "password";
        const auto found = secrets.find(what);
        if (found != secrets.end() && question.attempt == 1) {
            return found->second;
        }
        if (found != secrets.end() && !question.passphrase) {
            return std::nullopt;  // this node refused it; others may have accepted it
        }
        auto typed = asking.secret(question);
        cancelled = !typed;
        if (typed) {
            secrets[what] = *typed;
        }
        return typed;
    }
    void wipe() {
        const std::lock_guard lock(mutex);
        for (auto& [what, secret] : secrets) {
            sodium_memzero(secret.data(), secret.size());
        }
        secrets.clear();
        cancelled = true;
    }
};

SharedSecret::SharedSecret(Prompter asking) : state_(std::make_shared<State>()) {
    state_->asking = std::move(asking);
}

SharedSecret::~SharedSecret() {
    state_->wipe();
}

Prompter SharedSecret::prompter() const {
    Prompter prompter;
    prompter.accept_host_key = state_->asking.accept_host_key;
    if (state_->asking.secret) {
        prompter.secret = [state = state_](const SecretQuestion& question) {
            return state->answer(question);
        };
    }
    return prompter;
}

std::string install_key_script(const KeyPair& key) {
    std::istringstream words(key.public_line);
    std::string type;
    std::string blob;
    words >> type >> blob;
    const auto fail = [](int code) { return " || exit " + std::to_string(code) + "; "; };
    // A last line without a newline would join the key. Modes that sshd rejects are corrected for ~/.ssh and the
    // file, which certainly belong to the user; the home folder is only checked.
    return sh_command(
        "umask 077; [ -n \"$HOME\" ] && [ -d \"$HOME\" ]" + fail(kExitNoHome) +
        "d=\"$HOME/.ssh\"; mkdir -p \"$d\"" + fail(kExitNoFolder) + "chmod go-w \"$d\"" +
        fail(kExitNoFolder) + "f=\"$d/authorized_keys\"; b=" + shell_quote(blob) +
        "; IFS= read -r k; r=present; if [ -f \"$f\" ] && grep -v \"^[[:space:]]*#\" \"$f\" | grep -qF -- "
        "\"$b\"; then :; "
        "else r=added; if [ -s \"$f\" ] && [ -n \"$(tail -c 1 \"$f\")\" ]; then echo >> \"$f\"" +
        fail(kExitCannotWrite) + "fi; printf \"%s\\n\" \"$k\" >> \"$f\"" + fail(kExitCannotWrite) +
        "fi; chmod go-w \"$f\"" + fail(kExitCannotWrite) +
        "if command -v restorecon >/dev/null 2>&1; then restorecon -R \"$d\" >/dev/null 2>&1; fi; h=closed; "
        "case \"$(ls -ldL \"$HOME\")\" in ?????w*|????????w*) h=open;; esac; echo; echo \"" +
        kMarker + "$r $h\"");
}

KeyInstallation install_key(const NodeSpec& node, const KeyPair& key, const Prompter& prompter,
                            const std::stop_token& stop,
                            const std::function<void(const std::string&)>& progress) {
    KeyInstallation result;
    result.node = node.name;
    auto transport = open_transport(node, prompter, stop, progress);
    if (!transport) {
        result.failure = transport.failure();
        return result;
    }
    result.logged_in_with = (*transport)->info().description;
    if (progress) {
        progress(text(kContext, "installing the key"));
    }
    auto said = run_there(**transport, install_key_script(key), key.public_line + '\n', node.name, stop);
    if (!said) {
        result.failure = said.failure();
        return result;
    }
    const auto marker = said->output.find(kMarker);
    if (said->status != 0 || marker == std::string::npos) {
        result.failure = explain(node.name, *said);
        return result;
    }
    std::istringstream words(said->output.substr(marker + std::string_view(kMarker).size()));
    std::string state;
    std::string home;
    words >> state >> home;
    result.added = state == "added";
    if (progress) {
        progress(text(kContext, "logging in with the key"));
    }
    const auto logged_in = log_in_with(node, key, prompter, stop);
    result.verified = logged_in.ok();
    if (!logged_in) {
        result.failure = not_accepted(node.name, logged_in.failure(), home == "open");
    }
    return result;
}

std::vector<KeyInstallation> install_key_on(
    const std::vector<NodeSpec>& nodes, const KeyPair& key, const Prompter& prompter,
    const std::stop_token& stop, const std::function<void(std::size_t, const KeyInstallation&)>& done) {
    std::vector<KeyInstallation> results(nodes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        threads.emplace_back([&, i] {
            results[i] = install_key(nodes[i], key, prompter, stop);
            if (done) {
                done(i, results[i]);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return results;
}

}  // namespace rankscope::inline nodes
