// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <stop_token>
#include <thread>

namespace rankscope::ctl {

/// Ctrl-C, SIGTERM and SIGHUP request a stop while this object lives; the second one ends the program. A question on
/// the terminal ends without an answer. One at a time.
class StopOnInterrupt {
public:
    StopOnInterrupt();
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
    ~StopOnInterrupt();

    std::stop_token token() const { return stop_.get_token(); }

private:
    std::stop_source stop_;
    std::jthread watcher_;
};

}  // namespace rankscope::ctl
