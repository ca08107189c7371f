// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/each_operation.h>
#include <engine/graph/tensor_slices.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace rankscope::engine {
namespace {

/// Which operation reads each value, if only one does.
IndexedVector<ValueId, std::optional<std::size_t>> sole_readers(const Graph& graph) {
    const IndexedVector<ValueId, std::size_t> counts = reader_counts(graph);
    IndexedVector<ValueId, std::optional<std::size_t>> readers(graph.values.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId input : graph.nodes[i].inputs) {
            readers[input] = counts[input] == 1 ? std::optional(i) : std::nullopt;
        }
    }
    return readers;
}

bool is_layer(const Operation& operation) {
    const auto* const conv = std::get_if<Conv2d>(&operation);
    return std::holds_alternative<Linear>(operation) || (conv != nullptr && conv->groups == 1);
}

/// What it makes of a channel depends on this channel alone.
bool keeps_channels_apart(const Graph& graph, const Node& node) {
    return std::visit(
        EachOperation{
            [&](const Conv2d& conv) {
                return conv.groups == graph.values[node.input()].shape[0] && conv.groups == conv.out_channels;
            },
            [&](const BatchNorm2d&) { return node.inputs.size() == 1; }, [](const Relu&) { return true; },
            [](const Activate&) { return true; }, [](const MaxPool2d&) { return true; },
            [](const AveragePool2d&) { return true; }, [](const GlobalAveragePool&) { return true; },
            [](const Flatten&) { return true; }, [](const auto&) { return false; }},
        node.operation);
}

/// Operations of which every rank computes a part, in their order: the first and the last are layers.
using Chain = std::vector<std::size_t>;

/// The chain that begins with a node, if there is one.
class ChainSearch {
public:
    ChainSearch(const Graph& graph, int slices)
        : graph_(graph), slices_(slices), readers_(sole_readers(graph)), users_(user_counts(graph)) {}

