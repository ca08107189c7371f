// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// An address that several nodes have: of a bridge that containers or virtual machines use (172.17.0.1 of docker0,
/// 192.168.122.1 of virbr0). No node reaches another one there.
bool is_shared_address(const std::vector<NodeView>& views, const std::string& address);

/// The interfaces that NCCL would take on this node for NCCL_SOCKET_IFNAME, in its order (ncclFindInterfaces of NCCL
/// 2.28; prefix match, "^" excludes, "=" is exact; empty: its own rule).
std::vector<const wire::Interface*> nccl_interfaces(const wire::HostInspection& host,
                                                    const std::string& ifname);

/// Whether the interfaces that the job or the choice names exist, have a link and lead to the other nodes; which
/// others would mislead NCCL or Gloo. `results`: of all addresses.
std::vector<Check> interface_checks(const std::vector<NodeView>& views,
                                    const std::vector<PathResult>& results, const std::string& job_interface);

}  // namespace rankscope::inline runs
