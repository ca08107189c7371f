// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_number.h>
#include <remote/desk/nodes/session/facts_json.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace rankscope::inline nodes {
namespace {

template <typename T>
void read(const nlohmann::json& json, const char* key, T& out) {
    const auto it = json.find(key);
    if (it == json.end()) {
        return;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        if (it->is_string()) {
            out = it->get<std::string>();
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        out = it->is_boolean() ? it->template get<bool>() : out;
    } else if constexpr (std::is_integral_v<T>) {
        out = whole_number<T>(*it).value_or(out);
    } else if (it->is_number()) {
        out = it->template get<T>();
    }
}

/// The objects in a list; whatever else is there is left out.
std::vector<nlohmann::json> objects_in(const nlohmann::json& json, const char* key) {
    std::vector<nlohmann::json> objects;
    const auto list = json.find(key);
    if (list != json.end() && list->is_array()) {
        std::copy_if(list->begin(), list->end(), std::back_inserter(objects),
                     [](const nlohmann::json& entry) { return entry.is_object(); });
    }
    return objects;
}

}  // namespace

nlohmann::json to_json(const NodeFacts& facts) {
    nlohmann::json json{{"hostname", facts.hostname},
                        {"os", facts.os},
                        {"kernel", facts.kernel},
                        {"machine", facts.machine},
                        {"libc", facts.libc},
                        {"user", facts.user},
                        {"cpus", facts.cpus},
                        {"cpu_model", facts.cpu_model},
                        {"load1", facts.load1},
                        {"sample", facts.sample},
                        {"memory_bytes", facts.memory_bytes},
                        {"memory_free_bytes", facts.memory_free_bytes},
                        {"cache_free_bytes", facts.cache_free_bytes},
                        {"cache_dir", facts.cache_dir},
                        {"agent_version", facts.agent_version},
                        {"connected_as", facts.connected_as},
                        {"peer_address", facts.peer_address},
                        {"desk_address", facts.desk_address},
                        {"clock_offset_s", facts.clock_offset_s},
                        {"connect_s", facts.connect_s},
                        {"shell_s", facts.shell_s},
                        {"round_trip_s", facts.round_trip_s},
                        {"versions", facts.versions},
                        {"gpus", nlohmann::json::array()},
                        {"interfaces", nlohmann::json::array()}};
    for (const auto& gpu : facts.gpus) {
        json["gpus"].push_back(
            {{"index", gpu.index}, {"name", gpu.name}, {"memory_bytes", gpu.memory_bytes}});
    }
    for (const auto& entry : facts.interfaces) {
        json["interfaces"].push_back({{"name", entry.name},
                                      {"addresses", entry.addresses},
                                      {"up", entry.up},
                                      {"loopback", entry.loopback},
                                      {"mtu", entry.mtu}});
    }
    return json;
}

NodeFacts facts_from_json(const nlohmann::json& json) {
    NodeFacts facts;
    if (!json.is_object()) {
        return facts;
    }
    read(json, "hostname", facts.hostname);
    read(json, "os", facts.os);
    read(json, "kernel", facts.kernel);
    read(json, "machine", facts.machine);
    read(json, "libc", facts.libc);
    read(json, "user", facts.user);
    read(json, "cpus", facts.cpus);
    read(json, "cpu_model", facts.cpu_model);
    read(json, "load1", facts.load1);
    if (const auto sample = json.find("sample"); sample != json.end() && sample->is_object()) {
        for (const auto& [key, value] : sample->items()) {
            if (value.is_number()) {
                facts.sample[key] = value.get<double>();
            }
        }
    }
    read(json, "memory_bytes", facts.memory_bytes);
    read(json, "memory_free_bytes", facts.memory_free_bytes);
    read(json, "cache_free_bytes", facts.cache_free_bytes);
    read(json, "cache_dir", facts.cache_dir);
    read(json, "agent_version", facts.agent_version);
    read(json, "connected_as", facts.connected_as);
    read(json, "peer_address", facts.peer_address);
    read(json, "desk_address", facts.desk_address);
    read(json, "clock_offset_s", facts.clock_offset_s);
    read(json, "connect_s", facts.connect_s);
    read(json, "shell_s", facts.shell_s);
    read(json, "round_trip_s", facts.round_trip_s);
    if (const auto versions = json.find("versions"); versions != json.end() && versions->is_object()) {
        for (const auto& [name, version] : versions->items()) {
            if (version.is_string()) {
                facts.versions[name] = version.get<std::string>();
            }
        }
    }
    for (const auto& entry : objects_in(json, "gpus")) {
        GpuFacts gpu;
        read(entry, "index", gpu.index);
        read(entry, "name", gpu.name);
        read(entry, "memory_bytes", gpu.memory_bytes);
        facts.gpus.push_back(std::move(gpu));
    }
    for (const auto& entry : objects_in(json, "interfaces")) {
        InterfaceFacts found;
        read(entry, "name", found.name);
        read(entry, "mtu", found.mtu);
        read(entry, "up", found.up);
        read(entry, "loopback", found.loopback);
        if (const auto addresses = entry.find("addresses");
            addresses != entry.end() && addresses->is_array()) {
            for (const auto& address : *addresses) {
                if (address.is_string()) {
                    found.addresses.push_back(address.get<std::string>());
                }
            }
        }
        facts.interfaces.push_back(std::move(found));
    }
    return facts;
}

NodeFacts facts_from_wire(const wire::NodeFacts& frame) {
    NodeFacts facts;
    facts.hostname = frame.hostname();
    facts.os = frame.os();
    facts.kernel = frame.kernel();
    facts.machine = frame.machine();
    facts.libc = frame.libc();
    facts.user = frame.user();
    facts.cpus = static_cast<int>(frame.cpus());
    facts.cpu_model = frame.cpu_model();
    facts.load1 = frame.load1();
    for (int i = 0; i < std::min(frame.sample().keys_size(), frame.sample().values_size()); ++i) {
        if (std::isfinite(frame.sample().values(i))) {
            facts.sample[frame.sample().keys(i)] = frame.sample().values(i);
        }
    }
    facts.memory_bytes = frame.memory_bytes();
    facts.memory_free_bytes = frame.memory_free_bytes();
    facts.cache_free_bytes = frame.cache_free_bytes();
    facts.cache_dir = frame.cache_dir();
    facts.agent_version = frame.agent_version();
    for (const auto& gpu : frame.gpus()) {
        facts.gpus.push_back({static_cast<int>(gpu.index()), gpu.name(), gpu.memory_bytes()});
    }
    for (const auto& entry : frame.interfaces()) {
        facts.interfaces.push_back({entry.name(),
                                    {entry.addresses().begin(), entry.addresses().end()},
                                    entry.up(),
                                    entry.loopback(),
                                    static_cast<int>(entry.mtu())});
    }
    return facts;
}

}  // namespace rankscope::inline nodes
