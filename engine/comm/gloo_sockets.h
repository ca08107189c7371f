// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// Switches off TCP's delayed sending on every TCP socket of this process. Gloo 0.5 leaves it on: the small
/// "ready to receive" message of one side then waits for the acknowledgement of the other's last segment,
/// which the kernel holds back for 40 ms, so that an all-reduce of a few hundred kilobytes now and then takes
/// 44 ms instead of 0.3 ms. Gloo gives no access to its sockets, hence the walk over /proc/self/fd.
void disable_tcp_delay_of_gloo();

}  // namespace rankscope::engine
