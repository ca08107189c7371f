// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/probe.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/nodes/session/version_names.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline nodes {

namespace {

constexpr const char* kContext = "NodeConnection";
constexpr double kVersionsWithin = 6;  // seconds; the agent's own deadline is shorter
constexpr int kPings = 5;
constexpr double kPingsWithin = 0.2;  // seconds, for all but the first
constexpr double kStillThere = 3;     // seconds for a kept connection to answer

struct Pong {
    double round_trip_s = 0;
    double clock_offset_s = 0;
};

// A ping on its own: the probe's time is not the network's.
Result<Pong> ping(AgentLink& link, double timeout_s) {
    const double sent = monotonic_s();
    const auto sent_us = now_us();
    wire::Request request;
    request.mutable_ping();
    auto reply = link.call(std::move(request), timeout_s);
    if (!reply) {
        return reply.failure();
    }
    Pong pong;
    pong.round_trip_s = monotonic_s() - sent;
    const auto middle_us = sent_us + static_cast<std::int64_t>(pong.round_trip_s * 5e5);
    pong.clock_offset_s = static_cast<double>(reply->pong().clock_us() - middle_us) / 1e6;
    return pong;
}

// Of a few pings the fastest: the others measure what the two computers do besides.
Result<Pong> best_ping(AgentLink& link, double timeout_s) {
    const double until = monotonic_s() + kPingsWithin;
    Result<Pong> best = ping(link, timeout_s);
    for (int i = 1; best && i < kPings && monotonic_s() < until; ++i) {
        const auto next = ping(link, timeout_s);
        if (!next) {
            return next.failure();
        }
        if (next->round_trip_s < best->round_trip_s) {
            best = *next;
        }
    }
    return best;
}

}  // namespace

Result<NodeConnection> connect_node(const NodeSpec& node, const Prompter& prompter, const WakeFd& wake,
                                    const std::stop_token& stop, const AgentLink::Progress& progress,
                                    SessionPool* sessions) {
    const double begin = monotonic_s();
    std::unique_ptr<AgentLink> link = sessions != nullptr ? sessions->take(node) : nullptr;
    Result<Pong> pong = Pong{};
    if (link) {
        link->rebind(wake, stop);
        pong = best_ping(*link, kStillThere);
        if (!pong && stop.stop_requested()) {
            return pong.failure();
        }
        if (!pong) {
            link.reset();
        }
    }
    if (!link) {
        auto transport = open_transport(node, prompter, stop, [&](const std::string& what) {
            if (progress) {
                progress(what, -1);
            }
        });
        if (!transport) {
            return transport.failure();
        }
        auto opened = AgentLink::open(node, std::move(*transport), wake, stop, progress);
        if (!opened) {
            return opened.failure();
        }
        link = std::move(*opened);
        pong = best_ping(*link, 60);
        if (!pong) {
            return pong.failure();
        }
    }
    wire::Request request;
    request.mutable_probe();
    auto reply = link->call(std::move(request));
    if (!reply) {
        return reply.failure();
    }
    NodeConnection connection{std::move(link), facts_from_wire(reply->facts())};
    connection.facts.connected_as = connection.link->info().description;
    connection.facts.peer_address = connection.link->info().peer_address;
    connection.facts.desk_address = connection.link->info().local_address;
    connection.facts.round_trip_s = pong->round_trip_s;
    connection.facts.shell_s = connection.link->shell_s();
    connection.facts.clock_offset_s = pong->clock_offset_s;
    connection.facts.connect_s = monotonic_s() - begin;
    return connection;
}

namespace {

// Of the Python that a login finds. Without an answer the facts have none.
void read_versions(NodeConnection& connection) {
    for (const bool quick : {true, false}) {
        wire::Request request;
        request.mutable_inspect_host()->set_quick(quick);
        request.mutable_inspect_host()->set_python("python3");
        request.mutable_inspect_host()->add_programs("python3");
        const auto seen = connection.link->call(std::move(request), kVersionsWithin);
        if (!seen) {
            return;
        }
        connection.facts.versions = library_versions(seen->host());
        // A Python that starts slowly, for example from a file server, gets the time of a full inspection.
        const auto& unseen = seen->host().unseen();
        if (std::none_of(unseen.begin(), unseen.end(), [](const wire::Unseen& part) {
                return part.what().starts_with("versions.") && part.why().starts_with("no answer");
            })) {
            return;
        }
    }
}

}  // namespace

Result<NodeFacts> probe_node(const NodeSpec& node, const Prompter& prompter, std::stop_token stop,
                             const std::function<void(const std::string&)>& progress, SessionPool* sessions,
                             ProbeDepth depth) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    auto connection = connect_node(
        node, prompter, wake, stop,
        [&](const std::string& what, double share) {
            if (progress) {
                progress(share >= 0 ? what + ' ' + std::to_string(static_cast<int>(share * 100)) + " %"
                                    : what);
            }
        },
        sessions);
    if (!connection) {
        return connection.failure();
    }
    if (depth == ProbeDepth::Versions) {
        if (progress) {
            progress(text(kContext, "reading versions"));
        }
        read_versions(*connection);
    }
    if (sessions != nullptr) {
        sessions->put(node, std::move(connection->link));
    }
    return connection->facts;
}

}  // namespace rankscope::inline nodes
