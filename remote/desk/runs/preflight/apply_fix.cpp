// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/command_parts.h>
#include <base/paths.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/transport/local_transport.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/runs/preflight/apply_fix.h>
#include <remote/desk/shared/text.h>

#include <sodium/utils.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "ApplyFix";
constexpr double kLoginWithin = 30;    // a slow ~/.bashrc, or a sudo that waits for a directory server
constexpr double kCommandWithin = 90;  // firewall-cmd and systemctl may take long
constexpr int kMostAttempts = 3;
constexpr int kPumpMs = 1000;
constexpr std::size_t kMostText = 64U << 10U;

// What the script prints around the command. A login shell may print anything before.
constexpr const char* kBegin = "RANKSCOPE-FIX-BEGIN\n";
constexpr const char* kNoSudo = "RANKSCOPE-FIX-NO-SUDO\n";
constexpr const char* kPrompt = "RANKSCOPE-FIX-PASSWORD:";

void wipe(std::string& secret) {
    sodium_memzero(secret.data(), secret.size());
    secret.clear();
}

/// Passwords that sudo has accepted, until the program ends. Any thread.
class AcceptedPasswords {
public:
    AcceptedPasswords() = default;
    AcceptedPasswords(const AcceptedPasswords&) = delete;
    AcceptedPasswords& operator=(const AcceptedPasswords&) = delete;
    ~AcceptedPasswords() {
        for (auto& [account, password] : passwords_) {
            wipe(password);
        }
    }

    std::optional<std::string> find(const std::string& account) {
        const std::lock_guard lock(mutex_);
        const auto found = passwords_.find(account);
        return found == passwords_.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const std::string& account, const std::string& password) {
        const std::lock_guard lock(mutex_);
        passwords_[account] = password;
    }
    void forget(const std::string& account) {
        const std::lock_guard lock(mutex_);
        if (const auto found = passwords_.find(account); found != passwords_.end()) {
            wipe(found->second);
            passwords_.erase(found);
        }
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::string> passwords_;
};

AcceptedPasswords& accepted_passwords() {
    static AcceptedPasswords passwords;
    return passwords;
}

// A word of sh without the characters that the login shell may change ('!' in csh, line breaks). printf reads up to
// three octal digits after the 0: all are given.
std::string printed_word(const std::string& line) {
    std::string escaped;
    for (const char c : line) {
        switch (c) {
            case '\\':
                escaped += "\\0134";
                break;
            case '\'':
                escaped += "\\0047";
                break;
            case '!':
                escaped += "\\0041";
                break;
            case '\n':
                escaped += "\\0012";
                break;
            default:
                escaped += c;
        }
    }
    return "\"$(printf %b '" + escaped + "')\"";
}

// sudo keeps its consent for the children of one shell, so that shell runs the whole line: any number of sudo commands
// joined by && needs one password. Where the user is root already, sudo may be missing.
std::string script_of(const std::string& line, bool needs_root, bool at_this_computer) {
    std::string script = "line=" + printed_word(line) + "; ";
    if (at_this_computer) {  // rankscopectl lies beside this program, which may not be in PATH
        script += "PATH=\"$PATH:\"" + shell_quote(program_dir().string()) + "; ";
    }
    if (needs_root) {
        script +=
            "if command -v sudo >/dev/null 2>&1; then "
            "[ \"$(id -u)\" = 0 ] || sudo -n true 2>/dev/null || sudo -S -p " +
            shell_quote(kPrompt) +
            " -v || exit 1; "
            "elif [ \"$(id -u)\" = 0 ]; then sudo() { \"$@\"; }; "
            "else echo RANKSCOPE-FIX-NO-SUDO; exit 1; fi; ";
    }
    return script + "echo RANKSCOPE-FIX-BEGIN; eval \"$line\" </dev/null 2>&1";
}

std::size_t count(const std::string& text, std::string_view word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) {
        ++found;
    }
    return found;
}

/// One command in progress.
class Command {
public:
    Command(const FixRequest& request, const NodeSpec& node, std::string where, std::stop_token stop)
        : request_(request), node_(node), where_(std::move(where)), stop_(std::move(stop)) {}
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    ~Command() { wipe(password_); }

    Result<std::string> run(const std::string& script, Transport& transport);

private:
    std::string account() const {
        return node_.user + '@' + node_.host + ':' + std::to_string(node_.port) + '\n' + node_.name;
    }
    Result<void> answer_prompts(Channel& channel);
    Result<std::string> next_password();
    Result<std::string> ended(std::optional<int> status) const;
    Failure refused(const std::string& what) const;

    const FixRequest& request_;
    const NodeSpec& node_;
    std::string where_;
    std::stop_token stop_;
    std::string output_;  ///< after kBegin: of the command alone
    std::string errors_;
    bool begun_ = false;
    bool kept_was_tried_ = false;
    int attempts_ = 0;  ///< of the user
    std::size_t answered_ = 0;
    std::string password_;  ///< the last one given
    double deadline_ = 0;
};

Failure Command::refused(const std::string& what) const {
    std::string said = errors_;
    for (auto at = said.find(kPrompt); at != said.npos; at = said.find(kPrompt)) {
        said.erase(at, std::string_view(kPrompt).size());
    }
    return {.code = "sudo-refused",
            .where = where_,
            .what = what,
            .remedy = text(kContext, "Run the command there as an administrator."),
            .detail = said};
}

