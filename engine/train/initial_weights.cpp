// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/model_state.h>
#include <engine/checkpoint/weights.h>
#include <engine/data/data_paths.h>
#include <engine/error.h>
#include <engine/train/initial_weights.h>

#include <cstring>
#include <map>

namespace rankscope::engine {
namespace {

constexpr std::size_t kMostListed = 20;

std::string listed(const std::vector<std::string>& mismatches) {
    std::string text;
    for (std::size_t i = 0; i < mismatches.size() && i < kMostListed; ++i) {
        text += "\n  " + mismatches[i];
    }
    if (mismatches.size() > kMostListed) {
        text += "\n  … and " + std::to_string(mismatches.size() - kMostListed) + " more";
    }
    return text;
}

}  // namespace

std::vector<std::string> weight_mismatches(std::span<const TensorRecord> tensors, const Graph& graph) {
    std::map<std::string, Shape> rest;
    for (const TensorRecord& tensor : tensors) {
        rest.emplace(tensor.name, tensor.shape);
    }
    std::vector<std::string> mismatches;
    const auto compare = [&](const std::string& name, const Shape& shape, bool needed) {
        const auto found = rest.find(name);
        if (found == rest.end()) {
            if (needed) {
                mismatches.push_back(name + " " + to_string(shape) + " is missing");
            }
            return;
        }
        if (found->second != shape) {
            mismatches.push_back(name + " has shape " + to_string(found->second) + ", the model's " +
                                 to_string(shape));
        }
        rest.erase(found);
    };
    for (const Parameter& parameter : graph.parameters) {
        compare(parameter.name, parameter.shape, true);
    }
    for (const Statistic& statistic : graph.statistics) {
        compare(statistic.name, statistic.shape, false);
    }
    for (const auto& [name, shape] : rest) {
        mismatches.push_back(name + " " + to_string(shape) + " is not in the model");
    }
    return mismatches;
}

void broadcast_model(CompiledModel& model, const Graph& graph, ProcessGroup* group) {
    if (group == nullptr) {
        return;
    }
    group->broadcast(model.weights(), 0);
    if (graph.statistics.empty()) {
        return;
    }
    group->broadcast(model.running_statistics(), 0);
    std::vector<double> counts;
    for (const StatisticId id : graph.statistics.indices()) {
        counts.push_back(model.statistic(id).front());
    }
    std::string bytes(counts.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), counts.data(), bytes.size());
    const std::vector<std::string> all = group->all_gather(bytes);
    std::memcpy(counts.data(), all[0].data(), bytes.size());
    for (const StatisticId id : graph.statistics.indices()) {
        if (graph.statistics[id].kind == Statistic::Kind::batches_tracked) {
            model.set_statistic(id, std::span(&counts[id.value()], 1));
        }
    }
}

void load_initial_weights(const std::string& file, CompiledModel& model, const Graph& graph,
                          ProcessGroup* group) {
    if (group == nullptr || group->rank() == 0) {
        std::vector<TensorRecord> tensors = read_weights(expand_home(file));
        const std::vector<std::string> mismatches = weight_mismatches(tensors, graph);
        if (!mismatches.empty()) {
            throw ConfigError("checkpoint.init_from: " + file +
                              " does not fit the model:" + listed(mismatches));
        }
        for (const StatisticId id : graph.statistics.indices()) {
            const Statistic& statistic = graph.statistics[id];
            if (find_tensor(tensors, statistic.name) == nullptr &&
                statistic.kind != Statistic::Kind::batches_tracked) {
                const std::vector<double> now = model.statistic(id);
                tensors.push_back(float_tensor(statistic.name, statistic.shape,
                                               std::vector<float>(now.begin(), now.end())));
            }
        }
        restore_model(tensors, model, graph);
    }
    broadcast_model(model, graph, group);
}

}  // namespace rankscope::engine
