// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// What decides whether a run can start on this node: names, interfaces, routes, firewall, ports, paths, programs,
/// limits, versions, GPUs. At user rights; with sudo (never asking for a password) where it is permitted. Every part
/// has a deadline of its own, at most 5 s in all (quick: 0.3 s); what could not be seen is in `unseen` with the
/// reason. Facts only: what they mean is decided at the desk.
wire::HostInspection inspect_host(const NodePaths& paths, const wire::InspectHost& request,
                                  const std::stop_token& stop);

}  // namespace rankscope::agent
