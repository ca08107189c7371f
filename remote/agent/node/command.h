// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <poll.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Another program under way: what it prints is collected while its starter serves others. One that takes
/// longer than it may is killed.
class Command {
public:
    /// Nothing: it could not be started (errno tells). argv[0] is looked for in PATH.
    static std::optional<Command> start(const std::vector<std::string>& argv, double seconds);

    Command(Command&& other) noexcept;
    Command& operator=(Command&& other) noexcept;
    ~Command();  ///< kills it when it still runs

    void add_to(std::vector<pollfd>& fds) const;
    /// Takes what is there, without blocking. true: it has ended.
    bool step();
    /// Blocks until it has ended.
    void wait();

    int status() const { return status_; }  ///< exit status; -1: a signal, or out of time
    bool timed_out() const { return timed_out_; }
    /// What it printed since the last call, or (at its end) all: the caller may take it away.
    std::string& output() { return output_; }
    const std::string& errors() const { return errors_; }
    double deadline() const { return deadline_; }

private:
    Command() = default;
    void kill_and_reap();

    pid_t pid_ = -1;
    UniqueFd out_;
    UniqueFd err_;
    double deadline_ = 0;
    std::string output_;
    std::string errors_;
    int status_ = -1;
    bool timed_out_ = false;
};

}  // namespace rankscope::agent
