// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/transport/process_channel.h>
#include <remote/desk/shared/text.h>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rankscope::inline nodes {
namespace {

constexpr double kEndsByItself = 1;  // an agent ends when its stdin ends
constexpr double kLookAgain = 0.002;

class ProcessChannel : public Program {
public:
    explicit ProcessChannel(ChildProcess child) : child_(std::move(child)) {}
    ProcessChannel(const ProcessChannel&) = delete;
    ProcessChannel& operator=(const ProcessChannel&) = delete;
    ~ProcessChannel() override;

    Read read(std::string& out) override { return read_from(child_.output(), out); }
    Read read_error(std::string& out) override { return read_from(child_.error(), out); }
    std::ptrdiff_t write(std::string_view bytes) override;
    void close_input() override { child_.input().reset(); }
    void wait(bool for_writing, int timeout_ms, int wake_fd) override;
    std::optional<int> exit_status() override {
        child_.wait();
        return child_.status();
    }
    void wait_with(int timeout_ms, const std::vector<int>& readable) override {
        std::vector<pollfd> fds{{child_.output().get(), POLLIN, 0}, {child_.error().get(), POLLIN, 0}};
        for (const int fd : readable) {
            fds.push_back({fd, POLLIN, 0});
        }
        wait_any(fds, timeout_ms / 1000.0);
    }
    void kill() override { child_.kill(); }

private:
    static Read read_from(UniqueFd& fd, std::string& out);

    ChildProcess child_;
};

ProcessChannel::~ProcessChannel() {
    child_.input().reset();
    child_.output().reset();
    child_.error().reset();
    const double deadline = monotonic_s() + kEndsByItself;
    while (!child_.has_ended() && monotonic_s() < deadline) {
        sleep_s(kLookAgain);
    }
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
    if (!child_.input()) {
        return -1;
    }
    const auto put = ::write(child_.input().get(), bytes.data(), bytes.size());
    if (put < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }
    return put;
}

void ProcessChannel::wait(bool for_writing, int timeout_ms, int wake_fd) {
    std::array<pollfd, 4> fds{{{child_.output().get(), POLLIN, 0},
                               {child_.error().get(), POLLIN, 0},
                               {for_writing ? child_.input().get() : -1, POLLOUT, 0},
                               {wake_fd, POLLIN, 0}}};
    wait_any(fds, timeout_ms / 1000.0);
}

}  // namespace

Result<std::unique_ptr<Program>> start_program(const std::vector<std::string>& argv,
                                               const std::map<std::string, std::string>& environment,
                                               UniqueFd stdio) {
    using Stream = ChildProcess::Stream;
    // A session of its own: Ctrl-C in the desk's terminal is the desk's to handle, and nothing that is
    // started asks there without the desk's knowledge.
    auto child = ChildProcess::start(argv, {.input = Stream::Pipe,
                                            .output = Stream::Pipe,
                                            .error = Stream::Pipe,
                                            .stdio = stdio.get(),
                                            .own_session = true,
                                            .environment = environment});
    if (!child) {
        const int code = errno;
        return Failure{"local-exec", kLocalNodeName,
                       text("Transport", "%1 cannot be started on this computer.", {argv.front()}),
                       code == ENOENT
                           ? text("Transport", "Install it.")
                           : text("Transport", "Check the limits of processes and memory (ulimit -u)."),
                       std::strerror(code)};
    }
    return std::unique_ptr<Program>(std::make_unique<ProcessChannel>(std::move(*child)));
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

}  // namespace rankscope::inline nodes
