// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/follow.h>
#include <remote/ctl/options.h>
#include <remote/desk/shared/text.h>

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "Follow";

sigset_t our_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
        sigaddset(&set, signal);
    }
    return set;
}

// Without destructors: they would wait for conversations with nodes that may not answer.
[[noreturn]] void leave(const std::string& run_id, int signal) {
    std::fprintf(
        stderr, "%s\n",
        text(kContext,
             "Left running. Attach again: rankscopectl runs attach %1. Stop it: rankscopectl runs stop "
             "%1.",
             {run_id})
            .c_str());
    std::fflush(nullptr);
    std::_Exit(128 + signal);
}

}  // namespace

void block_signals() {
    const sigset_t set = our_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int follow(RunController& controller, bool json, Interrupt interrupt) {
    const sigset_t set = our_signals();
    const pthread_t waiting = ::pthread_self();
    std::atomic<int> code{-1};
    // The run's end wakes this thread like a signal does: one place waits for both.
    const std::jthread watcher([&] {
        code = controller.wait();
        ::pthread_kill(waiting, SIGUSR1);
    });
    int asked = 0;
    for (;;) {
        const int signal = ::sigwaitinfo(&set, nullptr);
        if (signal == SIGUSR1 && code.load() >= 0) {
            return code.load();
        }
        if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) {
            continue;
        }
        const bool ctrl_c = signal == SIGINT;
        const bool leaves = ctrl_c ? interrupt == Interrupt::Leaves || asked == 2 : controller.started();
        if (leaves) {
            leave(controller.run_id(), signal);
        }
        ++asked;
        if (!json) {
            std::fprintf(
                stderr, "%s\n",
                asked == 1
                    ? text(kContext, "Stopping; press Ctrl-C again to force.").c_str()
                    : text(kContext, "Forcing; press Ctrl-C again to leave the run as it is.").c_str());
        }
        controller.stop(asked == 1 ? StopKind::Graceful : StopKind::Force);
    }
}

}  // namespace rankscope::ctl
