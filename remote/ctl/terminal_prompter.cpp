// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/fd.h>
#include <remote/base/text.h>
#include <remote/ctl/options.h>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <memory>
#include <mutex>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "TerminalPrompter";

// One question at a time, whichever node's thread asks.
std::mutex& terminal() {
    static std::mutex mutex;
    return mutex;
}

class Echo {
public:
    Echo(int fd, bool on) : fd_(fd) {
        if (::tcgetattr(fd_, &before_) == 0 && !on) {
            termios silent = before_;
            silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            ::tcsetattr(fd_, TCSAFLUSH, &silent);
            changed_ = true;
        }
    }
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;
    ~Echo() {
        if (changed_) {
            ::tcsetattr(fd_, TCSAFLUSH, &before_);
        }
    }

private:
    int fd_;
    termios before_{};
    bool changed_ = false;
};

std::optional<std::string> ask(const std::string& question, bool echo) {
    const std::lock_guard lock(terminal());
    const UniqueFd tty(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!tty) {
        return std::nullopt;
    }
    std::string answer;
    {
        // Before the question: an answer that comes at once (expect, a pasted password) must neither be shown
        // nor be flushed away by the change.
        const Echo guard(tty.get(), echo);
        [[maybe_unused]] const auto put = ::write(tty.get(), question.data(), question.size());
        char c = 0;
        while (true) {
            const auto got = ::read(tty.get(), &c, 1);
            if (got <= 0) {
                return std::nullopt;
            }
            if (c == '\n') {
                break;
            }
            answer += c;
        }
    }
    if (!echo) {
        [[maybe_unused]] const auto put = ::write(tty.get(), "\n", 1);
    }
    return answer;
}

}  // namespace

Prompter terminal_prompter(const GlobalOptions& options) {
    Prompter prompter;
    prompter.accept_host_key = [accept = options.accept_new_host_keys](const HostKeyQuestion& question) {
        if (accept) {
            return true;
        }
        const auto answer = ask(
            text(kContext, "%1: the host key of %2 is not known:\n  %3 %4\nTrust it from now on? [yes/no] ",
                 {question.node, question.host + ':' + std::to_string(question.port), question.key_type,
                  question.fingerprint}),
            true);
        return answer && *answer == "yes";
    };
    prompter.secret = [](const SecretQuestion& question) {
        return ask(question.passphrase
                       ? text(kContext, "%1: passphrase of the key (%2): ", {question.node, question.prompt})
                       : text(kContext, "%1: password of %2: ", {question.node, question.account}),
                   false);
    };
    return prompter;
}

}  // namespace rankscope::ctl
