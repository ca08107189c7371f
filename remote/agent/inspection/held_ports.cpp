// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/inspection/held_ports.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/ports.h>

#include <unistd.h>

#include <cerrno>
#include <limits>

namespace rankscope::agent {
namespace {

constexpr int kMostPorts = 64;

wire::HeldPort port_state(const NodePaths& paths, std::uint16_t number) {
    wire::HeldPort port;
    port.set_port(number);
    port.set_error(bind_error(number));
    // SO_REUSEADDR lets a bind succeed beside a listener of one other address: the table decides.
    const auto socket = socket_of_port(number);
    port.set_held(port.error() == EADDRINUSE || (socket && socket->listens));
    if (!port.held() || !socket) {
        return port;
    }
    port.set_user(user_name(socket->user));
    port.set_own(socket->user == ::getuid());
    if (socket->holder != 0) {
        port.set_pid(socket->holder);
        port.set_command(command_of(socket->holder));
        port.set_since_us(started_at(socket->holder) * 1000000);
        port.set_run_id(run_of(socket->holder));
        port.set_live(is_of_live_run(paths, socket->holder));
    }
    return port;
}

}  // namespace

wire::HostInspection inspect_ports(const InspectionScope& scope) {
    wire::HostInspection found;
    for (const auto port : scope.request.ports()) {
        if (found.ports_size() >= kMostPorts || scope.stop.stop_requested()) {
            add_unseen(found, "ports", "only the first 64 ports are looked at");
            break;
        }
        if (port > 0 && port <= std::numeric_limits<std::uint16_t>::max()) {
            *found.add_ports() = port_state(scope.paths, static_cast<std::uint16_t>(port));
        }
    }
    return found;
}

}  // namespace rankscope::agent
