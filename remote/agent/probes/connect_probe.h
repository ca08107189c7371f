// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// Connects to all targets at the same time, in this thread, and says for each what came back: see
/// wire::ConnectOutcome. ICMP errors come from the sockets' error queues (IP_RECVERR, ip(7)). A target that does not
/// answer gets further connections, five in all; one that succeeds is enough, so that lost packets do not look like
/// a firewall. An error is final.
///
/// At most `request.seconds()` for connection and exchange; after that, where segments were asked for, twice as many
/// milliseconds and 2 s, and 3 s more for bulk bytes. Half of the descriptors that this process may have are used:
/// targets above that wait until others are finished. Those not tried when `stop` is requested are NOT_TRIED.
///
/// Hosts limit ICMP errors (Linux: six at once to one address, then one per second): where some targets of an
/// address are rejected and others seem dropped, one of those is tried again alone, which takes 1.6 s more; what
/// comes back counts for all of them (`inferred`).
///
/// Not visible from here: a reset that this node's own output rule makes is CONNECT_RESET; a router's limit of ICMP
/// errors across several targets makes some of them DROPPED.
wire::ConnectResults connect_targets(const wire::ConnectTargets& request, const std::stop_token& stop);

}  // namespace rankscope::agent
