// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/node/isolated_look.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kLookForStop = 0.1;
constexpr int kPipe = 3;
constexpr int kMostDescriptors =
    4096;  // closed one by one where the kernel cannot close a range (before 5.9)

// A child that is left behind must not hold our streams (the SSH session would wait for it), sockets or locks.
void keep_only(int pipe) {
    ::dup2(pipe, kPipe);
    const int null = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(null, stream);
    }
    if (::syscall(SYS_close_range, kPipe + 1, ~0U, 0U) != 0) {
        for (int fd = kPipe + 1; fd < kMostDescriptors; ++fd) {
            ::close(fd);
        }
    }
}

void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR) {
            return;
        }
        bytes.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
    }
}

[[noreturn]] void run_child(int pipe, const std::function<std::string()>& look) {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) {
        ::signal(signal, SIG_DFL);
    }
    keep_only(pipe);
    try {
        const std::string found = look();
        const std::uint64_t size = found.size();
        std::string head(sizeof size, '\0');
        std::memcpy(head.data(), &size, sizeof size);
        write_all(kPipe, head);
        write_all(kPipe, found);
    } catch (const std::exception&) {
        ::_exit(1);  // the reader sees that the answer is missing
    }
    ::_exit(0);
}

}  // namespace

IsolatedLook::IsolatedLook(const std::function<std::string()>& look, double seconds)
    : deadline_(monotonic_s() + seconds) {
    Pipe pipe = make_pipe();
    if (!pipe.read_end) {
        start_error_ = errno;
        return;
    }
    pid_ = ::fork();
    if (pid_ == 0) {
        run_child(pipe.write_end.get(), look);
    }
    start_error_ = pid_ < 0 ? errno : 0;
    if (pid_ > 0) {
        pipe_ = std::move(pipe.read_end);
        set_nonblocking(pipe_.get(), true);
    }
}

IsolatedLook::IsolatedLook(IsolatedLook&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pipe_(std::move(other.pipe_)),
      deadline_(other.deadline_),
      start_error_(other.start_error_) {}

IsolatedLook::~IsolatedLook() {
    if (pid_ > 0) {
        abandon_child(pid_);
    }
}

std::optional<std::string> IsolatedLook::wait(const std::stop_token& stop) {
    std::string received;
    std::array<char, 16384> bytes;
    while (pipe_) {
        const double now = monotonic_s();
        const bool ready = wait_readable(pipe_.get(), std::min(deadline_, now + kLookForStop));
        if (!ready && (stop.stop_requested() || now >= deadline_)) {
            return std::nullopt;
        }
        const auto got = ready ? ::read(pipe_.get(), bytes.data(), bytes.size()) : -1;
        if (got > 0) {
            received.append(bytes.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
            pipe_.reset();
        }
    }
    std::uint64_t size = 0;
    if (received.size() < sizeof size) {
        return std::nullopt;
    }
    std::memcpy(&size, received.data(), sizeof size);
    received.erase(0, sizeof size);
    return received.size() == size ? std::optional(std::move(received)) : std::nullopt;
}

}  // namespace rankscope::agent
