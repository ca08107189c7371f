// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/clock.h>
#include <remote/base/fd.h>
#include <remote/base/text.h>
#include <remote/transport/local_transport.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace rankscope {
namespace {

class LocalChannel : public Channel {
public:
    LocalChannel(pid_t pid, UniqueFd input, UniqueFd output, UniqueFd error)
        : pid_(pid), input_(std::move(input)), output_(std::move(output)), error_(std::move(error)) {
        for (const auto* fd : {&input_, &output_, &error_}) {
            set_nonblocking(fd->get(), true);
        }
    }
    LocalChannel(const LocalChannel&) = delete;
    LocalChannel& operator=(const LocalChannel&) = delete;
    ~LocalChannel() override;

    Read read(std::string& out) override { return read_from(output_, out); }
    Read read_error(std::string& out) override { return read_from(error_, out); }
    std::ptrdiff_t write(std::string_view bytes) override;
    void close_input() override { input_.reset(); }
    void wait(bool for_writing, int timeout_ms, int wake_fd) override;
    std::optional<int> exit_status() override;

private:
    static Read read_from(UniqueFd& fd, std::string& out);
    bool reap(int flags);

    pid_t pid_;
    UniqueFd input_;
    UniqueFd output_;
    UniqueFd error_;
    std::optional<int> status_;
};

LocalChannel::~LocalChannel() {
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

bool LocalChannel::reap(int flags) {
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

Channel::Read LocalChannel::read_from(UniqueFd& fd, std::string& out) {
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

std::ptrdiff_t LocalChannel::write(std::string_view bytes) {
    if (!input_) {
        return -1;
    }
    const auto put = ::write(input_.get(), bytes.data(), bytes.size());
    if (put < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }
    return put;
}

void LocalChannel::wait(bool for_writing, int timeout_ms, int wake_fd) {
    std::array<pollfd, 4> fds{{{output_.get(), POLLIN, 0},
                               {error_.get(), POLLIN, 0},
                               {for_writing ? input_.get() : -1, POLLOUT, 0},
                               {wake_fd, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), timeout_ms);
}

std::optional<int> LocalChannel::exit_status() {
    reap(0);
    return status_ && *status_ >= 0 ? status_ : std::nullopt;
}

class LocalTransport : public Transport {
public:
    LocalTransport() { info_.description = text("Transport", "this computer"); }

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override;
    const ConnectionInfo& info() const override { return info_; }

private:
    ConnectionInfo info_;
};

Result<std::unique_ptr<Channel>> LocalTransport::exec(const std::string& command) {
    Pipe input = make_pipe();
    Pipe output = make_pipe();
    Pipe error = make_pipe();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, error.write_end.get(), STDERR_FILENO);
    // A group of its own: Ctrl-C in the desk's terminal is the desk's to handle.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    std::array<const char*, 4> argv{"sh", "-c", command.c_str(), nullptr};
    pid_t pid = -1;
    const int code =
        ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, const_cast<char* const*>(argv.data()), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        return Failure{
            "local-exec", kLocalNodeName, text("Transport", "A program cannot be started on this computer."),
            text("Transport", "Check the limits of processes and memory (ulimit -u)."), std::strerror(code)};
    }
    return std::unique_ptr<Channel>(std::make_unique<LocalChannel>(
        pid, std::move(input.write_end), std::move(output.read_end), std::move(error.read_end)));
}

}  // namespace

Result<std::unique_ptr<Transport>> open_local_transport() {
    return std::unique_ptr<Transport>(std::make_unique<LocalTransport>());
}

}  // namespace rankscope
