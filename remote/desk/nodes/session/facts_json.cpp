// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_number.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/wire/frame_fields.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope::inline nodes {
namespace {

using Json = nlohmann::json;

template <typename T>
concept Visited = requires(T& part) {
    T::visit_fields(part, [](const char*, auto&) {});
};

template <typename T>
Json written(const T& value) {
    if constexpr (Visited<T>) {
        Json json = Json::object();
        T::visit_fields(value, [&json](const char* key, const auto& field) { json[key] = written(field); });
        return json;
    } else if constexpr (requires { requires Visited<typename T::value_type>; }) {
        Json list = Json::array();
        for (const auto& part : value) {
            list.push_back(written(part));
        }
        return list;
    } else {
        return value;
    }
}

/// Whether it is of the type; where not, the default stays. Entries of another type are left out of lists and maps.
template <typename T>
bool take(const Json& json, T& out) {
    bool fits = false;
    if constexpr (Visited<T>) {
        fits = json.is_object();
        T::visit_fields(out, [&json](const char* key, auto& field) {
            if (const auto found = json.find(key); found != json.end()) {
                take(*found, field);
            }
        });
    } else if constexpr (requires { typename T::mapped_type; }) {
        fits = json.is_object();
        for (auto entry = json.begin(); fits && entry != json.end(); ++entry) {
            if (typename T::mapped_type value{}; take(*entry, value)) {
                out[entry.key()] = std::move(value);
            }
        }
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const auto number = whole_number<T>(json);
        fits = number.has_value();
        out = number.value_or(out);
    } else if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
        fits = std::is_same_v<T, std::string> ? json.is_string()
               : std::is_same_v<T, bool>      ? json.is_boolean()
                                              : json.is_number();
        if (fits) {
            json.get_to(out);
        }
    } else {
        fits = json.is_array();
        for (auto entry = json.begin(); fits && entry != json.end(); ++entry) {
            if (typename T::value_type value{}; take(*entry, value)) {
                out.push_back(std::move(value));
            }
        }
    }
    return fits;
}

}  // namespace

nlohmann::json to_json(const NodeFacts& facts) {
    return written(facts);
}

NodeFacts facts_from_json(const nlohmann::json& json) {
    NodeFacts facts;
    take(json, facts);
    return facts;
}

NodeFacts facts_from_wire(const wire::NodeFacts& frame) {
    constexpr FromFrame copy;
    NodeFacts event;
    RANKSCOPE_FIELDS(hostname, os, kernel, machine, libc, user, cpus, cpu_model, load1, memory_bytes,
                     memory_free_bytes, cache_free_bytes, cache_dir, agent_version);
    for (int i = 0; i < std::min(frame.sample().keys_size(), frame.sample().values_size()); ++i) {
        if (std::isfinite(frame.sample().values(i))) {
            event.sample[frame.sample().keys(i)] = frame.sample().values(i);
        }
    }
    for (const auto& gpu : frame.gpus()) {
        event.gpus.push_back({static_cast<int>(gpu.index()), gpu.name(), gpu.memory_bytes()});
    }
    for (const auto& entry : frame.interfaces()) {
        event.interfaces.push_back({entry.name(),
                                    {entry.addresses().begin(), entry.addresses().end()},
                                    entry.up(),
                                    entry.loopback(),
                                    static_cast<int>(entry.mtu())});
    }
    return event;
}

}  // namespace rankscope::inline nodes
