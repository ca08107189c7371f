// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/event_loop.h>
#include <remote/wire/frames.pb.h>

#include <memory>

namespace rankscope::agent {

/// Listens on ports of this node for the other nodes' connect_targets(). Who connects without the token's proof is
/// disconnected and learns nothing.
class ProbeListener {
public:
    explicit ProbeListener(EventLoop& loop);
    ~ProbeListener();

    /// Replaces what was open. The ports close by themselves after the time asked for, at most 60 s.
    wire::ProbePorts open(const wire::OpenProbePorts& request);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::agent
