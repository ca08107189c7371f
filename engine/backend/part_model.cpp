// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/part_model.h>
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
        throw std::logic_error("another rank has " + name);
    }
    return found->second;
}

const Graph& graph_of(const NetworkDivision& division) {
    return division.stages.empty()
               ? division.slice.graph
               : division.stages[static_cast<std::size_t>(division.pipeline.groups->stage())].graph;
}

/// Calls visit(stage, id of the stage's graph, id of the slice's graph), the last stage first.
template <typename Id, typename Visit>
void each_of_stages(const NetworkDivision& division, std::size_t of_slice,
                    IndexedVector<Id, Id> PipelineStage::*ids, const Visit& visit) {
    for (std::size_t stage = division.stages.size(); stage-- > 0;) {
        const IndexedVector<Id, Id>& own = division.stages[stage].*ids;
        for (const Id id : own.indices()) {
            visit(static_cast<int>(stage), id, own[id]);
        }
    }
    for (std::size_t i = 0; division.stages.empty() && i < of_slice; ++i) {
        visit(0, Id(i), Id(i));
    }
}

}  // namespace

PartModel::PartModel(Backend& backend, const Graph& whole, const NetworkDivision& division,
                     const CompileOptions& options)
    : whole_(whole), division_(division), model_(backend.compile(graph_of(division), options)) {
    const int own_stage = division.pipeline.groups != nullptr ? division.pipeline.groups->stage() : 0;
    const TensorSlice& slice = division.slice;
    const auto note = [&](const auto& tensors, auto& own, auto& stage_of) {
        return [&, own_stage](int stage, auto id, auto of_slice) {
            const auto& sliced = tensors[of_slice];
            stage_of[sliced.whole] = stage;
            if (stage == own_stage) {
                own[sliced.whole] = {id, sliced.part};
            }
        };
    };
    each_of_stages(division, slice.parameters.size(), &PipelineStage::parameters,
                   note(slice.parameters, parameters_, stage_of_parameter_));
    each_of_stages(division, slice.statistics.size(), &PipelineStage::statistics,
                   note(slice.statistics, statistics_, stage_of_statistic_));
}

const Graph& PartModel::graph() const {
    return graph_of(division_);
}

std::size_t PartModel::size_of(ParameterId id) const {
    return static_cast<std::size_t>(element_count(whole_.parameters[id].shape));
}

std::size_t PartModel::size_of(StatisticId id) const {
    return static_cast<std::size_t>(element_count(whole_.statistics[id].shape));
}

template <typename Read>
void PartModel::read_own(ParameterId id, std::span<float> canonical, const Read& read) const {
    const Own<ParameterId>& own = parameters_.at(id);
    if (own.part.whole()) {
        read(own.id, canonical);
        return;
    }
    const Shape& shape = whole_.parameters[id].shape;
    std::vector<float> mine(static_cast<std::size_t>(element_count(own.part.shape(shape))));
    read(own.id, std::span<float>(mine));
    std::fill(canonical.begin(), canonical.end(), 0.0F);
    own.part.put(shape, std::span<const float>(mine), canonical);
}

std::vector<float> PartModel::own_elements(ParameterId id, std::span<const float> canonical) const {
    const TensorPart& part = parameters_.at(id).part;
    const Shape& shape = whole_.parameters[id].shape;
    if (canonical.size() != size_of(id)) {
        throw std::logic_error(whole_.parameters[id].name + ": wrong number of values");
    }
    std::vector<float> mine(static_cast<std::size_t>(element_count(part.shape(shape))));
    part.take(shape, canonical, std::span<float>(mine));
    return mine;
}

void PartModel::set_weight(ParameterId id, std::span<const float> canonical) {
    if (has(id)) {
        model_->set_weight(parameters_.at(id).id, own_elements(id, canonical));
    }
}

std::vector<float> PartModel::weight(ParameterId id) {
    std::vector<float> values(size_of(id));
    read_weight(id, values);
    return values;
}

std::vector<float> PartModel::gradient(ParameterId id) {
    std::vector<float> values(size_of(id));
    read_own(id, values, [&](ParameterId own, std::span<float> to) {
        const std::vector<float> mine = model_->gradient(own);
        std::copy(mine.begin(), mine.end(), to.begin());
    });
    return values;
}

void PartModel::read_weight(ParameterId id, std::span<float> canonical) {
    if (const auto collected = others_.weights.find(id); collected != others_.weights.end() || !has(id)) {
        const std::vector<float>& values = found_in(others_.weights, id, whole_.parameters[id].name);
        std::copy(values.begin(), values.end(), canonical.begin());
        return;
    }
    read_own(id, canonical, [&](ParameterId own, std::span<float> to) { model_->read_weight(own, to); });
}

bool PartModel::read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) {
    const auto array = others_.optimizer.find(name);
    if (array != others_.optimizer.end() && (array->second.contains(id) || !has(id))) {
        const std::vector<float>& values = found_in(array->second, id, whole_.parameters[id].name);
        std::copy(values.begin(), values.end(), canonical.begin());
        return true;
    }
    bool found = false;
    if (has(id)) {
        read_own(id, canonical, [&](ParameterId own, std::span<float> to) {
            found = model_->read_optimizer_state(name, own, to);
        });
    }
    return found;
}

std::vector<float> PartModel::optimizer_state(std::string_view name, ParameterId id) {
    std::vector<float> values(size_of(id));
    return has(id) && read_optimizer_state(name, id, values) ? values : std::vector<float>();
}

