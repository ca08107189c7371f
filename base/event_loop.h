// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>

#include <poll.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace rankscope {

/// Waits for descriptors, times and calls of other threads, and serves them one after the other in one
/// thread. Everything but defer() and stop() belongs to that thread.
///
/// A handler lives as long as the Watch or Timer that its owner holds, so an object whose members are its
/// watches can never be called after its end. Handlers may add and drop watches and timers, their own
/// included.
class EventLoop {
public:
    using Callback = std::function<void()>;
    using FdHandler = std::function<void(short events)>;  ///< what poll(2) found: POLLIN, POLLHUP, …

    class Watch {
    public:
        Watch() = default;
        /// From the next round on.
        void set_events(short events);
        void reset() { entry_.reset(); }
        explicit operator bool() const { return entry_ != nullptr; }

    private:
        friend class EventLoop;
        struct Entry {
            int fd;
            short events;
            FdHandler handler;
        };
        std::shared_ptr<Entry> entry_;
    };

    class Timer {
    public:
        Timer() = default;
        void reset() { entry_.reset(); }
        /// Not called yet, and not dropped.
        bool is_pending() const { return entry_ && !entry_->called; }

    private:
        friend class EventLoop;
        struct Entry {
            double due;
            Callback callback;
            bool called = false;
        };
        std::shared_ptr<Entry> entry_;
    };

    EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// Calls the handler in each round in which the descriptor is ready for `events`, was hung up or has
    /// failed. Drop the watch before the descriptor is closed.
    [[nodiscard]] Watch watch(int fd, short events, FdHandler handler);
    /// Calls once, at that time of monotonic_s().
    [[nodiscard]] Timer call_at(double time, Callback callback);
    [[nodiscard]] Timer call_after(double seconds, Callback callback);
    /// Calls once, in the next round, in the order of the calls. Any thread.
    void defer(Callback callback);

    /// One round: waits until something is due, at most so long, and serves all that is.
    void run_once(double longest_s);
    /// Rounds until stop().
    void run();
    /// run() returns after the round. Any thread; also before run().
    void stop();

private:
    double seconds_until_due() const;
    void call_deferred();
    void call_due();

    WakeFd wake_;
    std::vector<std::weak_ptr<Watch::Entry>> watches_;
    std::vector<std::weak_ptr<Timer::Entry>> timers_;
    std::mutex mutex_;
    std::vector<Callback> deferred_;  ///< under mutex_
    std::atomic<bool> stopped_ = false;
};

}  // namespace rankscope
