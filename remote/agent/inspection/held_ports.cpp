// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/inspection/held_ports.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/ports.h>

#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>

namespace rankscope::agent {
namespace {

constexpr int kMostPorts = 64;
constexpr int kMostLeftovers = 64;

wire::HeldPort port_state(const NodePaths& paths, const LiveRuns& live, std::uint16_t number) {
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
        const RunOfProcess of = run_of_process(paths, live, socket->holder);
        port.set_run_id(of.run_id);
        port.set_live(of.live);
    }
    return port;
}

}  // namespace

wire::HostInspection inspect_ports(const InspectionScope& scope) {
    wire::HostInspection found;
    if (scope.request.ports().empty()) {
        return found;
    }
    const LiveRuns live = LiveRuns::now();
    for (const auto port : scope.request.ports()) {
        if (found.ports_size() >= kMostPorts || scope.stop.stop_requested()) {
            add_unseen(found, "ports", "only the first 64 ports are looked at");
            break;
        }
        if (port > 0 && port <= std::numeric_limits<std::uint16_t>::max()) {
            *found.add_ports() = port_state(scope.paths, live, static_cast<std::uint16_t>(port));
        }
    }
    return found;
}

wire::HostInspection inspect_leftovers(const InspectionScope& scope) {
    wire::HostInspection found;
    const LiveRuns live = LiveRuns::now();
    for (const pid_t pid : all_processes()) {
        if (monotonic_s() > scope.end || scope.stop.stop_requested()) {
            add_unseen(found, "leftovers", "this node has too many processes for the time");
            break;
        }
        if (!is_own(pid) || run_of(pid).empty()) {
            continue;
        }
        const RunOfProcess of = run_of_process(scope.paths, live, pid);
        if (!of.live && found.leftovers_size() < kMostLeftovers) {
            auto* entry = found.add_leftovers();
            entry->set_kind("process");
            entry->set_pid(pid);
            entry->set_what(command_of(pid));
            entry->set_user(owner_of(pid));
            entry->set_since_us(started_at(pid) * 1000000);
            entry->set_run_id(of.run_id);
            entry->set_own(true);
        }
    }
    return found;
}

}  // namespace rankscope::agent