    std::optional<Chain> from(std::size_t first) const {
        const Node& begin = graph_.nodes[first];
        if (!is_layer(begin.operation) || users_[begin.parameters[0]] > 1) {
            return std::nullopt;
        }
        const std::optional<std::size_t> second = readers_[begin.output];
        const auto* const attention =
            second ? std::get_if<Attention>(&graph_.nodes[*second].operation) : nullptr;
        // Vectors of distances would be those of all heads.
        if (attention != nullptr ? attention->relative || attention->heads % slices_ != 0
                                 : graph_.values[begin.output].shape[0] % slices_ != 0) {
            return std::nullopt;
        }
        Chain chain{first};
        for (std::optional<std::size_t> next = second; next; next = readers_[graph_.nodes[*next].output]) {
            const Node& node = graph_.nodes[*next];
            chain.push_back(*next);
            if (is_layer(node.operation)) {
                return users_[node.parameters[0]] > 1 ? std::nullopt : std::optional(chain);
            }
            if (!keeps_channels_apart(graph_, node) && !(attention != nullptr && chain.size() == 2)) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

private:
    const Graph& graph_;
    int slices_;
    IndexedVector<ValueId, std::optional<std::size_t>> readers_;
    IndexedVector<ParameterId, std::size_t> users_;
};

/// Where a node is in a chain.
enum class Place { outside, first, between, last };

std::vector<Place> places_of(const Graph& graph, int slices) {
    const ChainSearch search(graph, slices);
    std::vector<Place> places(graph.nodes.size(), Place::outside);
    if (slices == 1) {
        return places;
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const std::optional<Chain> chain = places[i] == Place::outside ? search.from(i) : std::nullopt;
        if (!chain) {
            continue;
        }
        for (const std::size_t node : *chain) {
            places[node] = Place::between;
        }
        places[chain->front()] = Place::first;
        places[chain->back()] = Place::last;
    }
    return places;
}

class Slicer {
public:
    Slicer(const Graph& whole, int slices, int slice, const std::vector<Place>& places)
        : whole_(whole), slices_(slices), slice_(slice) {
        made_.graph.classes = whole.classes;
        made_.graph.rows = whole.rows;
        values_.assign(whole.values.size(), ValueId{});
        values_[kInputValue] = made_.graph.values.add(whole.values[kInputValue]);
        for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
            add(whole.nodes[i], places[i]);
        }
    }
    TensorSlice take() { return std::move(made_); }

private:
    void add(Node node, Place place) {
        for (ValueId& input : node.inputs) {
            input = values_[input];
        }
        if (place == Place::first) {
            node.inputs = {append(SumSliceGradients{}, node.input(), node.name + ".input")};
        }
        const bool attends = std::holds_alternative<Attention>(node.operation);
        const int thirds = place == Place::first && feeds_attention(node.output) ? 3 : 1;
        if (place == Place::first || place == Place::between) {
            divide_outputs(node.operation);
        }
        add_parameters(node, place, thirds);
        add_statistics(node, place);
        Shape shape = whole_.values[node.output].shape;
        if (place == Place::first || place == Place::between) {
            shape[0] /= slices_;
        }
        if (attends && place == Place::between) {
            auto& attention = std::get<Attention>(node.operation);
            attention.heads /= slices_;
            attention.first_head = slice_ * attention.heads;
        }
        const ValueId output = made_.graph.values.add({shape});
        const ValueId before = std::exchange(node.output, output);
        const std::string name = node.name;
        made_.graph.nodes.push_back(std::move(node));
        values_[before] = place == Place::last ? append(SumSlices{}, output, name + ".sum") : output;
    }

    ValueId append(const Operation& operation, ValueId input, const std::string& name) {
        const ValueId output = made_.graph.values.add(made_.graph.values[input]);
        made_.graph.nodes.push_back({.operation = operation,
                                     .inputs = {input},
                                     .output = output,
                                     .parameters = {},
                                     .statistics = {},
                                     .name = name});
        return output;
    }

    bool feeds_attention(ValueId value) const {
        for (const Node& node : whole_.nodes) {
            if (node.input() == value && std::holds_alternative<Attention>(node.operation)) {
                return true;
            }
        }
        return false;
    }

    void divide_outputs(Operation& operation) const {
        if (auto* const linear = std::get_if<Linear>(&operation)) {
            linear->out_features /= slices_;
        } else if (auto* const conv = std::get_if<Conv2d>(&operation)) {
            conv->out_channels /= slices_;
            conv->groups = conv->groups == 1 ? 1 : conv->groups / slices_;
        }
    }

    /// This slice's share of a dimension, in so many equal sections: of queries, keys and values each.
    TensorPart share(std::size_t dimension, std::int64_t size, int sections = 1) const {
        TensorPart part{.dimension = dimension};
        const std::int64_t section = size / sections;
        const std::int64_t own = section / slices_;
        for (int i = 0; i < sections; ++i) {
            part.ranges.push_back({i * section + slice_ * own, own});
        }
        return part;
    }

    void add_parameters(Node& node, Place place, int sections) {
        if (place == Place::last && slice_ > 0 && node.parameters.size() > 1) {
            // It is added to the sum once.
            node.parameters.resize(1);
            std::visit(
                [](auto& one) {
                    if constexpr (requires { one.bias; }) {
                        one.bias = false;
                    }
                },
                node.operation);
        }
        for (std::size_t i = 0; i < node.parameters.size(); ++i) {
            const ParameterId whole = node.parameters[i];
            const auto [known, fresh] = parameters_.try_emplace(whole, ParameterId{});
            if (fresh) {
                const Shape& shape = whole_.parameters[whole].shape;
                const bool bias_of_last = place == Place::last && i == 1;
                SlicedTensor<ParameterId> sliced{.whole = whole};
                sliced.on_all_slices = place == Place::outside;
                if (place == Place::last && i == 0) {
                    sliced.part = share(1, shape[1]);
                } else if (place != Place::outside && !bias_of_last) {
                    sliced.part = share(0, shape[0], sections);
                }
                Parameter parameter = whole_.parameters[whole];
                parameter.shape = sliced.part.shape(shape);
                known->second = made_.graph.parameters.add(std::move(parameter));
                made_.parameters.add(std::move(sliced));
            }
            node.parameters[i] = known->second;
        }
    }

    void add_statistics(Node& node, Place place) {
        for (StatisticId& id : node.statistics) {
            const Statistic& whole = whole_.statistics[id];
            SlicedTensor<StatisticId> sliced{.whole = id};
            sliced.on_all_slices = place != Place::between || whole.shape.empty();
            if (!sliced.on_all_slices) {
                sliced.part = share(0, whole.shape[0]);
            }
            Statistic own = whole;
            own.shape = sliced.part.shape(whole.shape);
            id = made_.graph.statistics.add(std::move(own));
            made_.statistics.add(std::move(sliced));
        }
    }

    const Graph& whole_;
    int slices_;
    int slice_;
    TensorSlice made_;
    IndexedVector<ValueId, ValueId> values_;  ///< of the slice, by the whole network's
    std::map<ParameterId, ParameterId> parameters_;
};

bool divides(const std::vector<Place>& places) {
    return std::any_of(places.begin(), places.end(), [](Place place) { return place != Place::outside; });
}

}  // namespace

std::vector<int> fitting_tensor_slices(const Graph& network, int most) {
    std::vector<int> fitting;
    for (int slices = 2; slices <= most; ++slices) {
        if (divides(places_of(network, slices))) {
            fitting.push_back(slices);
        }
    }
    return fitting;
}

TensorSlice tensor_slice(const Graph& network, int slices, int slice) {
    const std::vector<Place> places = places_of(network, slices);
    if (slices > 1 && !divides(places)) {
        std::string fitting;
        constexpr int kUsual = 8;
        for (const int count : fitting_tensor_slices(network, std::max(slices, kUsual))) {
            fitting += (fitting.empty() ? "" : ", ") + std::to_string(count);
        }
        throw ConfigError("the layers of the network cannot be divided among " + std::to_string(slices) +
                          " ranks: parallel.tensor can be " + (fitting.empty() ? "1 only" : fitting));
    }
    return Slicer(network, slices, slice, places).take();
}

SlicedSums sums_of_slices(const Graph& slice, const Schedule& schedule) {
    SlicedSums sums;
    for (const ScheduledOp& op : schedule.ops) {
        const Node& node = slice.nodes[op.node];
        const std::int64_t numbers = element_count(slice.values[node.output].shape);
        if (op.phase == Phase::forward && std::holds_alternative<SumSlices>(node.operation)) {
            sums.forward += numbers;
        }
        if (op.phase == Phase::recompute && std::holds_alternative<SumSlices>(node.operation)) {
            sums.backward += numbers;
        }
        if (op.phase == Phase::backward_data && std::holds_alternative<SumSliceGradients>(node.operation)) {
            sums.backward += numbers;
        }
    }
    return sums;
}

}  // namespace rankscope::engine
