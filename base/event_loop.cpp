// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/event_loop.h>
#include <base/wait_fd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope {

void EventLoop::Watch::set_events(short events) {
    if (entry_) {
        entry_->events = events;
    }
}

EventLoop::EventLoop() = default;

EventLoop::Watch EventLoop::watch(int fd, short events, FdHandler handler) {
    Watch watch;
    watch.entry_ = std::make_shared<Watch::Entry>(Watch::Entry{fd, events, std::move(handler)});
    watches_.push_back(watch.entry_);
    return watch;
}

EventLoop::Timer EventLoop::call_at(double time, Callback callback) {
    Timer timer;
    timer.entry_ = std::make_shared<Timer::Entry>(Timer::Entry{time, std::move(callback)});
    timers_.push_back(timer.entry_);
    return timer;
}

EventLoop::Timer EventLoop::call_after(double seconds, Callback callback) {
    return call_at(monotonic_s() + seconds, std::move(callback));
}

void EventLoop::defer(Callback callback) {
    {
        const std::lock_guard lock(mutex_);
        deferred_.push_back(std::move(callback));
    }
    wake_.wake();
}

double EventLoop::seconds_until_due() const {
    double due = std::numeric_limits<double>::infinity();
    for (const auto& timer : timers_) {
        if (const auto entry = timer.lock()) {
            due = std::min(due, entry->due);
        }
    }
    return due - monotonic_s();
}

void EventLoop::call_deferred() {
    std::vector<Callback> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(deferred_);
    }
    for (const auto& call : calls) {
        call();
    }
}

// Only what is due when it begins: a timer that sets itself again for now must not keep the others waiting.
void EventLoop::call_due() {
    std::vector<std::weak_ptr<Timer::Entry>> due;
    const double now = monotonic_s();
    std::erase_if(timers_, [&](const std::weak_ptr<Timer::Entry>& timer) {
        const auto entry = timer.lock();
        if (entry && entry->due <= now) {
            due.push_back(timer);
        }
        return !entry || entry->due <= now;
    });
    std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) {
        const auto first = a.lock();
        const auto second = b.lock();
        return first && second && first->due < second->due;
    });
    for (const auto& timer : due) {
        if (const auto entry = timer.lock()) {  // an earlier one may have dropped it
            entry->called = true;
            entry->callback();
        }
    }
}

void EventLoop::run_once(double longest_s) {
    std::erase_if(watches_, [](const auto& watch) { return watch.expired(); });
    const auto watches = watches_;
    std::vector<pollfd> fds{{wake_.fd(), POLLIN, 0}};
    for (const auto& watch : watches) {
        const auto entry = watch.lock();
        fds.push_back({entry ? entry->fd : -1, entry ? entry->events : short{0}, 0});
    }
    const int ready =
        ::poll(fds.data(), fds.size(), poll_timeout_ms(std::min(longest_s, seconds_until_due())));
    if (ready > 0 && fds.front().revents != 0) {
        wake_.clear();
    }
    call_deferred();
    for (std::size_t i = 0; ready > 0 && i < watches.size(); ++i) {
        if (fds[i + 1].revents == 0) {
            continue;
        }
        if (const auto entry = watches[i].lock()) {  // an earlier handler may have dropped it
            entry->handler(fds[i + 1].revents);
        }
    }
    call_due();
}

void EventLoop::run() {
    while (!stopped_) {
        run_once(std::numeric_limits<double>::infinity());
    }
    stopped_ = false;
}

void EventLoop::stop() {
    stopped_ = true;
    wake_.wake();
}

}  // namespace rankscope
