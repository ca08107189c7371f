// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// Connects to all targets at the same time, in this thread, and says for each what came back: see
/// wire::ConnectOutcome. ICMP errors come from the sockets' error queues (IP_RECVERR, ip(7)). At most
/// `request.seconds()` and, where bulk bytes were asked for, 3 s more.
wire::ConnectResults connect_targets(const wire::ConnectTargets& request, const std::stop_token& stop);

}  // namespace rankscope::agent