Result<std::string> Command::next_password() {
    if (!kept_was_tried_) {
        kept_was_tried_ = true;
        if (auto kept = accepted_passwords().find(account())) {
            return *std::move(kept);
        }
    }
    accepted_passwords().forget(account());
    if (!request_.prompter.secret) {
        return refused(text(
            kContext, "sudo on %1 asks for a password, and there is no terminal to type it in.", {where_}));
    }
    if (attempts_ == kMostAttempts) {
        return refused(text(kContext, "sudo on %1 does not accept the password.", {where_}));
    }
    const auto given = request_.prompter.secret(
        {.node = where_,
         .account = text(kContext, "%1 (sudo)", {node_.user.empty() ? where_ : node_.user}),
         .prompt = text(kContext, "Password for sudo"),
         .attempt = ++attempts_});
    if (!given) {
        return cancelled(where_);
    }
    return *given;
}

Result<void> Command::answer_prompts(Channel& channel) {
    while (count(errors_, kPrompt) > answered_) {
        auto password = next_password();
        if (!password) {
            return password.failure();
        }
        ++answered_;
        wipe(password_);
        password_ = *password;
        std::string line = password_ + '\n';
        for (std::string_view rest = line; !rest.empty();) {
            const auto taken = channel.write(rest);
            if (taken < 0) {
                break;  // the end of the channel says why
            }
            rest.remove_prefix(static_cast<std::size_t>(taken));
            if (taken == 0) {
                channel.wait(true, kPumpMs, -1);
            }
        }
        wipe(line);
        wipe(*password);
        deadline_ = monotonic_s() + kLoginWithin;
    }
    return {};
}

Result<std::string> Command::ended(std::optional<int> status) const {
    if (!begun_) {
        if (output_.find(kNoSudo) != output_.npos) {
            return refused(text(kContext, "%1 has no sudo, and its user is not root.", {where_}));
        }
        if (answered_ > 0) {
            return refused(text(kContext, "sudo on %1 does not accept the password.", {where_}));
        }
        if (request_.fix.needs_root && status) {
            return refused(text(kContext, "sudo on %1 does not permit the command.", {where_}));
        }
    }
    if (status == 0) {
        return output_;
    }
    return Failure{
        .code = "fix-failed",
        .where = where_,
        .what = status ? text(kContext, "The command on %1 failed with status %2.",
                              {where_, std::to_string(*status)})
                       : text(kContext, "The connection to %1 ended before the command did.", {where_}),
        .remedy = text(kContext, "Read its output, and run the preflight again."),
        .detail = begun_ ? output_ : errors_};
}

Result<std::string> Command::run(const std::string& script, Transport& transport) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop_, [&wake] { wake.wake(); });
    auto channel = transport.exec(sh_command(script));
    if (!channel) {
        return channel.failure();
    }
    deadline_ = monotonic_s() + kLoginWithin;
    for (;;) {
        const auto read = (*channel)->read(output_);
        const auto read_error = (*channel)->read_error(errors_);
        if (const auto at = output_.find(kBegin); !begun_ && at != output_.npos) {
            begun_ = true;
            output_.erase(0, at + std::string_view(kBegin).size());
            deadline_ = monotonic_s() + kCommandWithin;
            if (answered_ > 0) {
                accepted_passwords().keep(account(), password_);
            }
        }
        if (begun_ && output_.size() > 2 * kMostText) {
            output_.erase(0, output_.size() - kMostText);
        }
        if (!begun_ && (output_.size() > kMostText || errors_.size() > kMostText)) {
            return ended(std::nullopt);  // a login shell that never ends
        }
        if (read == Channel::Read::Closed) {
            return ended((*channel)->exit_status());
        }
        if (auto answered = begun_ ? Result<void>{} : answer_prompts(**channel); !answered) {
            return answered.failure();
        }
        wake.clear();
        if (stop_.stop_requested()) {
            return cancelled(where_);
        }
        const double left = deadline_ - monotonic_s();
        if (left <= 0) {
            return Failure{.code = "fix-failed",
                           .where = where_,
                           .what = text(kContext, "The command on %1 did not end in time.", {where_}),
                           .remedy = text(kContext, "It may still run there. Run the preflight again."),
                           .detail = begun_ ? output_ : errors_};
        }
        if (read == Channel::Read::Nothing && read_error != Channel::Read::Data) {
            (*channel)->wait(false, std::min(kPumpMs, static_cast<int>(left * 1000) + 1), wake.fd());
        }
    }
}

}  // namespace

Result<std::string> apply_fix(const FixRequest& request, const std::stop_token& stop) {
    const std::string& line = request.undo ? request.fix.undo : request.fix.command;
    const std::string& name = request.fix.node;
    const bool here = name.empty() || name == kLocalNodeName;
    const NodeSpec* listed = here ? nullptr : request.inventory.find(name);
    const std::string where = here ? text(kContext, "this computer") : name;
    if (line.empty() || (!here && listed == nullptr)) {
        return Failure{.code = "fix-failed",
                       .where = where,
                       .what = line.empty() ? text(kContext, "There is no command to run.")
                                            : text(kContext, "The inventory has no node \"%1\".", {name})};
    }
    // What is shown is what runs: nothing in the line may be hidden or seem to be elsewhere.
    if (const auto lines = split(line, '\n'); !std::all_of(lines.begin(), lines.end(), is_visible_text)) {
        return Failure{.code = "fix-failed",
                       .where = where,
                       .what = text(kContext, "The command has characters that do not show: it was not run."),
                       .remedy = text(kContext, "Run the preflight again, and report the command.")};
    }
    const NodeSpec node = listed != nullptr ? *listed : local_node();
    auto transport = here ? open_local_transport() : open_transport(node, request.prompter, stop, {});
    if (!transport) {
        return transport.failure();
    }
    return Command(request, node, where, stop)
        .run(script_of(line, request.fix.needs_root, here), **transport);
}

}  // namespace rankscope::inline runs
