// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/sample_table.h>
#include <remote/ctl/table.h>
#include <remote/wire/sample_keys.h>

#include <set>

namespace rankscope::ctl {
namespace {

using Value = NodeSamples::Value;

const Value* find(const NodeSamples& node, const std::string& key) {
    const auto it = node.values.find(key);
    return it == node.values.end() ? nullptr : &it->second;
}

// "43 / 97 %": mean and most.
std::string share(const Value* value) {
    return value == nullptr
               ? "-"
               : fixed_text(value->mean() * 100, 0) + " / " + fixed_text(value->most * 100, 0) + " %";
}

std::string gibibytes(const Value* most, const Value* of) {
    if (most == nullptr) {
        return "-";
    }
    constexpr double kGib = 1 << 30;
    return fixed_text(most->most / kGib, 1) + (of == nullptr ? "" : " of " + fixed_text(of->last / kGib, 1)) +
           " GiB";
}

std::string megabytes(double bytes_per_s) {
    return fixed_text(bytes_per_s / 1e6, 1) + " MB/s";
}

// The interface that carried most: the others are bridges and the like.
std::string busiest(const NodeSamples& node) {
    std::string name;
    double most = -1;
    for (const auto& [key, value] : node.values) {
        if (key.starts_with("net.") && key.ends_with(".rx") && value.most > most) {
            most = value.most;
            name = key.substr(4, key.size() - 7);
        }
    }
    const Value* sent = find(node, sample_key::net(name, "tx"));
    return name.empty() ? "-"
                        : name + ' ' + megabytes(most) + " in, " +
                              megabytes(sent == nullptr ? 0 : sent->most) + " out";
}

std::set<int> gpus_of(const NodeSamples& node) {
    std::set<int> gpus;
    for (const auto& [key, value] : node.values) {
        int index = 0;
        if (std::sscanf(key.c_str(), "gpu.%d.", &index) == 1) {
            gpus.insert(index);
        }
    }
    return gpus;
}

// Of gpu.unavailable; empty: the GPUs could be read all the time.
std::string unavailable(const Value* value) {
    return value == nullptr   ? ""
           : value->most == 1 ? "unavailable: the driver did not answer"
           : value->most == 2 ? "unavailable: neither NVML nor nvidia-smi is found"
                              : "unavailable: the driver reported an error";
}

std::string most(const Value* value, int decimals, const char* unit = "") {
    return value == nullptr ? "-" : fixed_text(value->most, decimals) + unit;
}

}  // namespace

std::string format_samples(const RunState& state) {
    if (state.samples.empty()) {
        return {};
    }
    std::vector<std::vector<std::string>> rows{
        {"NODE", "CPU mean / max", "MEMORY max", "LOAD max", "NETWORK max"}};
    std::vector<std::vector<std::string>> gpu_rows{
        {"NODE", "GPU", "USE mean / max", "MEMORY max", "POWER max", "TEMPERATURE max"}};
    for (const auto& [name, node] : state.samples) {
        rows.push_back({name, share(find(node, sample_key::kCpu)),
                        gibibytes(find(node, sample_key::kMemUsed), find(node, sample_key::kMemTotal)),
                        most(find(node, sample_key::kLoad1), 1), busiest(node)});
        if (const auto why = unavailable(find(node, sample_key::kGpuUnavailable)); !why.empty()) {
            gpu_rows.push_back({name, "-", why, "-", "-", "-"});
        }
        for (const int gpu : gpus_of(node)) {
            const auto value = [&node = node, gpu](const char* what) {
                return find(node, sample_key::gpu(gpu, what));
            };
            gpu_rows.push_back({name, std::to_string(gpu), share(value("util")),
                                gibibytes(value("mem_used"), value("mem_total")),
                                most(value("power"), 0, " W"), most(value("temp"), 0, " C")});
        }
    }
    return format_table(rows) + (gpu_rows.size() > 1 ? '\n' + format_table(gpu_rows) : std::string());
}

nlohmann::ordered_json samples_json(const RunState& state) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [name, node] : state.samples) {
        for (const auto& [key, value] : node.values) {
            json[name][key] = {{"last", value.last}, {"mean", value.mean()}, {"max", value.most}};
        }
    }
    return json;
}

}  // namespace rankscope::ctl
