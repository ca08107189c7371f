// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/stage_model.h>
#include <engine/backend/training_step.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace rankscope::engine {
namespace {

constexpr std::array<std::string_view, 3> kOptimizerArrays{"momentum_buffer", "exp_avg", "exp_avg_sq"};

template <typename Map, typename Id>
const typename Map::mapped_type& found_in(const Map& others, Id id, const std::string& name) {
    const auto found = others.find(id);
    if (found == others.end()) {
        throw std::logic_error("another stage of the pipeline has " + name);
    }
    return found->second;
}

}  // namespace

StageModel::StageModel(Backend& backend, const Graph& whole, const std::vector<PipelineStage>& stages,
                       const CompileOptions& options, const PipelineOptions& pipeline)
    : whole_(whole),
      pipeline_(pipeline),
      graph_(stages[static_cast<std::size_t>(pipeline.groups->stage())].graph),
      model_(backend.compile(graph_, options)),
      stage_of_parameter_(whole.parameters.size()),
      stage_of_statistic_(whole.statistics.size()) {
    for (std::size_t i = stages.size(); i-- > 0;) {
        const bool mine = static_cast<int>(i) == pipeline.groups->stage();
        for (const ParameterId id : stages[i].parameters.indices()) {
            stage_of_parameter_[stages[i].parameters[id]] = static_cast<int>(i);
            if (mine) {
                parameters_.emplace(stages[i].parameters[id], id);
            }
        }
        for (const StatisticId id : stages[i].statistics.indices()) {
            stage_of_statistic_[stages[i].statistics[id]] = static_cast<int>(i);
            if (mine) {
                statistics_.emplace(stages[i].statistics[id], id);
            }
        }
    }
}

void StageModel::set_weight(ParameterId id, std::span<const float> canonical) {
    if (has(id)) {
        model_->set_weight(own(id), canonical);
    }
}

std::vector<float> StageModel::weight(ParameterId id) {
    return has(id) ? model_->weight(own(id)) : found_in(others_.weights, id, whole_.parameters[id].name);
}

std::vector<float> StageModel::gradient(ParameterId id) {
    return model_->gradient(own(id));
}

void StageModel::read_weight(ParameterId id, std::span<float> canonical) {
    if (has(id)) {
        model_->read_weight(own(id), canonical);
        return;
    }
    const std::vector<float>& values = found_in(others_.weights, id, whole_.parameters[id].name);
    std::copy(values.begin(), values.end(), canonical.begin());
}

bool StageModel::read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) {
    if (has(id)) {
        return model_->read_optimizer_state(name, own(id), canonical);
    }
    const auto array = others_.optimizer.find(name);
    if (array == others_.optimizer.end()) {
        return false;
    }
    const std::vector<float>& values = found_in(array->second, id, whole_.parameters[id].name);
    std::copy(values.begin(), values.end(), canonical.begin());
    return true;
}

std::vector<float> StageModel::optimizer_state(std::string_view name, ParameterId id) {
    return has(id) ? model_->optimizer_state(name, own(id)) : std::vector<float>();
}

void StageModel::set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) {
    if (has(id)) {
        model_->set_optimizer_state(name, own(id), values);
    }
}

void StageModel::set_statistic(StatisticId id, std::span<const double> values) {
    if (const auto found = statistics_.find(id); found != statistics_.end()) {
        model_->set_statistic(found->second, values);
    }
}

std::vector<double> StageModel::statistic(StatisticId id) {
    const auto found = statistics_.find(id);
    return found != statistics_.end() ? model_->statistic(found->second)
                                      : found_in(others_.statistics, id, whole_.statistics[id].name);
}

void StageModel::hand_to_first(int stage, std::span<float> values) {
    if (stage > 0) {
        pipeline_.groups->chain().broadcast(values, stage);
    }
}

void StageModel::collect_weights() {
    for (const ParameterId id : whole_.parameters.indices()) {
        std::vector<float> values(static_cast<std::size_t>(element_count(whole_.parameters[id].shape)));
        if (has(id)) {
            model_->read_weight(own(id), values);
        }
        hand_to_first(stage_of_parameter_[id], values);
        if (pipeline_.groups->first() && !has(id)) {
            others_.weights[id] = std::move(values);
        }
    }
}

void StageModel::collect_statistics() {
    for (const StatisticId id : whole_.statistics.indices()) {
        // Numbers of batches are whole numbers that floats hold up to 2²⁴: they travel as two.
        constexpr double kParts = 16777216.0;
        const auto found = statistics_.find(id);
        std::vector<double> own_values =
            found != statistics_.end()
                ? model_->statistic(found->second)
                : std::vector<double>(static_cast<std::size_t>(element_count(whole_.statistics[id].shape)));
        const bool counted = whole_.statistics[id].kind == Statistic::Kind::batches_tracked;
        std::vector<float> values(own_values.begin(), own_values.end());
        if (counted) {
            const double high = static_cast<double>(static_cast<std::int64_t>(own_values.front() / kParts));
            values = {static_cast<float>(high), static_cast<float>(own_values.front() - high * kParts)};
        }
        hand_to_first(stage_of_statistic_[id], values);
        if (pipeline_.groups->first() && found == statistics_.end()) {
            others_.statistics[id] = counted ? std::vector<double>{static_cast<double>(values[0]) * kParts +
                                                                   static_cast<double>(values[1])}
                                             : std::vector<double>(values.begin(), values.end());
        }
    }
}

void StageModel::collect_optimizer() {
    for (const std::string_view name : kOptimizerArrays) {
        if (!model_->optimizer_arrays().contains(name)) {
            continue;  // the stages have made the same steps
        }
        for (const ParameterId id : whole_.parameters.indices()) {
            std::vector<float> values(static_cast<std::size_t>(element_count(whole_.parameters[id].shape)));
            if (has(id)) {
                model_->read_optimizer_state(name, own(id), values);
            }
            hand_to_first(stage_of_parameter_[id], values);
            if (pipeline_.groups->first() && !has(id)) {
                others_.optimizer[std::string(name)][id] = std::move(values);
            }
        }
    }
}

void StageModel::with_whole_model(Whole what, const std::function<void()>& read) {
    // One pipeline is enough: all have the same.
    if (pipeline_.groups->pipeline() == 0) {
        collect_weights();
        collect_statistics();
        if (what == Whole::with_optimizer) {
            collect_optimizer();
        }
    }
    read();
    others_ = {};
}

std::unique_ptr<TrainingStep> StageModel::training_step(const StepOptions& options,
                                                        const GradientExchange& exchange) {
    GradientExchange own_exchange = exchange;
    own_exchange.pipeline = pipeline_;
    own_exchange.names = {};
    for (const Parameter& parameter : graph_.parameters) {
        own_exchange.names.add(parameter.name);
    }
    for (const ParameterId id : graph_.parameters.indices()) {
        if (graph_.parameters[id].shared) {
            own_exchange.shared.push_back(id);
        }
    }
    return model_->training_step(options, own_exchange);
}

}  // namespace rankscope::engine
