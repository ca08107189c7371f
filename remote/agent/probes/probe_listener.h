// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/event_loop.h>
#include <remote/wire/frames.pb.h>

#include <memory>

namespace rankscope::agent {

/// Listens on ports of this node, all its addresses, for the other nodes' connect_targets(). Who connects without
/// the token's proof is disconnected (probe_exchange.h says what it learns). In the loop's thread, without blocking.
///
/// What strangers can use up is bounded: 512 connections (a new one waits, or takes the place of the oldest that
/// has not proven itself), 3 s until the proof, 10 s of silence, 64 MiB in each connection; what arrives is counted and
/// discarded.
class ProbeListener {
public:
    explicit ProbeListener(EventLoop& loop);
    ~ProbeListener();
    ProbeListener(const ProbeListener&) = delete;
    ProbeListener& operator=(const ProbeListener&) = delete;

    /// Replaces what was open. The ports close by themselves after the time asked for, at most 60 s. At most 64
    /// ports; a token of another size than 32 bytes, or a port that does not exist: EINVAL.
    wire::ProbePorts open(const wire::OpenProbePorts& request);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::agent
