// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a preflight knows of one node.
struct NodeView {
    std::string name;
    std::string listed_host = {};  ///< host: of the inventory
    wire::HostInspection host;
    std::optional<wire::ContainerState> container = {};      ///< of a job with container:
    std::optional<wire::EnvironmentState> environment = {};  ///< of a job with environment:
    double clock_offset_s = 0;                               ///< the node's clock minus the desk's
    std::string reached_at;      ///< the address at which the desk reached it; empty: this computer
    std::string address;         ///< that the other nodes use: of the inventory, or as planned
    std::string interface_name;  ///< that bears the address; empty: none does
    int ranks = 1;
    bool gpus = false;                            ///< its ranks use GPUs
    bool native = false;                          ///< its ranks are the native engine's
    std::string precision;                        ///< of the native engine; empty: the default
    std::string engine_cuda;                      ///< "13.0": the native engine's CUDA; empty: not known
    std::string os;                               ///< PRETTY_NAME of os-release
    std::map<std::string, std::string> env;       ///< of the job, for the node's ranks
    std::map<std::string, std::string> env_keys;  ///< variable → the job's key that sets it
    std::set<int> gpu_indices;                    ///< that its ranks use; empty: not known
};

/// One attempt to connect, and what came back.
struct PathResult {
    std::size_t from = 0;  ///< index into the views
    std::size_t to = 0;
    bool master_port = false;    ///< else a port of the ephemeral range
    bool ssh_port = false;       ///< to see whether the host answers at all
    bool measured = false;       ///< enough was sent to judge the rate
    bool chosen = false;         ///< the address that the run uses
    std::string interface_name;  ///< of `to`, that bears the address
    std::string address;
    int port = 0;
    wire::ConnectResult result;
};

/// The interface of the node that bears the address; nullptr: none.
const wire::Interface* interface_of(const NodeView& view, const std::string& address);
/// 127.0.0.0/8 or ::1.
bool is_loopback(const std::string& address);
/// fe80::/10 or 169.254.0.0/16.
bool is_link_local(const std::string& address);
bool is_ipv6(const std::string& address);
/// Whether it is an address and not a name.
bool is_numeric(const std::string& address);
/// Whether both lie in one subnet of this interface.
bool same_subnet(const wire::Interface& interface, const std::string& own, const std::string& other);

}  // namespace rankscope::inline runs
