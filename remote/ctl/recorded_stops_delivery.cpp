// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/wake_fd.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/runs/run/recorded_stops.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <stop_token>

namespace rankscope::ctl {
namespace {

constexpr auto kPatience = std::chrono::seconds(6);

struct Tried {
    std::vector<StopOrder> delivered;
    std::string failure;
};

Tried deliver(const NodeSpec& node, RecordedStops& stops, const std::stop_token& stop) {
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    auto connection = connect_node(node, Prompter{}, wake, stop, {});
    if (!connection) {
        return {{}, to_line(connection.failure())};
    }
    return {stops.deliver(node.name, *connection->link), {}};
}

void print(const GlobalOptions& options, const std::string& node, const Tried& tried) {
    for (const auto& order : tried.delivered) {
        if (options.json) {
            std::fprintf(stderr, "%s\n", describe_delivery(order).c_str());
        } else {
            std::printf("%s\n", describe_delivery(order).c_str());
        }
    }
    if (tried.delivered.empty()) {
        std::fprintf(
            stderr, "%s\n",
            text("RecordedStops", "%1: a recorded stop is not delivered yet. %2", {node, tried.failure})
                .c_str());
    }
}

}  // namespace

bool deliver_recorded_stops(const GlobalOptions& options, RunStore& store,
                            const std::vector<std::string>& only) {
    RecordedStops stops(store);
    std::vector<std::string> names = stops.nodes();
    std::erase_if(names, [&](const std::string& name) {
        return !only.empty() && std::find(only.begin(), only.end(), name) == only.end();
    });
    if (names.empty()) {
        return false;
    }
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return false;
    }
    std::stop_source stop;
    std::vector<std::pair<std::string, std::future<Tried>>> all;
    for (const auto& name : names) {
        const NodeSpec* spec = inventory->find(name);
        if (spec == nullptr && name != kLocalNodeName) {
            continue;
        }
        all.emplace_back(
            name, std::async(std::launch::async, [node = spec != nullptr ? *spec : local_node(), &stops,
                                                  &stop] { return deliver(node, stops, stop.get_token()); }));
    }
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (auto& [name, tried] : all) {
        if (tried.wait_until(deadline) == std::future_status::timeout) {
            stop.request_stop();
        }
        const Tried result = tried.get();
        print(options, name, result);
        for (const auto& order : result.delivered) {
            static_cast<void>(store.stop_delivered(order.run_id, order.node));
        }
    }
    return true;
}

}  // namespace rankscope::ctl
