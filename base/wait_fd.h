// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <poll.h>

#include <span>

namespace rankscope {

/// Waits until one descriptor is ready for `events` (POLLIN, POLLOUT), has failed or was hung up. false: the
/// deadline (monotonic_s(); infinity: none) has passed. A deadline in the past looks once.
bool wait_fd(int fd, short events, double deadline);

/// Waits until one of them is ready, has failed or was hung up, at most so long (infinity: no limit); `revents`
/// says what. Entries with a negative descriptor are skipped. false: none is ready; a signal ends the wait
/// early, so ask again.
bool wait_any(std::span<pollfd> entries, double longest_s);

inline bool wait_readable(int fd, double deadline) {
    return wait_fd(fd, POLLIN, deadline);
}

/// Blocks this thread, whatever signals arrive.
void sleep_s(double seconds);

/// Seconds as poll(2) wants them: rounded up, so that a wait does not end just before its time and spin;
/// negative for infinity.
int poll_timeout_ms(double seconds);

}  // namespace rankscope
