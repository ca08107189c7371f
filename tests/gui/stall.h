// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

/**
 * @file
 * How long the thread of the window is away from its event loop, and why: it works, it waits, or other
 * programs have the processor. Source of the last: sched-stats.rst of Linux, /proc/<pid>/schedstat.
 */

#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <algorithm>
#include <ctime>
#include <fstream>

namespace rankscope::gui::testing {

/// Times of a thread that only grow, in ms.
struct ThreadTimes {
    double working = 0;        ///< on a processor
    double for_processor = 0;  ///< ready, while other threads had the processor

    static ThreadTimes now() {
        timespec cpu{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        ThreadTimes times{double(cpu.tv_sec) * 1e3 + double(cpu.tv_nsec) / 1e6, 0};
        double on_processor_ns = 0;
        double waited_ns = 0;
        if (std::ifstream("/proc/thread-self/schedstat") >> on_processor_ns >> waited_ns) {
            times.for_processor = waited_ns / 1e6;
        }
        return times;
    }
};

struct Stall {
    double longest_ms = 0;  ///< between two turns of the event loop
    double own_ms = 0;      ///< the same without the time in which other programs had the processor
    double blocked_ms = 0;  ///< the longest part of one in which the thread neither worked nor was ready to
};

/// Measures the stalls of the thread that it lives in, with a timer of 1 ms.
class Heartbeat {
public:
    Heartbeat() {
        QObject::connect(&timer_, &QTimer::timeout, [this] { beat(); });
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.start(1);
        since_.start();
    }
    int turns() const { return turns_; }
    Stall stall() {
        beat();
        return stall_;
    }

private:
    void beat() {
        ++turns_;
        const double wall = double(since_.nsecsElapsed()) / 1e6;
        since_.start();
        const ThreadTimes now = ThreadTimes::now();
        const double blocked =
            wall - (now.working - before_.working) - (now.for_processor - before_.for_processor);
        const double before_for_processor = before_.for_processor;
        before_ = now;
        stall_.longest_ms = std::max(stall_.longest_ms, wall);
        stall_.own_ms = std::max(stall_.own_ms, wall - (now.for_processor - before_for_processor));
        stall_.blocked_ms = std::max(stall_.blocked_ms, blocked);
    }

    QTimer timer_;
    QElapsedTimer since_;
    ThreadTimes before_ = ThreadTimes::now();
    Stall stall_;
    int turns_ = 0;
};

}  // namespace rankscope::gui::testing
