// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/types.h>

#include <optional>

namespace rankscope::agent {

/// Hears of the end of a process that is not our child. Its parent waits for it, too, and may be faster: then the
/// status is known on Linux 6.15 or newer alone.
class ProcessEnd {
public:
    explicit ProcessEnd(pid_t pid);

    /// Readable once the process has ended; negative: the kernel has no such descriptors.
    int fd() const { return fd_.get(); }
    bool has_ended() const;
    /// As wait(2) reports it; nothing: see above.
    std::optional<int> status() const;

private:
    pid_t pid_;
    UniqueFd fd_;
};

}  // namespace rankscope::agent
