// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <poll.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Pipes for processes that a rank starts and that may be ranks themselves: some are always ready, in a folder each, with
/// this end open. A process takes one by renaming its folder to its own number (ranks/sitecustomize.py); nothing that it
/// writes is lost then, however late it is looked for.
class StreamPool {
public:
    struct Streams {
        pid_t pid = 0;  ///< as the process itself counts: in a container another one than ours
        UniqueFd out;
        UniqueFd err;
        UniqueFd metrics;
    };

    /// Makes the folders and the first pipes. False: not possible there; the processes then keep the pipes that they have.
    bool open(const std::filesystem::path& folder);
    void add_to(std::vector<pollfd>& fds) const;
    /// What was taken since.
    std::vector<Streams> take();

private:
    struct Slot {
        std::string name;
        dev_t device = 0;
        ino_t number = 0;
        Streams streams;
    };

    bool add_slot();
    void fill();

    std::filesystem::path folder_;
    UniqueFd changes_;
    std::vector<Slot> ready_;
    int made_ = 0;
};

}  // namespace rankscope::agent
