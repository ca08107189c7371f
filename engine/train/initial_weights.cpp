// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/model_state.h>
#include <engine/checkpoint/resume_guard.h>
#include <engine/checkpoint/weights.h>
#include <engine/data/data_paths.h>
#include <engine/error.h>
#include <engine/train/initial_weights.h>

#include <map>
#include <optional>
#include <utility>

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

void load_initial_weights(const std::string& file, CompiledModel& model, const Graph& graph,
                          ProcessGroup* group) {
    std::optional<Snapshot> mine;
    if (group == nullptr || group->rank() == 0) {
        std::vector<TensorRecord> tensors = read_weights(expand_home(file));
        const std::vector<std::string> mismatches = weight_mismatches(tensors, graph);
        if (!mismatches.empty()) {
            throw ConfigError("checkpoint.init_from: " + file +
                              " does not fit the model:" + listed(mismatches));
        }
        for (const Statistic& statistic : graph.statistics) {
            if (find_tensor(tensors, statistic.name) == nullptr &&
                statistic.kind != Statistic::Kind::batches_tracked) {
                const float start = statistic.kind == Statistic::Kind::running_var ? 1.0F : 0.0F;
                tensors.push_back(float_tensor(
                    statistic.name, statistic.shape,
                    std::vector<float>(static_cast<std::size_t>(element_count(statistic.shape)), start)));
            }
        }
        mine = Snapshot{.model = std::move(tensors), .optimizer = {}, .position = {}};
    }
    const Resumed all = agree_on_snapshot(group, std::move(mine));
    restore_model(all.snapshot->model, model, graph);
}

}  // namespace rankscope::engine
