// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wake_fd.h>
#include <remote/desk/text.h>
#include <remote/desk/transport/process_channel.h>

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace rankscope {
namespace {

class ProcessChannel : public Program {
public:
    ProcessChannel(pid_t pid, UniqueFd input, UniqueFd output, UniqueFd error)
        : pid_(pid), input_(std::move(input)), output_(std::move(output)), error_(std::move(error)) {
        for (const auto* fd : {&input_, &output_, &error_}) {
            if (*fd) {
                set_nonblocking(fd->get(), true);
            }
        }
    }
    ProcessChannel(const ProcessChannel&) = delete;
    ProcessChannel& operator=(const ProcessChannel&) = delete;
    ~ProcessChannel() override;

    Read read(std::string& out) override { return read_from(output_, out); }
    Read read_error(std::string& out) override { return read_from(error_, out); }
    std::ptrdiff_t write(std::string_view bytes) override;
    void close_input() override { input_.reset(); }
    void wait(bool for_writing, int timeout_ms, int wake_fd) override;
    std::optional<int> exit_status() override;
    void wait_with(int timeout_ms, const std::vector<int>& readable) override {
        std::vector<pollfd> fds{{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}};
        for (const int fd : readable) {
            fds.push_back({fd, POLLIN, 0});
        }
        ::poll(fds.data(), fds.size(), timeout_ms);
    }
    void kill() override {
        if (!status_) {
            ::kill(-pid_, SIGKILL);
        }
    }

private:
    static Read read_from(UniqueFd& fd, std::string& out);
    bool reap(int flags);

    pid_t pid_;
    UniqueFd input_;
    UniqueFd output_;
    UniqueFd error_;
    std::optional<int> status_;
};

ProcessChannel::~ProcessChannel() {
    input_.reset();
    output_.reset();
    error_.reset();
    // An agent ends by itself when its stdin ends; anything that does not is not waited for.
    const double deadline = monotonic_s() + 1;
    while (!reap(WNOHANG)) {
        if (monotonic_s() > deadline) {
            ::kill(pid_, SIGKILL);
            reap(0);
            return;
        }
        ::poll(nullptr, 0, 2);
    }
}

bool ProcessChannel::reap(int flags) {
    if (status_) {
        return true;
    }
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, flags);
    if (got == 0 || (got < 0 && errno == EINTR)) {
        return false;
    }
    status_ = got == pid_ && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

Channel::Read ProcessChannel::read_from(UniqueFd& fd, std::string& out) {
    if (!fd) {
        return Read::Closed;
    }
    std::array<char, 65536> bytes;
    const auto got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got > 0) {
        out.append(bytes.data(), static_cast<std::size_t>(got));
        return Read::Data;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return Read::Nothing;
    }
    fd.reset();
    return Read::Closed;
}

std::ptrdiff_t ProcessChannel::write(std::string_view bytes) {
    if (!input_) {
        return -1;
    }
    const auto put = ::write(input_.get(), bytes.data(), bytes.size());
    if (put < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }
    return put;
}

void ProcessChannel::wait(bool for_writing, int timeout_ms, int wake_fd) {
    std::array<pollfd, 4> fds{{{output_.get(), POLLIN, 0},
                               {error_.get(), POLLIN, 0},
                               {for_writing ? input_.get() : -1, POLLOUT, 0},
                               {wake_fd, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), timeout_ms);
}

std::optional<int> ProcessChannel::exit_status() {
    reap(0);
    return status_ && *status_ >= 0 ? status_ : std::nullopt;
}

// Ours, with the additions in place of what they replace.
std::vector<std::string> joined_environment(const std::map<std::string, std::string>& additions) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!additions.contains(std::string(text.substr(0, text.find('='))))) {
            all.emplace_back(text);
        }
    }
    for (const auto& [key, value] : additions) {
        all.push_back(key + '=' + value);
    }
    return all;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    for (const auto& word : words) {
        list.push_back(const_cast<char*>(word.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

}  // namespace

Result<std::unique_ptr<Program>> start_program(const std::vector<std::string>& argv,
                                               const std::map<std::string, std::string>& environment,
                                               UniqueFd stdio) {
    Pipe input = stdio ? Pipe{} : make_pipe();
    Pipe output = stdio ? Pipe{} : make_pipe();
    Pipe error = make_pipe();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, stdio ? stdio.get() : input.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, stdio ? stdio.get() : output.write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, error.write_end.get(), STDERR_FILENO);
    // A session of its own: Ctrl-C in the desk's terminal is the desk's to handle, and nothing that is
    // started asks there behind the desk's back.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    const auto variables = joined_environment(environment);
    pid_t pid = -1;
    const int code = ::posix_spawnp(&pid, argv.front().c_str(), &actions, &attributes, pointers(argv).data(),
                                    pointers(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        return Failure{"local-exec", kLocalNodeName,
                       text("Transport", "%1 cannot be started on this computer.", {argv.front()}),
                       code == ENOENT
                           ? text("Transport", "Install it.")
                           : text("Transport", "Check the limits of processes and memory (ulimit -u)."),
                       std::strerror(code)};
    }
    return std::unique_ptr<Program>(std::make_unique<ProcessChannel>(
        pid, std::move(input.write_end), std::move(output.read_end), std::move(error.read_end)));
}

Result<Captured> capture_program(const std::vector<std::string>& argv,
                                 const std::map<std::string, std::string>& environment, double timeout_s,
                                 const std::stop_token& stop) {
    auto channel = start_program(argv, environment);
    if (!channel) {
        return channel.failure();
    }
    (*channel)->close_input();
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    const double deadline = monotonic_s() + timeout_s;
    Captured captured;
    for (;;) {
        const auto output = (*channel)->read(captured.output);
        const auto errors = (*channel)->read_error(captured.errors);
        if (output == Channel::Read::Closed && errors == Channel::Read::Closed) {
            captured.status = (*channel)->exit_status();
            return captured;
        }
        const double left = deadline - monotonic_s();
        if (left <= 0 || stop.stop_requested()) {
            captured.timed_out = left <= 0;
            (*channel)->kill();
            return captured;
        }
        if (output == Channel::Read::Nothing || errors == Channel::Read::Nothing) {
            (*channel)->wait(false, static_cast<int>(left * 1000) + 1, wake.fd());
        }
    }
}

}  // namespace rankscope
