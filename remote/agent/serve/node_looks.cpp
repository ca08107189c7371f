// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/environment/make_environment.h>
#include <remote/agent/flight/run_flight.h>
#include <remote/agent/inspection/container_look.h>
#include <remote/agent/inspection/host_inspection.h>
#include <remote/agent/probes/connect_probe.h>
#include <remote/agent/probes/rank_inspection.h>
#include <remote/agent/ras/run_ras.h>
#include <remote/agent/serve/node_looks.h>

namespace rankscope::agent {

bool is_look(const wire::Request& request) {
    return request.has_inspect_host() || request.has_connect_targets() || request.has_inspect_ranks() ||
           request.has_ask_ras() || request.has_dump_flight() || request.has_inspect_container() ||
           request.has_make_environment();
}

bool answer_look(const NodePaths& paths, const wire::Request& request, const std::stop_token& stop,
                 wire::Reply& reply) {
    switch (request.body_case()) {
        case wire::Request::kInspectHost:
            *reply.mutable_host() = inspect_host(paths, request.inspect_host(), stop);
            return true;
        case wire::Request::kConnectTargets:
            *reply.mutable_connects() = connect_targets(request.connect_targets(), stop);
            return true;
        case wire::Request::kInspectRanks:
            *reply.mutable_rank_states() = inspect_ranks(paths, request.inspect_ranks(), stop);
            return true;
        case wire::Request::kAskRas:
            *reply.mutable_ras() = ask_run_ras(paths, request.ask_ras(), stop);
            return true;
        case wire::Request::kDumpFlight:
            *reply.mutable_flight_dumps() = dump_run_flight(paths, request.dump_flight(), stop);
            return true;
        case wire::Request::kInspectContainer:
            *reply.mutable_container() = inspect_container(paths, request.inspect_container(), stop);
            return true;
        case wire::Request::kMakeEnvironment:
            *reply.mutable_environment() = make_environment(paths, request.make_environment(), stop);
            return true;
        default:
            return false;
    }
}

}  // namespace rankscope::agent