void PartModel::set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) {
    if (has(id)) {
        model_->set_optimizer_state(name, parameters_.at(id).id, own_elements(id, values));
    }
}

void PartModel::set_statistic(StatisticId id, std::span<const double> values) {
    const auto found = statistics_.find(id);
    if (found == statistics_.end()) {
        return;
    }
    const Own<StatisticId>& own = found->second;
    const Shape& shape = whole_.statistics[id].shape;
    std::vector<double> mine(static_cast<std::size_t>(element_count(own.part.shape(shape))));
    own.part.take(shape, values, std::span<double>(mine));
    model_->set_statistic(own.id, mine);
}

std::vector<double> PartModel::statistic(StatisticId id) {
    const auto found = statistics_.find(id);
    if (const auto collected = others_.statistics.find(id);
        collected != others_.statistics.end() || found == statistics_.end()) {
        return found_in(others_.statistics, id, whole_.statistics[id].name);
    }
    std::vector<double> values(size_of(id));
    const std::vector<double> mine = model_->statistic(found->second.id);
    found->second.part.put(whole_.statistics[id].shape, std::span<const double>(mine),
                           std::span<double>(values));
    return values;
}

void PartModel::hand_to_first(int stage, bool divided, std::span<float> values) const {
    if (divided) {
        division_.tensor->across().sum(values);  // the others have zeros
    }
    const bool first_slice = division_.tensor == nullptr || division_.tensor->first();
    if (stage > 0 && first_slice) {
        division_.pipeline.groups->chain().broadcast(values, stage);
    }
}

bool PartModel::collects() const {
    return (division_.tensor == nullptr || division_.tensor->first()) &&
           (division_.pipeline.groups == nullptr || division_.pipeline.groups->first());
}

void PartModel::collect_weights() {
    for (const auto& [id, stage] : stage_of_parameter_) {
        std::vector<float> values(size_of(id));
        const bool divided = has(id) && !parameters_.at(id).part.whole();
        if (has(id)) {
            read_weight(id, values);
        }
        hand_to_first(stage, divided, values);
        if (collects() && (divided || !has(id))) {
            others_.weights[id] = std::move(values);
        }
    }
}

void PartModel::collect_statistics() {
    for (const auto& [id, stage] : stage_of_statistic_) {
        // Numbers of batches are whole numbers that floats hold up to 2²⁴: they travel as two.
        constexpr double kParts = 16777216.0;
        const auto found = statistics_.find(id);
        const std::vector<double> own =
            found != statistics_.end() ? statistic(id) : std::vector<double>(size_of(id));
        const bool counted = whole_.statistics[id].kind == Statistic::Kind::batches_tracked;
        std::vector<float> values(own.begin(), own.end());
        if (counted) {
            const double high = static_cast<double>(static_cast<std::int64_t>(own.front() / kParts));
            values = {static_cast<float>(high), static_cast<float>(own.front() - high * kParts)};
        }
        const bool divided = found != statistics_.end() && !found->second.part.whole();
        hand_to_first(stage, divided, values);
        if (collects() && (divided || found == statistics_.end())) {
            others_.statistics[id] = counted ? std::vector<double>{static_cast<double>(values[0]) * kParts +
                                                                   static_cast<double>(values[1])}
                                             : std::vector<double>(values.begin(), values.end());
        }
    }
}

void PartModel::collect_optimizer() {
    for (const std::string_view name : kOptimizerArrays) {
        if (!model_->optimizer_arrays().contains(name)) {
            continue;  // all ranks have made the same steps
        }
        std::map<ParameterId, std::vector<float>> others;
        for (const auto& [id, stage] : stage_of_parameter_) {
            std::vector<float> values(size_of(id));
            const bool divided = has(id) && !parameters_.at(id).part.whole();
            if (has(id)) {
                read_optimizer_state(name, id, values);
            }
            hand_to_first(stage, divided, values);
            if (collects() && (divided || !has(id))) {
                others[id] = std::move(values);
            }
        }
        others_.optimizer[std::string(name)] = std::move(others);
    }
}

void PartModel::with_whole_model(Whole what, const std::function<void()>& read) {
    const ProcessGroup* const replicas = division_.pipeline.groups != nullptr
                                             ? division_.pipeline.groups->same_stage()
                                             : division_.tensor->same_slice();
    // One set of parts is enough: all have the same.
    if (replicas == nullptr || replicas->rank() == 0) {
        collect_weights();
        collect_statistics();
        if (what == Whole::with_optimizer) {
            collect_optimizer();
        }
    }
    read();
    others_ = {};
}

std::unique_ptr<TrainingStep> PartModel::training_step(const StepOptions& options,
                                                       const GradientExchange& exchange) {
    GradientExchange own_exchange = exchange;
    own_exchange.pipeline = division_.pipeline;
    own_exchange.tensor.groups = division_.tensor;
    own_exchange.names = {};
    for (const ParameterId id : graph().parameters.indices()) {
        own_exchange.names.add(graph().parameters[id].name);
        if (graph().parameters[id].shared) {
            own_exchange.shared.push_back(id);
        }
    }
    for (const SlicedTensor<ParameterId>& sliced : division_.slice.parameters) {
        if (sliced.on_all_slices && has(sliced.whole)) {
            own_exchange.tensor.on_all_slices.push_back(parameters_.at(sliced.whole).id);
        }
    }
    return model_->training_step(options, own_exchange);
}

}  // namespace rankscope::engine
