// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/ctl/options.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_guard.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "TerminalPrompter";

// One question at a time, whichever node's thread asks.
std::mutex& terminal() {
    static std::mutex mutex;
    return mutex;
}

// The terminal where the user can be asked; invalid: there is none. A process in the background has a /dev/tty,
// too, but a read there stops it, and with neither stdin nor stderr at a terminal no user sees the question.
UniqueFd open_terminal() {
    UniqueFd tty(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!tty || ::tcgetpgrp(tty.get()) != ::getpgrp() ||
        (::isatty(STDIN_FILENO) == 0 && ::isatty(STDERR_FILENO) == 0)) {
        return {};
    }
    return tty;
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

}  // namespace

std::optional<std::string> ask_terminal(const std::string& question, bool echo) {
    const std::lock_guard lock(terminal());
    const UniqueFd tty = open_terminal();
    if (!tty) {
        return std::nullopt;
    }
    std::string answer;
    {
        // Before the question: an immediate answer (expect, a pasted password) must neither be echoed nor be
        // discarded by the change.
        const Echo guard(tty.get(), echo);
        const std::string shown = TerminalFilter(false).take(question);  // a server may have written it
        [[maybe_unused]] const auto put = ::write(tty.get(), shown.data(), shown.size());
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

namespace {

constexpr auto kQuiet = std::chrono::milliseconds(400);
constexpr auto kLongestWait = std::chrono::seconds(3);

/// Questions about host keys that arrive at the same time become one table. The first thread waits until no
/// more arrive, and asks for all.
class HostKeyTable {
public:
    bool ask(const HostKeyQuestion& question) {
        std::unique_lock lock(mutex_);
        const auto mine = std::make_shared<Entry>(Entry{question});
        waiting_.push_back(mine);
        last_ = Clock::now();
        if (asking_) {
            answered_.wait(lock, [&] { return mine->answered; });
            return mine->accepted;
        }
        asking_ = true;
        while (!mine->answered) {
            const auto begin = Clock::now();
            while (Clock::now() < std::min(last_ + kQuiet, begin + kLongestWait)) {
                answered_.wait_until(lock, std::min(last_ + kQuiet, begin + kLongestWait));
            }
            const auto batch = std::exchange(waiting_, {});
            lock.unlock();
            put(batch);
            lock.lock();
            for (const auto& entry : batch) {
                entry->answered = true;
            }
        }
        asking_ = false;
        if (!waiting_.empty()) {  // arrived while the user was answering
            const auto rest = std::exchange(waiting_, {});
            lock.unlock();
            put(rest);
            lock.lock();
            for (const auto& entry : rest) {
                entry->answered = true;
            }
        }
        answered_.notify_all();
        return mine->accepted;
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Entry {
        HostKeyQuestion question;
        bool accepted = false;
        bool answered = false;
    };
    using Batch = std::vector<std::shared_ptr<Entry>>;

    static void put(const Batch& batch) {
        if (batch.size() == 1) {
            const HostKeyQuestion& question = batch.front()->question;
            const auto answer = ask_terminal(
                text(kContext,
                     "%1: the host key of %2 is not known:\n  %3 %4\nTrust it from now on? [yes/no] ",
                     {question.node, question.host + ':' + std::to_string(question.port), question.key_type,
                      question.fingerprint}),
                true);
            batch.front()->accepted = answer && *answer == "yes";
            return;
        }
        std::vector<std::vector<std::string>> rows{{"", "NODE", "HOST", "KEY", "FINGERPRINT"}};
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const HostKeyQuestion& question = batch[i]->question;
            rows.push_back({std::to_string(i + 1), question.node,
                            question.host + ':' + std::to_string(question.port), question.key_type,
                            question.fingerprint});
        }
        const auto answer = ask_terminal(text(kContext,
                                              "The host keys of %1 nodes are not known:\n%2Trust them "
                                              "from now on? [yes/no, or the numbers of "
                                              "those to trust: 1 3-5] ",
                                              {std::to_string(batch.size()), format_table(rows)}),
                                         true);
        const auto chosen = choose_rows(answer.value_or("no"), batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i]->accepted = chosen.contains(i + 1);
        }
    }

    std::mutex mutex_;
    std::condition_variable answered_;
    Batch waiting_;
    Clock::time_point last_;
    bool asking_ = false;
};

}  // namespace

std::set<std::size_t> choose_rows(const std::string& answer, std::size_t count) {
    std::set<std::size_t> rows;
    if (answer == "yes") {
        for (std::size_t i = 1; i <= count; ++i) {
            rows.insert(i);
        }
        return rows;
    }
    std::string plain = answer;
    std::replace(plain.begin(), plain.end(), ',', ' ');
    std::istringstream words(plain);
    for (std::string word; words >> word;) {
        std::size_t from = 0;
        std::size_t to = 0;
        const auto dash = word.find('-');
        const auto number = [&](std::size_t begin, std::size_t end, std::size_t& out) {
            const auto [at, error] = std::from_chars(word.data() + begin, word.data() + end, out);
            return error == std::errc() && at == word.data() + end;
        };
        const bool fine = dash == std::string::npos
                              ? number(0, word.size(), from) && number(0, word.size(), to)
                              : number(0, dash, from) && number(dash + 1, word.size(), to);
        if (!fine || from < 1 || to > count || from > to) {
            return {};  // not understood: nothing is trusted
        }
        for (std::size_t i = from; i <= to; ++i) {
            rows.insert(i);
        }
    }
    return rows;
}

Prompter terminal_prompter(const GlobalOptions& options) {
    Prompter prompter;
    if (!open_terminal()) {
        prompter.accept_host_key = [accept = options.accept_new_host_keys](const HostKeyQuestion&) {
            return accept;
        };
        return prompter;
    }
    prompter.accept_host_key = [accept = options.accept_new_host_keys,
                                table = std::make_shared<HostKeyTable>()](const HostKeyQuestion& question) {
        return accept || table->ask(question);
    };
    prompter.secret = [](const SecretQuestion& question) {
        return ask_terminal(
            question.passphrase
                ? text(kContext, "%1: passphrase of the key (%2): ", {question.node, question.prompt})
                : text(kContext, "%1: password of %2: ", {question.node, question.account}),
            false);
    };
    return prompter;
}

}  // namespace rankscope::ctl
