// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/types.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace rankscope::agent {

/// A look at files that may lie on a dead server: in a child process, which is left behind at the deadline. A thread
/// that sleeps in the kernel cannot be left behind: it would hold this process at its end.
class IsolatedLook {
public:
    /// Begins. `look` runs in a copy of this process, where no other thread exists: it may read files and return what
    /// it found, nothing else.
    IsolatedLook(const std::function<std::string()>& look, double seconds);
    IsolatedLook(IsolatedLook&& other) noexcept;
    IsolatedLook& operator=(IsolatedLook&&) = delete;
    ~IsolatedLook();

    /// What was found. Nothing: no answer until the deadline or the stop request, or the child could not be made.
    std::optional<std::string> wait(const std::stop_token& stop);
    /// errno, where the child could not be made: the files may be fine.
    int start_error() const { return start_error_; }

private:
    pid_t pid_ = -1;
    UniqueFd pipe_;
    double deadline_;
    int start_error_ = 0;
};

}  // namespace rankscope::agent
