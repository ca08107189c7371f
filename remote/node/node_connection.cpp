// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/clock.h>
#include <remote/node/facts_json.h>
#include <remote/node/node_connection.h>
#include <remote/node/probe.h>

namespace rankscope {

Result<NodeConnection> connect_node(const NodeSpec& node, const Prompter& prompter, const WakeFd& wake,
                                    const std::stop_token& stop, const AgentLink::Progress& progress) {
    const double begin = monotonic_s();
    auto transport = open_transport(node, prompter, stop, [&](const std::string& what) {
        if (progress) {
            progress(what, -1);
        }
    });
    if (!transport) {
        return transport.failure();
    }
    auto link = AgentLink::open(node, std::move(*transport), wake, stop, progress);
    if (!link) {
        return link.failure();
    }
    // A ping on its own: the probe's time is not the network's.
    const double sent = monotonic_s();
    const auto sent_us = now_us();
    wire::Request ping;
    ping.mutable_ping();
    auto pong = (*link)->call(std::move(ping));
    if (!pong) {
        return pong.failure();
    }
    const double round_trip = monotonic_s() - sent;
    const auto middle_us = sent_us + static_cast<std::int64_t>(round_trip * 5e5);
    wire::Request request;
    request.mutable_probe();
    auto reply = (*link)->call(std::move(request));
    if (!reply) {
        return reply.failure();
    }
    NodeConnection connection{std::move(*link), facts_from_wire(reply->facts())};
    connection.facts.connected_as = connection.link->info().description;
    connection.facts.peer_address = connection.link->info().peer_address;
    connection.facts.desk_address = connection.link->info().local_address;
    connection.facts.round_trip_s = round_trip;
    connection.facts.clock_offset_s = static_cast<double>(pong->pong().clock_us() - middle_us) / 1e6;
    connection.facts.connect_s = monotonic_s() - begin;
    return connection;
}

Result<NodeFacts> probe_node(const NodeSpec& node, const Prompter& prompter, std::stop_token stop,
                             const std::function<void(const std::string&)>& progress) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    auto connection = connect_node(node, prompter, wake, stop, [&](const std::string& what, double share) {
        if (progress) {
            progress(share >= 0 ? what + ' ' + std::to_string(static_cast<int>(share * 100)) + " %" : what);
        }
    });
    if (!connection) {
        return connection.failure();
    }
    return connection->facts;
}

}  // namespace rankscope
