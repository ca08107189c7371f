// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/model_state.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace rankscope::engine {
namespace {

constexpr std::array<std::string_view, 3> kOptimizerStates{"momentum_buffer", "exp_avg", "exp_avg_sq"};

/// The next tensor of a snapshot that is filled in order, made or used again.
TensorRecord& next(std::vector<TensorRecord>& tensors, std::size_t& count, const std::string& name,
                   StoredType dtype, const Shape& shape) {
    if (count == tensors.size()) {
        tensors.emplace_back();
    }
    TensorRecord& record = tensors[count++];
    reuse(record, name, dtype, shape);
    return record;
}

using ByName = std::map<std::string_view, const TensorRecord*>;

/// The tensor of this name, and takes it out.
const TensorRecord& take(ByName& tensors, const std::string& name, const Shape& shape) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
        throw Error(
            "the checkpoint has no " + name + ": it is of another model" +
            (tensors.empty() ? std::string() : " (it has " + std::string(tensors.begin()->first) + ")"));
    }
    const TensorRecord& tensor = *found->second;
    if (tensor.shape != shape) {
        throw Error("the checkpoint's " + name + " has shape " + to_string(tensor.shape) + ", the model's " +
                    to_string(shape) + ": another model, another number of classes, or other images");
    }
    tensors.erase(found);
    return tensor;
}

ByName by_name(std::span<const TensorRecord> tensors) {
    ByName found;
    for (const TensorRecord& tensor : tensors) {
        if (!found.emplace(tensor.name, &tensor).second) {
            throw Error("the checkpoint has " + tensor.name + " twice");
        }
    }
    return found;
}

void refuse_rest(const ByName& rest) {
    if (!rest.empty()) {
        throw Error("the checkpoint has " + std::string(rest.begin()->first) +
                    ", which the model does not: it is of another model");
    }
}

/// What is to be set, once everything has been found right.
using Pending = std::vector<std::pair<ParameterId, std::vector<float>>>;

}  // namespace

void collect(CompiledModel& model, const Graph& graph, Snapshot& into) {
    std::size_t count = 0;
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        model.read_weight(
            id, floats_of(next(into.model, count, parameter.name, StoredType::f32, parameter.shape)));
    }
    for (const StatisticId id : graph.statistics.indices()) {
        const Statistic& statistic = graph.statistics[id];
        const std::vector<double> values = model.statistic(id);
        if (statistic.kind == Statistic::Kind::batches_tracked) {
            const auto batches = static_cast<std::int64_t>(values.front());
            std::memcpy(next(into.model, count, statistic.name, StoredType::i64, {}).bytes.data(), &batches,
                        sizeof(batches));
        } else {
            const std::span<float> floats =
                floats_of(next(into.model, count, statistic.name, StoredType::f32, statistic.shape));
            std::transform(values.begin(), values.end(), floats.begin(),
                           [](double value) { return static_cast<float>(value); });
        }
    }
    into.model.resize(count);
    count = 0;
    for (const std::string_view state : kOptimizerStates) {
        for (const ParameterId id : graph.parameters.indices()) {
            const Parameter& parameter = graph.parameters[id];
            const std::string name = optimizer_tensor_name(parameter.name, state);
            TensorRecord& record = next(into.optimizer, count, name, StoredType::f32, parameter.shape);
            if (!model.read_optimizer_state(state, id, floats_of(record))) {
                --count;  // of all parameters or of none
                break;
            }
        }
    }
    into.optimizer.resize(count);
}

void restore_model(std::span<const TensorRecord> tensors, CompiledModel& model, const Graph& graph) {
    ByName rest = by_name(tensors);
    Pending weights;
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        weights.emplace_back(id, widened_values(take(rest, parameter.name, parameter.shape)));
    }
    std::vector<std::pair<StatisticId, std::vector<double>>> statistics;
    for (const StatisticId id : graph.statistics.indices()) {
        const Statistic& statistic = graph.statistics[id];
        if (statistic.kind == Statistic::Kind::batches_tracked) {
            // Files from before PyTorch 0.4.1 lack it; PyTorch takes them as well.
            const std::int64_t batches =
                rest.contains(statistic.name) ? int64_value(take(rest, statistic.name, {})) : 0;
            statistics.emplace_back(id, std::vector{static_cast<double>(batches)});
        } else {
            const std::vector<float> values = widened_values(take(rest, statistic.name, statistic.shape));
            statistics.emplace_back(id, std::vector<double>(values.begin(), values.end()));
        }
    }
    refuse_rest(rest);
    for (const auto& [id, values] : weights) {
        model.set_weight(id, values);
    }
    for (const auto& [id, values] : statistics) {
        model.set_statistic(id, values);
    }
}

void restore_optimizer(std::span<const TensorRecord> tensors, CompiledModel& model, const Graph& graph) {
    ByName rest = by_name(tensors);
    std::vector<std::pair<std::string_view, Pending>> states;
    for (const std::string_view state : kOptimizerStates) {
        Pending values;
        for (const ParameterId id : graph.parameters.indices()) {
            const Parameter& parameter = graph.parameters[id];
            const std::string name = optimizer_tensor_name(parameter.name, state);
            if (rest.contains(name)) {
                values.emplace_back(id, widened_values(take(rest, name, parameter.shape)));
            }
        }
        if (!values.empty() && values.size() != graph.parameters.size()) {
            throw Error("the checkpoint has the optimizer's " + std::string(state) + " of " +
                        std::to_string(values.size()) + " parameters only, of " +
                        std::to_string(graph.parameters.size()));
        }
        states.emplace_back(state, std::move(values));
    }
    refuse_rest(rest);
    for (const auto& [state, values] : states) {
        for (const auto& [id, floats] : values) {
            model.set_optimizer_state(state, id, floats);
        }
    }
}

}  // namespace rankscope::engine
