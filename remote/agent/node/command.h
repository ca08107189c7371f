// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/child_process.h>
#include <base/event_loop.h>

#include <poll.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// A running program whose output is collected while its starter serves others. It is killed when it takes
/// longer than allowed; its end is not waited for then, because a hung driver may hold it.
class Command {
public:
    /// Nothing: it could not be started (see errno). argv[0] is looked up in PATH. `environment` is added to ours.
    static std::optional<Command> start(const std::vector<std::string>& argv, double seconds,
                                        const std::map<std::string, std::string>& environment = {});

    /// Its output ends a round of the loop; the owner calls step() after each round.
    void wake(EventLoop& loop);
    void add_to(std::vector<pollfd>& fds) const;
    /// Reads what is there, without blocking. true: it has ended.
    bool step();
    /// Blocks until it has ended.
    void wait();
    /// Kills it, without waiting for its end.
    void abandon() { child_.abandon(); }

    int status() const { return child_.status().value_or(-1); }  ///< -1: a signal, or out of time
    bool timed_out() const { return timed_out_; }
    /// What it has printed so far; the caller may take it away.
    std::string& output() { return output_; }
    const std::string& errors() const { return errors_; }
    double deadline() const { return deadline_; }

private:
    Command(ChildProcess child, double deadline) : child_(std::move(child)), deadline_(deadline) {}
    void read();

    ChildProcess child_;  ///< before its watches, which end first
    EventLoop::Watch out_watch_;
    EventLoop::Watch err_watch_;
    double deadline_;
    std::string output_;
    std::string errors_;
    bool timed_out_ = false;
};

}  // namespace rankscope::agent
