// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace rankscope {

/// Wakes a thread that waits in poll(2): add fd() with POLLIN; any thread may call wake().
class WakeFd {
public:
    WakeFd() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    int fd() const { return fd_.get(); }
    void wake() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
    }
    void clear() const {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(fd_.get(), &count, sizeof count);
    }

private:
    UniqueFd fd_;
};

}  // namespace rankscope
