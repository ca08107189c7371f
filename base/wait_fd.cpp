// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <thread>

namespace rankscope {
namespace {

constexpr double kLongestWaitMs = 1e9;  // poll(2) takes an int; callers with longer waits repeat the call

}  // namespace

int poll_timeout_ms(double seconds) {
    if (std::isinf(seconds) && seconds > 0) {
        return -1;
    }
    return static_cast<int>(std::clamp(std::ceil(seconds * 1000), 0.0, kLongestWaitMs));
}

bool wait_fd(int fd, short events, double deadline) {
    for (;;) {
        pollfd entry{fd, events, 0};
        const double left = deadline - monotonic_s();
        const int ready = ::poll(&entry, 1, poll_timeout_ms(left));
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
        if (monotonic_s() >= deadline) {
            return false;
        }
    }
}

bool wait_any(std::span<pollfd> entries, double longest_s) {
    for (pollfd& entry : entries) {
        entry.revents = 0;
    }
    return ::poll(entries.data(), entries.size(), poll_timeout_ms(longest_s)) > 0;
}

void sleep_s(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, seconds)));
}

}  // namespace rankscope
