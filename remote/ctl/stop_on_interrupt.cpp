// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/stop_on_interrupt.h>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace rankscope::ctl {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// What a signal handler may use.
sem_t arrived;
std::atomic<int> count{0};

extern "C" void on_interrupt(int signal) {
    const int before = errno;
    if (count.fetch_add(1) > 0) {
        ::_exit(128 + signal);
    }
    ::sem_post(&arrived);
    errno = before;
}

void handle(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    // Without SA_RESTART: a question that waits for an answer ends.
    for (const int signal : kSignals) {
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
    count = 0;
    ::sem_init(&arrived, 0, 0);
    // The thread that asks must get the signal, not the one that waits for it.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    watcher_ = std::jthread([this](const std::stop_token& over) {
        while (!over.stop_requested()) {
            if (::sem_wait(&arrived) == 0 && !over.stop_requested()) {
                stop_.request_stop();
            }
        }
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    handle(on_interrupt);
}

StopOnInterrupt::~StopOnInterrupt() {
    handle(SIG_DFL);
    watcher_.request_stop();
    ::sem_post(&arrived);
    watcher_.join();
    ::sem_destroy(&arrived);
}

}  // namespace rankscope::ctl
