// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/node/command.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

extern char** environ;

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxOutput = 4U << 20U;  // nothing we start says more; what does is not believed

// true: it is at its end.
bool take(UniqueFd& fd, std::string& into) {
    std::array<char, 16384> bytes;
    while (fd) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got > 0) {
            if (into.size() < kMaxOutput) {
                into.append(bytes.data(), static_cast<std::size_t>(got));
            }
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return false;
        } else {
            fd.reset();
        }
    }
    return true;
}

}  // namespace

std::optional<Command> Command::start(const std::vector<std::string>& argv, double seconds) {
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
    // The agent ignores and blocks signals that a program expects to work.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t set;
    sigemptyset(&set);
    ::posix_spawnattr_setsigmask(&attributes, &set);
    for (const int signal : {SIGPIPE, SIGHUP, SIGINT, SIGTERM}) {
        sigaddset(&set, signal);
    }
    ::posix_spawnattr_setsigdefault(&attributes, &set);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> words;
    for (const auto& word : argv) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    Command command;
    const int error =
        ::posix_spawnp(&command.pid_, words.front(), &actions, &attributes, words.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        command.pid_ = -1;
        errno = error;
        return std::nullopt;
    }
    set_nonblocking(out.read_end.get(), true);
    set_nonblocking(err.read_end.get(), true);
    command.out_ = std::move(out.read_end);
    command.err_ = std::move(err.read_end);
    command.deadline_ = monotonic_s() + seconds;
    return command;
}

Command::Command(Command&& other) noexcept {
    *this = std::move(other);
}

Command& Command::operator=(Command&& other) noexcept {
    if (this != &other) {
        kill_and_reap();
        pid_ = std::exchange(other.pid_, -1);
        out_ = std::move(other.out_);
        err_ = std::move(other.err_);
        deadline_ = other.deadline_;
        output_ = std::move(other.output_);
        errors_ = std::move(other.errors_);
        status_ = other.status_;
        timed_out_ = other.timed_out_;
    }
    return *this;
}

Command::~Command() {
    kill_and_reap();
}

void Command::kill_and_reap() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
}

void Command::add_to(std::vector<pollfd>& fds) const {
    for (const auto* fd : {&out_, &err_}) {
        if (*fd) {
            fds.push_back({fd->get(), POLLIN, 0});
        }
    }
}

bool Command::step() {
    if (pid_ < 0) {
        return true;
    }
    take(out_, output_);
    take(err_, errors_);
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
        pid_ = -1;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        take(out_, output_);
        take(err_, errors_);
        return true;
    }
    if (ended < 0 && errno == ECHILD) {  // somebody of this process collects every child
        pid_ = -1;
        return true;
    }
    if (monotonic_s() >= deadline_) {
        timed_out_ = true;
        kill_and_reap();
        return true;
    }
    return false;
}

void Command::wait() {
    while (!step()) {
        std::vector<pollfd> fds;
        add_to(fds);
        // A program may close its output and live on, or leave it to a child and be gone: both are looked
        // for.
        ::poll(fds.data(), fds.size(), fds.empty() ? 5 : 20);
    }
}

}  // namespace rankscope::agent
