// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/cleanup/end_process.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/node/process_tree.h>

#include <csignal>
#include <string>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kAfterTerm = 3;
constexpr double kAfterKill = 2;

AgentFailure refused(const char* code, pid_t pid) {
    return {code, describe_process(pid), {std::to_string(pid), owner_of(pid)}};
}

}  // namespace

AgentResult<wire::ProcessEnded> end_process(const NodePaths& paths, const wire::EndProcess& request) {
    wire::ProcessEnded ended;
    const auto pid = static_cast<pid_t>(request.pid());
    const auto there = [&] {
        return request.pid() > 1 && pid == request.pid() && request.start_ticks() != 0 &&
               start_ticks_of(pid) == request.start_ticks() && !is_zombie(pid);
    };
    if (!there()) {
        return ended;
    }
    if (!is_own(pid)) {
        return refused("not-own", pid);
    }
    if (run_of_process(paths, LiveRuns::now(), pid).live) {
        return refused("run-live", pid);
    }
    ended.set_was_running(true);
    for (const auto& [signal, seconds] : {std::pair(SIGTERM, kAfterTerm), std::pair(SIGKILL, kAfterKill)}) {
        if (::kill(pid, signal) != 0) {
            break;
        }
        ::kill(pid, SIGCONT);  // a stopped process cannot act on SIGTERM
        for (const double until = monotonic_s() + seconds; monotonic_s() < until && there();) {
            sleep_s(0.01);
        }
        if (!there()) {
            ended.set_killed(signal == SIGKILL);
            return ended;
        }
    }
    if (there()) {
        return refused("still-there", pid);
    }
    return ended;
}

}  // namespace rankscope::agent
