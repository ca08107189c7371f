// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/node/command.h>

#include <unistd.h>

#include <array>
#include <cerrno>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxOutput = 4U << 20U;  // no program we start prints more; the rest is dropped
// A program may close its output and continue, or leave it to a child and end: both are polled for.
constexpr double kWaitStep = 0.02;

void read_into(UniqueFd& fd, EventLoop::Watch& watch, std::string& text) {
    std::array<char, 16384> bytes;
    while (fd) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got > 0) {
            if (text.size() < kMaxOutput) {
                text.append(bytes.data(), static_cast<std::size_t>(got));
            }
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            watch.reset();
            fd.reset();
        }
    }
}

}  // namespace

std::optional<Command> Command::start(const std::vector<std::string>& argv, double seconds,
                                      const std::map<std::string, std::string>& environment) {
    auto child = ChildProcess::start(argv, {.output = ChildProcess::Stream::Pipe,
                                            .error = ChildProcess::Stream::Pipe,
                                            .environment = environment});
    if (!child) {
        return std::nullopt;
    }
    return Command(std::move(*child), monotonic_s() + seconds);
}

void Command::wake(EventLoop& loop) {
    const auto nothing = [](short) {};
    if (child_.output()) {
        out_watch_ = loop.watch(child_.output().get(), POLLIN, nothing);
    }
    if (child_.error()) {
        err_watch_ = loop.watch(child_.error().get(), POLLIN, nothing);
    }
}

void Command::add_to(std::vector<pollfd>& fds) const {
    for (const auto* fd : {&child_.output(), &child_.error()}) {
        if (*fd) {
            fds.push_back({fd->get(), POLLIN, 0});
        }
    }
}

void Command::read() {
    read_into(child_.output(), out_watch_, output_);
    read_into(child_.error(), err_watch_, errors_);
}

bool Command::step() {
    read();
    if (child_.has_ended()) {
        read();  // what came between the two
        return true;
    }
    if (monotonic_s() >= deadline_) {
        timed_out_ = true;
        child_.abandon();
        return true;
    }
    return false;
}

void Command::wait() {
    EventLoop loop;
    wake(loop);
    while (!step()) {
        loop.run_once(kWaitStep);
    }
    out_watch_.reset();
    err_watch_.reset();
}

}  // namespace rankscope::agent
