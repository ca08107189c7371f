// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <set>

namespace rankscope::engine {

/// The TCP sockets that Gloo opens after this object is made. Gloo gives no access to them, hence a look at
/// /proc/self/fd before and after it connects; descriptors that were open before belong to others and are left alone.
class SocketsOfGloo {
public:
    SocketsOfGloo();

    /// Switches off TCP's delayed sending. Gloo 0.5 leaves it on: the small "ready to receive" message of one side then
    /// waits for the acknowledgement of the other's last segment, which the kernel holds back for 40 ms, so that an
    /// all-reduce of a few hundred kilobytes now and then takes 44 ms instead of 0.3 ms.
    void disable_tcp_delay() const;

private:
    std::set<int> before_;
};

}  // namespace rankscope::engine
