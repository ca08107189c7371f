// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/types.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

/// Another program, started with posix_spawnp(3): it inherits no descriptor but its three streams, no blocked
/// signal, and the default action for SIGPIPE, SIGHUP, SIGINT and SIGTERM. Destroying the object kills and
/// reaps a program that still runs.
class ChildProcess {
public:
    enum class Stream { Null, Pipe };
    struct Options {
        Stream input = Stream::Null;
        Stream output = Stream::Null;
        Stream error = Stream::Null;
        int stdio = -1;            ///< a descriptor that becomes its input and output, instead of those two
        bool own_session = false;  ///< Ctrl-C of our terminal does not reach it, and it cannot ask there
        std::map<std::string, std::string> environment{};  ///< added to ours
    };

    /// argv[0] is looked up in PATH. Nothing: it could not be started (see errno).
    static std::optional<ChildProcess> start(const std::vector<std::string>& argv, const Options& options);

    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();

    /// Our ends of its pipes, non-blocking; invalid for other kinds of streams.
    UniqueFd& input() { return input_; }
    UniqueFd& output() { return output_; }
    UniqueFd& error() { return error_; }
    const UniqueFd& output() const { return output_; }
    const UniqueFd& error() const { return error_; }

    /// true: it has ended. Reaps it, without waiting.
    bool has_ended();
    /// Waits for its end.
    void wait();
    /// After its end: the exit status; nothing when a signal ended it, or when another part of this process
    /// reaped it.
    std::optional<int> status() const { return status_; }
    /// To the program; with own_session, to its process group.
    void kill(int signal = SIGKILL) const;
    /// Kills it and does not wait for its end.
    void abandon();

private:
    ChildProcess() = default;
    bool reap(int flags);
    void kill_and_reap();

    pid_t pid_ = -1;  ///< -1: it has ended
    bool own_session_ = false;
    UniqueFd input_;
    UniqueFd output_;
    UniqueFd error_;
    std::optional<int> status_;
};

/// SIGKILL to a child of this process, without waiting for its end: one in uninterruptible sleep (a hung driver, a dead
/// file server) would block us. It is reaped here when it has ended, else by a later call. Any thread.
void abandon_child(pid_t pid);

}  // namespace rankscope
