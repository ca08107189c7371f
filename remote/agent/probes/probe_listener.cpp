// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/probe_listener.h>

namespace rankscope::agent {

class ProbeListener::Impl {};
ProbeListener::ProbeListener(EventLoop&) {}
ProbeListener::~ProbeListener() = default;
wire::ProbePorts ProbeListener::open(const wire::OpenProbePorts&) {
    return {};
}

}  // namespace rankscope::agent
