// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/run_facts.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace rankscope::logs {
namespace {

using nlohmann::json;

json number_or_null(double value) {
    return std::isfinite(value) ? json(value) : json();
}

json place_json(const LinePlace& place) {
    return place.line == 0 ? json() : json{{"file", place.file}, {"line", place.line}};
}

std::string hex(std::uint64_t value) {
    std::string text;
    do {
        text.insert(text.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + text;
}

json addresses_json(const std::vector<InterfaceAddress>& list) {
    auto all = json::array();
    for (const auto& one : list) {
        all.push_back({{"interface", one.interface}, {"address", one.address}});
    }
    return all;
}

json host_json(const HostFacts& host) {
    auto devices = json::array();
    for (const auto& device : host.ib_devices) {
        devices.push_back(
            {{"index", device.index}, {"name", device.name}, {"port", device.port}, {"link", device.link}});
    }
    json out{{"name", host.name},
             {"bootstrap", addresses_json(host.bootstrap)},
             {"sockets", addresses_json(host.sockets)},
             {"ib_devices", std::move(devices)},
             {"networks", host.networks}};
    if (!host.out_of_band.interface.empty()) {
        out["out_of_band"] = {{"interface", host.out_of_band.interface},
                              {"address", host.out_of_band.address}};
    }
    return out;
}

json member_json(const CommMember& member) {
    json out{{"rank", member.rank},
             {"process", member.process},
             {"pointer", hex(member.pointer)},
             {"cuda_device", member.cuda_device},
             {"start", place_json(member.start)},
             {"complete", place_json(member.complete)},
             {"start_time", number_or_null(member.start_time)},
             {"complete_time", number_or_null(member.complete_time)}};
    if (member.bus_id >= 0) {
        out["bus_id"] = hex(static_cast<std::uint64_t>(member.bus_id));
    }
    if (member.local_rank >= 0) {
        out["local_rank"] = member.local_rank;
    }
    if (member.destroyed.line > 0) {
        out["destroyed"] = place_json(member.destroyed);
    }
    if (member.aborted.line > 0) {
        out["aborted"] = place_json(member.aborted);
    }
    if (std::isfinite(member.init_seconds)) {
        out["init_seconds"] = member.init_seconds;
        for (const auto& [name, seconds] : member.init_parts) {
            out["init_parts"][name] = number_or_null(seconds);
        }
    }
    if (member.calls > 0) {
        out["calls"] = member.calls;
        out["last_op_count"] = member.last_op_count;
    }
    return out;
}

json edges_json(const RunFacts& facts, const Communicator& comm) {
    auto all = json::array();
    for (const auto& edge : comm.edges) {
        json one{
            {"from", edge.from},
            {"to", edge.to},
            {"channel", edge.channel},
            {"direction", to_string(edge.direction)},
            {"transport", edge.transport < facts.transports.size() ? facts.transports[edge.transport] : ""}};
        if (edge.net_device >= 0) {
            one["net_device"] = edge.net_device;
            one["gpu_direct"] = edge.gpu_direct;
        }
        if (edge.proxy_rank >= 0) {
            one["proxy_rank"] = edge.proxy_rank;
        }
        all.push_back(std::move(one));
    }
    return all;
}

json comm_json(const RunFacts& facts, const Communicator& comm) {
    auto members = json::array();
    for (const auto& member : comm.members) {
        members.push_back(member_json(member));
    }
    auto rings = json::array();
    for (const auto& ring : comm.rings) {
        rings.push_back({{"channel", ring.channel}, {"ranks", ring.ranks}, {"complete", ring.complete}});
    }
    auto trees = json::array();
    for (const auto& node : comm.trees) {
        trees.push_back(
            {{"channel", node.channel}, {"rank", node.rank}, {"up", node.up}, {"down", node.down}});
    }
    auto tuning = json::array();
    for (const auto& fact : comm.tuning) {
        tuning.push_back({{"function", fact.function},
                          {"bytes", fact.bytes},
                          {"algorithm", fact.algorithm},
                          {"protocol", fact.protocol},
                          {"first_channel", fact.first_channel},
                          {"last_channel", fact.last_channel},
                          {"times", fact.times}});
    }
    json out{{"id", comm.id},
             {"nranks", comm.nranks},
             {"nnodes", comm.nnodes},
             {"members", std::move(members)},
             {"missing_ranks", comm.missing_ranks()},
             {"channels", comm.channels},
             {"nvls_channels", comm.nvls_channels},
             {"collnet_channels", comm.collnet_channels},
             {"p2p_channels", comm.p2p_channels},
             {"p2p_channels_per_peer", comm.p2p_channels_per_peer},
             {"transports", facts.transports_of(comm)},
             {"rings", std::move(rings)},
             {"trees", std::move(trees)},
             {"edges", edges_json(facts, comm)},
             {"edges_left_out", comm.edges_left_out},
             {"tuning", std::move(tuning)}};
    if (comm.parent != 0) {
        out["parent"] = hex(comm.parent);
        out["color"] = comm.color;
    }
    return out;
}

}  // namespace

std::vector<int> Communicator::missing_ranks() const {
    std::set<int> seen;
    for (const auto& member : members) {
        seen.insert(member.rank);
    }
    std::vector<int> missing;
    for (int rank = 0; rank < nranks; ++rank) {
        if (!seen.contains(rank)) {
            missing.push_back(rank);
        }
    }
    return missing;
}

std::set<std::string> RunFacts::transports_of(const Communicator& communicator) const {
    std::set<std::size_t> used;
    for (const auto& edge : communicator.edges) {
        used.insert(edge.transport);
    }
    std::set<std::string> names;
    for (const auto index : used) {
        if (index < transports.size()) {
            names.insert(transports[index]);
        }
    }
    return names;
}

json to_json(const RunFacts& facts) {
    auto hosts = json::array();
    for (const auto& host : facts.hosts) {
        hosts.push_back(host_json(host));
    }
    auto processes = json::array();
    for (const auto& process : facts.processes) {
        processes.push_back({{"host", facts.hosts[process.host].name},
                             {"pid", process.pid},
                             {"nccl_version", process.nccl_version},
                             {"cuda_driver", process.cuda_driver},
                             {"lines", process.lines},
                             {"warnings", process.warnings},
                             {"first", place_json(process.first)},
                             {"last", place_json(process.last)},
                             {"first_time", number_or_null(process.first_time)},
                             {"last_time", number_or_null(process.last_time)}});
    }
    auto versions = json::array();
    for (const auto& version : facts.versions) {
        versions.push_back(
            {{"nccl", version.nccl}, {"cuda", version.cuda}, {"place", place_json(version.place)}});
    }
    auto settings = json::array();
    for (const auto& setting : facts.settings) {
        settings.push_back({{"name", setting.name},
                            {"value", setting.value},
                            {"place", place_json(setting.place)},
                            {"processes", setting.processes}});
    }
    auto comms = json::array();
    for (const auto& comm : facts.communicators) {
        comms.push_back(comm_json(facts, comm));
    }
    return {{"hosts", std::move(hosts)},
            {"processes", std::move(processes)},
            {"versions", std::move(versions)},
            {"settings", std::move(settings)},
            {"communicators", std::move(comms)},
            {"nccl_lines", facts.nccl_lines},
            {"unknown_lines", facts.unknown_lines},
            {"torch_version", facts.torch_version}};
}

}  // namespace rankscope::logs
